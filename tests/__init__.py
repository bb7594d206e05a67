"""The tests."""

import os

# With pytest-xdist, every process and its children use one thread of torch and of BLAS,
# because there are as many processes as CPUs. The libraries read this when imported.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
