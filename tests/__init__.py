"""The tests."""

import os

# Beside other processes of pytest-xdist, and in what they start, a thread of torch and BLAS each:
# the processes are as many as the CPUs. Read when these libraries are imported.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
