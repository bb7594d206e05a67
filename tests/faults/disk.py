"""A disk of SQLite that fails on request: a VFS in front of the default one.

It needs neither a compiler nor the rights of root. A process has one, from when it is first used.
"""

import _sqlite3
import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from functools import cache
from typing import Any

# Result codes of SQLite.
_READ_ERROR, _WRITE_ERROR, _FULL, _SYNC_ERROR, _DELETE_ERROR = 266, 778, 13, 1034, 2570
_SQLITE_OK = 0


class Fault(Enum):
    """What happens to an access."""

    READ_ERROR = "a read returns EIO"
    WRONG_READ = "a read returns zeros"
    WRITE_ERROR = "a write, sync or deletion returns EIO"
    FULL = "a write returns ENOSPC"
    TORN = "half of a write arrives, and it returns EIO"
    KILL = "the process ends before a write, sync or deletion"
    TORN_KILL = "the process ends within a write"
    LOST = "the power fails before a write has arrived, at the next sync"


KILLED = 9
"""The status of a process that the disk has ended."""


class Disk:
    """Counts reads and changes (writes, syncs, deletions) since `reset`; lets one of them fail."""

    def __init__(self) -> None:
        self._calls: list[Any] = []  # Python's functions must outlive SQLite's pointers to them
        self._methods: dict[int, Any] = {}
        self.reset()
        self._install()

    def reset(self) -> None:
        """Count from 0, without a fault."""
        self.reads = self.changes = 0
        self.failed = self._lost = False
        self._fault: Fault | None = None
        self._at = self._times = 0

    @contextmanager
    def failing(self, fault: Fault, at: int, times: int = 1) -> Iterator[None]:
        """Have an access fail, and those after it, `times` in all."""
        self.reset()
        self._fault, self._at, self._times = fault, at, times
        try:
            yield
        finally:
            self._fault = None

    def _is_due(self, number: int, *faults: Fault) -> bool:
        due = self._fault in faults and self._at <= number < self._at + self._times
        self.failed |= due
        return due

    def _end_process(self, *faults: Fault, number: int = 0) -> None:
        if (self._lost and self._fault is Fault.LOST) or self._is_due(number, *faults):
            os._exit(KILLED)

    def _read(self, read: Callable[..., int], *args: Any) -> int:
        self.reads += 1
        if self._is_due(self.reads, Fault.WRONG_READ):
            _, data, size, _ = args
            ctypes.memset(data, 0, size)
            return _SQLITE_OK
        return _READ_ERROR if self._is_due(self.reads, Fault.READ_ERROR) else read(*args)

    def _write(
        self, write: Callable[..., int], file: int, data: int, size: int, offset: int
    ) -> int:
        self.changes += 1
        if self._is_due(self.changes, Fault.LOST):
            self._lost = True
            return _SQLITE_OK
        if self._is_due(self.changes, Fault.WRITE_ERROR):
            return _WRITE_ERROR
        if self._is_due(self.changes, Fault.FULL):
            return _FULL
        if self._fault is not Fault.LOST:
            self._end_process(Fault.KILL, number=self.changes)
        if self._is_due(self.changes, Fault.TORN, Fault.TORN_KILL):
            write(file, data, size // 2, offset)
            self._end_process(Fault.TORN_KILL, number=self.changes)
            return _WRITE_ERROR
        return write(file, data, size, offset)

    def _change(self, error: int) -> Callable[..., int]:
        def change(call: Callable[..., int], *args: Any) -> int:
            self.changes += 1
            self._end_process(Fault.KILL, number=self.changes)
            return error if self._is_due(self.changes, Fault.WRITE_ERROR) else call(*args)

        return change

    def _install(self) -> None:
        library = ctypes.CDLL(_sqlite3.__file__)
        library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
        default = library.sqlite3_vfs_find(None).contents
        shim = _Vfs.from_buffer_copy(default)
        shim.name = b"failing"
        opened = default.open

        def open_file(vfs: int, name: int, file: int, flags: int, out: int) -> int:
            status = opened(vfs, name, file, flags, out)
            place = ctypes.cast(file, ctypes.POINTER(ctypes.c_void_p))
            if status == _SQLITE_OK and place[0]:
                place[0] = ctypes.addressof(self._methods_like(place[0]))
            return int(status)

        shim.open = _Open(open_file)
        shim.delete = self._around(_Delete, default.delete, self._change(_DELETE_ERROR))
        self._calls += [shim, shim.open, default]
        library.sqlite3_vfs_register(ctypes.byref(shim), 1)

    def _methods_like(self, address: int) -> Any:
        """Return the methods of a file, with ours in front of them."""
        if address not in self._methods:
            theirs = _Methods.from_address(address)
            ours = _Methods.from_buffer_copy(theirs)
            ours.read = self._around(_Transfer, theirs.read, self._read)
            ours.write = self._around(_Transfer, theirs.write, self._write)
            ours.truncate = self._around(_Truncate, theirs.truncate, self._change(_WRITE_ERROR))
            ours.sync = self._around(_Sync, theirs.sync, self._change(_SYNC_ERROR))
            self._methods[address] = ours
        return self._methods[address]

    def _around(self, kind: Any, theirs: Any, ours: Callable[..., int]) -> Any:
        call = kind(lambda *args: ours(theirs, *args))
        self._calls += [call, theirs]
        return call


_POINTER, _INT = ctypes.c_void_p, ctypes.c_int
_Open = ctypes.CFUNCTYPE(_INT, _POINTER, _POINTER, _POINTER, _INT, _POINTER)
_Delete = ctypes.CFUNCTYPE(_INT, _POINTER, _POINTER, _INT)
_Transfer = ctypes.CFUNCTYPE(_INT, _POINTER, _POINTER, _INT, ctypes.c_int64)
_Truncate = ctypes.CFUNCTYPE(_INT, _POINTER, ctypes.c_int64)
_Sync = ctypes.CFUNCTYPE(_INT, _POINTER, _INT)


class _Vfs(ctypes.Structure):
    """`sqlite3_vfs` of version 3."""

    _fields_ = (
        *((name, _INT) for name in ("version", "file_size", "longest_path")),
        *(("next", _POINTER), ("name", ctypes.c_char_p), ("data", _POINTER)),
        *(("open", _Open), ("delete", _Delete)),
        *((f"other{number}", _POINTER) for number in range(14)),
    )


class _Methods(ctypes.Structure):
    """`sqlite3_io_methods` of version 3."""

    _fields_ = (
        *(("version", _INT), ("close", _POINTER), ("read", _Transfer), ("write", _Transfer)),
        *(("truncate", _Truncate), ("sync", _Sync)),
        *((f"other{number}", _POINTER) for number in range(13)),
    )


@cache
def failing_disk() -> Disk:
    """Return the disk of all SQLite files that this process opens from now on."""
    return Disk()
