"""The runtime of the bundled models does nothing that nobody asked for."""

import os
import subprocess
import sys
from pathlib import Path

USE = "from lumber_core import TextEmbedder; TextEmbedder().embed(['otters'])"


def test_the_runtime_reports_nothing_to_its_maker(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key[:4] != "ORT_"}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", USE], env=environment, check=True, timeout=120)
    # It would note an id of this machine before it reports.
    assert [*tmp_path.rglob("*")] == []
