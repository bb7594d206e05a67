"""Benchmarks of speed, memory, losses and cost beside other splitters, from one run.

    make bench                                splitters beside each other, into bench-report/
    python -m benchmarks.suite --help         parts, output folder, sizes

A part is a module with a function that returns a `Section`: prose and tables. Contestants
take turns within one run, so that ratios hold on a machine that is busy or changes its speed.
"""
