"""Every access of an index to its disk fails once: `make faults`.

1. `disk` is a disk of SQLite whose n-th access fails, is torn or is lost.
2. `test_faults` has each of them happen within an addition, a sync, a deletion, a merge, a search
   and the answer of a model.
"""
