"""The benchmark's stream over a large corpus, and its measure of memory."""

import pytest

pytest.importorskip("psutil")

from benchmarks.large_corpus import stream
from tests.alone import run_python


@pytest.mark.parametrize("name", ["greedy", "recursive"])
def test_a_stream_passes_the_whole_corpus_and_reports_its_memory_ten_times(name: str):
    report = stream(name, 0.3)
    assert 0.3 <= report["megabytes"] < 0.33
    assert report["chunks"] > report["documents"] > 10
    assert len(report["memory"]) == 10


def test_peak_memory_does_not_include_that_of_the_starting_process():
    held = b"x" * (300 * 2**20)
    script = "from benchmarks.processes import peak_memory; print(peak_memory())"
    assert 1 < float(run_python(script).stdout) < len(held) / 2**21
