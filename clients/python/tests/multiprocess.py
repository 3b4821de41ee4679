"""LMCache's multiprocess mode, as far as an L2 adapter sees it: its interface, and the order of its calls.

Its own modules need torch and compiled code. What stands for them here has their names and signatures.
"""

from __future__ import annotations

import abc
import contextlib
import dataclasses
import hashlib
import importlib
import os
import queue
import select
import sys
import threading
import types
from collections import OrderedDict
from typing import Any, Dict, Iterator, List, Optional, Sequence

METHODS = (
    "get_store_event_fd",
    "get_lookup_and_lock_event_fd",
    "get_load_event_fd",
    "submit_store_task",
    "pop_completed_store_tasks",
    "submit_lookup_and_lock_task",
    "query_lookup_and_lock_result",
    "submit_unlock",
    "submit_load_task",
    "query_load_result",
    "close",
)


class Bitmap:
    def __init__(self, size: int) -> None:
        self.bits = [False] * size

    def set(self, index: int) -> None:
        self.bits[index] = True


class L2StoreResult(int):
    """The bytes stored, or -1."""

    def __new__(cls, success: bool, bytes_transferred: int) -> L2StoreResult:
        return super().__new__(cls, bytes_transferred if success else -1)

    def is_successful(self) -> bool:
        return self >= 0


@dataclasses.dataclass(frozen=True)
class OldKey:
    """The key of the versions without groups of layers."""

    chunk_hash: bytes
    model_name: str
    kv_rank: int


@dataclasses.dataclass(frozen=True)
class Key(OldKey):
    object_group_id: int = 0
    cache_salt: str = ""


class Memory:
    """A buffer of LMCache's own memory."""

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)

    @property
    def byte_array(self) -> memoryview:
        return memoryview(self.data)


@dataclasses.dataclass
class Version:
    """A version of the interface.

    :param bitmap: the module of the bitmap
    :param results: whether store tasks report their bytes
    :param layouts: whether lookups pass the layouts of groups
    :param whole: whether the whole prompt is looked up, by rank and group. Otherwise it is what follows the leading
        chunks in LMCache's memory, chunk by chunk
    """

    bitmap: str
    results: bool
    layouts: bool
    whole: bool
    methods: Sequence[str] = METHODS

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Makes the modules importable, in place of LMCache's own."""
        base = _module("lmcache.v1.distributed.l2_adapters.base", L2AdapterInterface=self._interface())
        internal = _module("lmcache.v1.distributed.internal_api")
        if self.results:
            internal.L2StoreResult = L2StoreResult
        given = [base, internal, _module(self.bitmap, Bitmap=Bitmap)]
        packages = ("lmcache", "lmcache.v1", "lmcache.v1.distributed", "lmcache.v1.distributed.l2_adapters")
        names = [name for name in sys.modules if name.split(".")[0] == "lmcache" or name == "ebb_kv.lmcache_mp"]
        before = {name: sys.modules.pop(name) for name in names}
        sys.modules.update((each.__name__, each) for each in [*map(_package, packages), *given])
        try:
            yield
        finally:
            for name in [name for name in sys.modules if name.split(".")[0] == "lmcache"]:
                del sys.modules[name]
            sys.modules.pop("ebb_kv.lmcache_mp", None)
            sys.modules.update(before)

    def adapter(self, **params: Any) -> Any:
        """Returns an adapter, made as LMCache's factory makes plugins."""
        with self.installed():
            module = importlib.import_module("ebb_kv.lmcache_mp")
            made = module.EbbL2Adapter(params, l1_memory_desc=None)
            assert isinstance(made, sys.modules["lmcache.v1.distributed.l2_adapters.base"].L2AdapterInterface)
            return made

    def _interface(self) -> type:
        def init(adapter: Any, max_capacity_bytes: int = 0) -> None:
            adapter._listeners = []

        members: Dict[str, Any] = {name: abc.abstractmethod(lambda *_: None) for name in self.methods}
        if self.results:
            members["__init__"] = init
        return abc.ABCMeta("L2AdapterInterface", (abc.ABC,), members)


OLDEST = Version("lmcache.native_storage_ops", results=False, layouts=False, whole=False)
MIDDLE = Version("lmcache.native_storage_ops", results=True, layouts=True, whole=False)
NEWEST = Version("lmcache.lmcache_native", results=True, layouts=True, whole=True)


def _module(name: str, **members: Any) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__dict__.update(members)
    return module


def _package(name: str) -> types.ModuleType:
    return _module(name, __path__=[])


def kv_rank(world: int, rank: int) -> int:
    return world << 24 | rank << 16 | world << 8 | rank


def value_of(key: Any, size: int) -> bytes:
    """Returns bytes that depend on the key only."""
    seed = hashlib.sha256(repr(dataclasses.astuple(key)).encode()).digest()
    return (seed * (size // len(seed) + 1))[:size]


class Lmcache:
    """A server of LMCache: its memory, and the threads that look chunks up, load and store them.

    Chunks that the engine computed stay in its memory, the last used ones; those that were loaded do not.
    """

    IN_FLIGHT = 8

    def __init__(self, version: Version, adapter: Any, memory: int = 0, size: int = 4096) -> None:
        self.version = version
        self.adapter = adapter
        self.size = size
        self.counts = dict.fromkeys(("chunks", "hits", "own hits", "wrong", "lost"), 0)
        self._capacity = memory
        self._memory: OrderedDict[Any, Memory] = OrderedDict()
        self._lock = threading.Lock()
        self._slots = threading.Semaphore(self.IN_FLIGHT)
        self._asked: queue.Queue = queue.Queue()
        self._written: queue.Queue = queue.Queue()
        self._wake_lookups, self._wake_stores = _event(), _event()
        self._stopped = False
        self._threads = [threading.Thread(target=loop, daemon=True) for loop in (self._prefetch, self._store)]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        self._stopped = True
        for fd in (self._wake_lookups, self._wake_stores):
            os.eventfd_write(fd, 1)
        for thread in self._threads:
            thread.join()
        self.adapter.close()
        for fd in (self._wake_lookups, self._wake_stores):
            os.close(fd)

    def request(self, rows: Sequence[Sequence[Any]]) -> int:
        """Serves a prompt, given as the keys of each rank and group. Returns how many leading chunks were hits."""
        with self._slots:
            hits, own = self._looked_up(rows)
        stored = self._compute(rows, hits)
        with self._lock:
            self.counts["chunks"] += len(rows[0])
            self.counts["hits"] += hits
            self.counts["own hits"] += own
        for done in stored:
            done.wait(60)
        return hits

    def _looked_up(self, rows: Sequence[Sequence[Any]]) -> Any:
        columns = list(zip(*rows))
        with self._lock:
            own = next((i for i, column in enumerate(columns) if not self._has(column)), len(columns))
            had = {key for column in columns for key in column if key in self._memory}
            for key in had:
                self._memory.move_to_end(key)
        if own == len(columns) and not self.version.whole:
            return own, own
        if self.version.whole:
            keys = [key for row in rows for key in row]
        else:
            keys = [key for column in columns[own:] for key in column]
        asked = _Asked(keys, had, columns)
        self._asked.put(asked)
        os.eventfd_write(self._wake_lookups, 1)
        assert asked.done.wait(60), "the adapter did not answer"
        return asked.hits, own

    def _has(self, column: Sequence[Any]) -> bool:
        return all(key in self._memory for key in column)

    def _compute(self, rows: Sequence[Sequence[Any]], hits: int) -> List[threading.Event]:
        """Computes what was not found. The copies of each rank and group end on their own, each in two steps."""
        events = []
        for row in rows:
            rest = row[hits:]
            for keys in (rest[: len(rest) // 2], rest[len(rest) // 2 :]):
                new = self._write(keys)
                if new:
                    done = threading.Event()
                    self._written.put((new, done))
                    os.eventfd_write(self._wake_stores, 1)
                    events.append(done)
        return events

    def _write(self, keys: Sequence[Any]) -> Dict[Any, Memory]:
        with self._lock:
            new = {key: Memory(value_of(key, self.size)) for key in keys if key not in self._memory}
            self._memory.update(new)
            while len(self._memory) > self._capacity:
                self._memory.popitem(last=False)
            return new

    def _prefetch(self) -> None:
        lookups, loads = self.adapter.get_lookup_and_lock_event_fd(), self.adapter.get_load_event_fd()
        poll = _poll(self._wake_lookups, lookups, loads)
        pending: List[_Asked] = []
        while not self._stopped:
            for fd, _ in poll.poll(500):
                _consume(fd)
            while not self._asked.empty():
                asked = self._asked.get()
                layouts = [{0: None}] if self.version.layouts else []
                asked.task = self.adapter.submit_lookup_and_lock_task(asked.keys, *layouts)
                pending.append(asked)
            pending = [asked for asked in pending if not self._advanced(asked)]

    def _advanced(self, asked: _Asked) -> bool:
        """Moves a lookup on. Returns whether it is over."""
        if asked.loading is None:
            found = self.adapter.query_lookup_and_lock_result(asked.task)
            if found is None:
                return False
            self._plan(asked, {key for key, bit in zip(asked.keys, found.bits) if bit})
        loaded = self.adapter.query_load_result(asked.task) if asked.loading else Bitmap(0)
        if loaded is None:
            return False
        self._check(asked, loaded)
        return True

    def _plan(self, asked: _Asked, found: set) -> None:
        found_or_had = found | asked.had
        columns = asked.columns
        asked.hits = next((i for i, c in enumerate(columns) if not found_or_had.issuperset(c)), len(columns))
        usable = {key for column in columns[: asked.hits] for key in column}
        asked.loading = [key for key in asked.keys if key in usable - asked.had]
        unused = [key for key in asked.keys if key in found and key not in usable - asked.had]
        if unused:
            self.adapter.submit_unlock(unused)
        asked.objects = [Memory(b"\xee" * self.size) for _ in asked.loading]
        if asked.loading:
            asked.task = self.adapter.submit_load_task(asked.loading, asked.objects)

    def _check(self, asked: _Asked, loaded: Bitmap) -> None:
        read = set()
        for key, bit, memory in zip(asked.loading or [], loaded.bits, asked.objects):
            self.counts["lost"] += not bit
            if bit:
                read.add(key)
                self.counts["wrong"] += bytes(memory.data) != value_of(key, self.size)
        if read:
            self.adapter.submit_unlock(list(read))
        usable = read | asked.had
        asked.hits = next((i for i, c in enumerate(asked.columns) if not usable.issuperset(c)), len(asked.columns))
        asked.done.set()

    def _store(self) -> None:
        poll = _poll(self._wake_stores, self.adapter.get_store_event_fd())
        running: Dict[int, List[threading.Event]] = {}
        while not self._stopped:
            for fd, _ in poll.poll(500):
                _consume(fd)
            for task in self.adapter.pop_completed_store_tasks():
                for event in running.pop(task):
                    event.set()
            shapes: Dict[Any, Any] = {}
            while not self._written.empty():
                # What was written since the last time is stored together, if it has the same shape.
                new, event = self._written.get()
                first = next(iter(new))
                shapes.setdefault((first.model_name, first.kv_rank), []).append((new, event))
            for batches in shapes.values():
                objects = {key: memory for new, _ in batches for key, memory in new.items()}
                task = self.adapter.submit_store_task(list(objects), list(objects.values()))
                running[task] = [event for _, event in batches]


class _Asked:
    def __init__(self, keys: Sequence[Any], had: set, columns: Sequence[Any]) -> None:
        self.keys = list(keys)
        self.had = had
        self.columns = columns
        self.task = -1
        self.loading: Optional[List[Any]] = None
        self.objects: List[Memory] = []
        self.hits = 0
        self.done = threading.Event()


def _event() -> int:
    return os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)


def _poll(*fds: int) -> Any:
    poll = select.poll()
    for fd in fds:
        poll.register(fd, select.POLLIN)
    return poll


def _consume(fd: int) -> None:
    with contextlib.suppress(BlockingIOError):
        os.eventfd_read(fd)
