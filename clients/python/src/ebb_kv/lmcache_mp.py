"""Storage of LMCache's multiprocess mode in Ebb: an L2 adapter that LMCache loads by this module's name."""

from __future__ import annotations

import importlib
import itertools
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from ebb_kv import buffers
from ebb_kv.client import Ebb
from ebb_kv.lmcache_prompts import Prompts, name_of
from ebb_kv.reachability import Reachability
from ebb_kv.lmcache_settings import Settings
from ebb_kv.lmcache_tasks import Countdown, Results

_FITS = "ebb_kv fits LMCache 0.4.4 to 0.5.6"
# A task's values are copied in parts of at most so many bytes and keys, by several threads.
_PART_BYTES = 32 << 20
_PART_KEYS = 64

try:
    from lmcache.v1.distributed.l2_adapters.base import L2AdapterInterface
except ImportError as missing:
    raise ImportError(f"LMCache has no L2 adapters ({missing}); {_FITS}") from missing


def _first(name: str, *modules: str) -> Any:
    for module in modules:
        try:
            return getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            continue
    raise ImportError(f"LMCache has no '{name}' in {' or '.join(modules)}; {_FITS}")


_Bitmap = _first("Bitmap", "lmcache.lmcache_native", "lmcache.native_storage_ops")
# The first versions only report whether a task has succeeded.
_store_result: Callable[[bool, int], Any] = getattr(
    importlib.import_module("lmcache.v1.distributed.internal_api"), "L2StoreResult", lambda success, _: success
)

_Part = List[Tuple[str, List[memoryview]]]


class EbbL2Adapter(L2AdapterInterface):
    """Stores each object of LMCache as one value, under the key that LMCache's RESP adapter uses.

    What fails is a miss for the engine, never an error. Ebb protects what a lookup found from eviction for some
    seconds, so there is nothing to unlock.
    """

    def __init__(self, adapter_params: Optional[Dict[str, Any]] = None, **_: Any) -> None:
        super().__init__()
        settings = Settings.of({} if adapter_params is None else adapter_params)
        self._address = settings.address
        self._ebb = Ebb(settings.url, settings.shared_memory, **settings.options())
        self._server = Reachability(settings.address)
        self._prompts = Prompts(self._ebb, settings.tenant)
        self._tasks = itertools.count()
        self._stored, self._found, self._loaded = Results(), Results(), Results()
        self._lookups = ThreadPoolExecutor(1, "ebb-lookup")
        self._loads = ThreadPoolExecutor(settings.threads, "ebb-load")
        self._stores = ThreadPoolExecutor(settings.threads, "ebb-store")

    def get_store_event_fd(self) -> int:
        return self._stored.fd

    def get_lookup_and_lock_event_fd(self) -> int:
        return self._found.fd

    def get_load_event_fd(self) -> int:
        return self._loaded.fd

    def submit_lookup_and_lock_task(self, keys: List[Any], *_layouts: Any, **_more: Any) -> int:
        task = next(self._tasks)
        self._lookups.submit(self._look_up, task, list(keys))
        return task

    def query_lookup_and_lock_result(self, task_id: int) -> Any:
        return self._found.pop(task_id)

    def submit_unlock(self, keys: List[Any]) -> None:
        pass

    def submit_load_task(self, keys: List[Any], objects: List[Any]) -> int:
        task = next(self._tasks)
        loaded = [False] * len(keys)
        done = lambda: self._loaded.put(task, _bitmap(loaded))  # noqa: E731
        self._split(self._loads, keys, objects, done, lambda at, part: self._load(at, part, loaded))
        return task

    def query_load_result(self, task_id: int) -> Any:
        return self._loaded.pop(task_id)

    def submit_store_task(self, keys: List[Any], objects: List[Any]) -> int:
        task = next(self._tasks)
        stored: List[int] = []
        done = lambda: self._stored.put(task, _store_result(len(stored) == len(keys), sum(stored)))  # noqa: E731
        self._split(self._stores, keys, objects, done, lambda _, part: self._store(part, stored))
        return task

    def pop_completed_store_tasks(self) -> Dict[int, Any]:
        return self._stored.pop_all()

    def delete(self, keys: List[Any]) -> None:
        names = [name_of(key) for key in keys]
        if self._server.run("delete", lambda: self._ebb.delete(*names) >= 0, False):
            for listener in getattr(self, "_listeners", []):
                listener.on_l2_keys_deleted(keys)

    def report_status(self) -> Dict[str, Any]:
        return {"is_healthy": self._server.reached, "type": type(self).__name__, "server": self._address}

    def close(self) -> None:
        # Ends what waits for the server. LMCache frees the buffers after this.
        self._ebb.close()
        for executor in (self._lookups, self._loads, self._stores):
            executor.shutdown(cancel_futures=True)
        for results in (self._stored, self._found, self._loaded):
            results.close()

    def _look_up(self, task: int, keys: Sequence[Any]) -> None:
        missing = [False] * len(keys)
        self._found.put(task, _bitmap(self._server.run("look up", lambda: self._prompts.look_up(keys), missing)))

    def _load(self, at: int, part: _Part, loaded: List[bool]) -> None:
        missing = [False] * len(part)
        loaded[at : at + len(part)] = self._server.run("read", lambda: self._ebb.get_many_into(part), missing)

    def _store(self, part: _Part, stored: List[int]) -> None:
        if self._server.run("store", lambda: self._placed(part), False):
            stored += [sum(piece.nbytes for piece in pieces) for _, pieces in part]

    def _placed(self, part: _Part) -> bool:
        self._ebb.set_many(part)
        self._prompts.stored([name for name, _ in part])
        return True

    def _split(
        self,
        executor: Executor,
        keys: Sequence[Any],
        objects: Sequence[Any],
        done: Callable[[], None],
        action: Callable[[int, _Part], None],
    ) -> None:
        """Calls an action for parts of a task, each with the index of its first key, and then another function."""
        parts: List[_Part] = [[]]
        try:
            parts = _parts([(name_of(key), [buffers.view(each.byte_array)]) for key, each in zip(keys, objects)])
        except Exception as wrong:
            self._server.log(f"cannot use LMCache's buffers: {wrong}")
        countdown = Countdown(len(parts), done)

        def run(at: int, part: _Part) -> None:
            action(at, part)
            countdown.ended()

        at = 0
        for part in parts:
            executor.submit(run, at, part)
            at += len(part)


def _parts(items: _Part) -> List[_Part]:
    parts: List[_Part] = [[]]
    size = 0
    for item in items:
        bytes_of_item = sum(piece.nbytes for piece in item[1])
        if parts[-1] and (len(parts[-1]) == _PART_KEYS or size + bytes_of_item > _PART_BYTES):
            parts.append([])
            size = 0
        parts[-1].append(item)
        size += bytes_of_item
    return parts


def _bitmap(bits: Sequence[bool]) -> Any:
    bitmap = _Bitmap(len(bits))
    for i, bit in enumerate(bits):
        if bit:
            bitmap.set(i)
    return bitmap


_lacking = sorted(EbbL2Adapter.__abstractmethods__)
if _lacking:
    raise ImportError(f"this LMCache asks L2 adapters for {', '.join(_lacking)}, which ebb_kv lacks; {_FITS}")
