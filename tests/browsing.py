"""Opens pages in headless Chromium, and measures colours."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
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
    """Chromium, which takes longer to start than to show a page, for all pages of a run.

    It is spoken to by its DevTools protocol over a pipe: JSON objects that end with a NUL.
    """

    def __init__(self, path: str, profile: Path) -> None:
        asked, self._asking = os.pipe()
        self._answers, answering = os.pipe()
        # Above those that they become in the new process.
        ends = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in (asked, answering)]

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
        for fd in (asked, answering, *ends):
            os.close(fd)
        self._read = bytearray()
        self._number = 0

    def dom(self, page: Path, *, dark: bool = False) -> str:
        """Return what the browser makes of a page once it is loaded."""
        return str(self.evaluate(page, "document.documentElement.outerHTML", dark=dark))

    def evaluate(
        self, page: Path, expression: str, *, dark: bool = False, width: int = 1280
    ) -> Any:
        """Return the value of an expression, or of its promise, once a page is loaded.

        Args:
            page: The page.
            expression: JavaScript, whose value is data for JSON.
            dark: Whether the user prefers dark pages.
            width: Width of the window in pixels.
        """
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        tab = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        colours = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._ask("Emulation.setEmulatedMedia", tab, features=[colours])
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        self._ask("Emulation.setDeviceMetricsOverride", tab, **size)
        self._ask("Page.navigate", tab, url=page.as_uri())
        for each in (LOADED, expression):
            done = self._ask(
                "Runtime.evaluate", tab, expression=each, awaitPromise=True, returnByValue=True
            )
            assert "exceptionDetails" not in done, done
        self._ask("Target.closeTarget", targetId=target)
        return done["result"].get("value")

    def _ask(self, method: str, tab: str | None = None, **parameters: object) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        whole = json.dumps(message if tab is None else message | {"sessionId": tab}).encode()
        os.write(self._asking, whole + b"\0")
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
        """End it with the processes that it has started."""
        self._ask("Browser.close")
        self._process.wait()
        os.close(self._asking)
        os.close(self._answers)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed")
    running = Browser(found, tmp_path_factory.mktemp("profile"))
    yield running
    running.close()


def foreign_elements(shown: str) -> list[str]:
    """Return what a page, as `dom` returns it, has that only hostile texts bring."""
    found = [mark for mark in _FOREIGN if mark in shown]
    return found + (["<title>broken</title>"] if "<title>broken</title>" in shown else [])


def channels(colour: str) -> list[float]:
    return [float(value) / 255 for value in re.findall(r"[\d.]+", colour)[:3]]


def lightness(colour: str) -> float:
    """Relative luminance, as the web's accessibility guidelines define it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    one, other = sorted([lightness(first), lightness(second)])
    return (other + 0.05) / (one + 0.05)
