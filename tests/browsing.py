"""Opens pages in headless Chromium, and measures colours."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--hide-scrollbars", "--allow-file-access-from-files", "--remote-debugging-pipe"),
)
READ, WRITTEN = 3, 4  # the file descriptors of Chromium's pipe
LOADED = """new Promise((done) => {
  const tell = () => setTimeout(done, 50);
  document.readyState === "complete" ? tell() : addEventListener("load", tell);
})"""

HOSTILE = (
    "</script><script>document.title = 'broken'</script>",
    """<img src=x onerror="document.title = 'broken'">""",
    """'"><svg onload="document.title = 'broken'">""",
    "</title></textarea></pre></style><base href='http://127.0.0.1:9/'><form><u-foreign>",
    "<!-- {{ 7 * 7 }} {% raw %} ${7 * 7} &lt;b&gt; &#0; ]]>",
    "\u202e right to left \u2028 \x1b[31m \x07",
)
"""What a file name, a title or a text may contain, to leave its place in a page."""
_FOREIGN = ("<u-foreign", "<img", "<svg onload", "<base", "<form")


class Browser:
    """A Chromium process for all pages of a run: starting it takes longer than showing a page.

    Tests control it by the DevTools protocol over a pipe: JSON objects that end with a NUL.
    """

    def __init__(self, path: str, profile: Path) -> None:
        commands, self._asking = os.pipe()
        self._answers, answering = os.pipe()
        # Numbers above `READ` and `WRITTEN`, to which they are copied in the new process.
        ends = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in (commands, answering)]

        def become() -> None:
            os.dup2(ends[0], READ)
            os.dup2(ends[1], WRITTEN)

        self._process = subprocess.Popen(
            [path, *FLAGS, f"--user-data-dir={profile}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(READ, WRITTEN),
            preexec_fn=become,
        )
        for fd in (commands, answering, *ends):
            os.close(fd)
        self._read = bytearray()
        self._number = 0

    def dom(self, page: Path, *, dark: bool = False) -> str:
        """Return the browser's document tree of a page after loading."""
        return str(self.evaluate(page, "document.documentElement.outerHTML", dark=dark))

    def evaluate(
        self, page: Path, expression: str, *, dark: bool = False, width: int = 1280
    ) -> Any:
        """Return the value of JavaScript, or of its promise, after a page is loaded."""
        with self.tab(page.as_uri(), dark=dark, width=width) as tab:
            return tab.evaluate(expression)

    @contextmanager
    def tab(self, url: str, *, dark: bool = False, width: int = 1280) -> Iterator[Tab]:
        """Yield a tab with a page that is loaded; see `evaluate`."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        tab = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        colours = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", tab, features=[colours])
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        self.ask("Emulation.setDeviceMetricsOverride", tab, **size)
        self.ask("Page.navigate", tab, url=url)
        opened = Tab(self, tab)
        opened.evaluate(LOADED)
        yield opened
        self.ask("Target.closeTarget", targetId=target)

    def ask(self, method: str, tab: str | None = None, **parameters: object) -> dict[str, Any]:
        """Return the result of a method of the protocol."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        request = json.dumps(message if tab is None else message | {"sessionId": tab}).encode()
        os.write(self._asking, request + b"\0")
        while (answer := self._next()).get("id") != self._number:
            pass
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def _next(self) -> dict[str, Any]:
        while (end := self._read.find(0)) < 0:
            part = os.read(self._answers, 1 << 20)
            assert part, "the browser has ended"
            self._read += part
        answer: dict[str, Any] = json.loads(self._read[:end])
        del self._read[: end + 1]
        return answer

    def close(self) -> None:
        """End Chromium with the processes that it has started."""
        self.ask("Browser.close")
        self._process.wait()
        os.close(self._asking)
        os.close(self._answers)


class Tab:
    """A page that stays open while a test uses it."""

    def __init__(self, browser: Browser, number: str) -> None:
        self._browser = browser
        self._number = number

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression, or of its promise, which is data for JSON."""
        reply = self.ask(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in reply, reply
        return reply["result"].get("value")

    def choose_files(self, selector: str, *paths: Path) -> None:
        """Choose files in an input, as a user does who drops them on it."""
        root = self.ask("DOM.getDocument")["root"]["nodeId"]
        node = self.ask("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.ask("DOM.setFileInputFiles", nodeId=node, files=[*map(str, paths)])

    def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        """Return the result of a method of the protocol, asked of this tab."""
        return self._browser.ask(method, self._number, **parameters)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = next((path for path in map(shutil.which, NAMES) if path), None)
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed")
    running = Browser(program, tmp_path_factory.mktemp("profile"))
    yield running
    running.close()


def foreign_elements(dom: str) -> list[str]:
    """Return the parts of a page, as `dom` returns it, that only hostile texts add."""
    foreign = [mark for mark in _FOREIGN if mark in dom]
    return foreign + (["<title>broken</title>"] if "<title>broken</title>" in dom else [])


def channels(colour: str) -> list[float]:
    return [float(value) / 255 for value in re.findall(r"[\d.]+", colour)[:3]]


def lightness(colour: str) -> float:
    """Relative luminance, as the web's accessibility guidelines define it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    darker, lighter = sorted([lightness(first), lightness(second)])
    return (lighter + 0.05) / (darker + 0.05)
