"""A secondary tier of vLLM's KV cache offloading in Ebb, for the ``TieringOffloadingSpec``."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Callable, ClassVar, Collection, Dict, Iterable, List, Optional, Sequence, Tuple

_FITS = "ebb_kv.vllm fits vLLM 0.25 to 0.32; install one of these, or another version of ebb_kv"

try:
    from vllm.v1.kv_offload import base as offload
    from vllm.v1.kv_offload.base import LookupResult, RequestOffloadingContext
    from vllm.v1.kv_offload.tiering.base import JobResult, SecondaryTierManager
except ImportError as old:
    raise ImportError(f"this vLLM has no secondary tiers with asynchronous lookups ({old}); {_FITS}") from old

from ebb_kv.chains import Chains
from ebb_kv.client import Ebb, Item
from ebb_kv.fronts import Fronts
from ebb_kv.reachability import Reachability
from ebb_kv.vllm_keys import ChunkKeys, adapter_of, group_of
from ebb_kv.vllm_lookups import Asked, Lookups

_RESULT_FIELDS = frozenset(getattr(JobResult, "__dataclass_fields__", ()))
# Stores that wait pin chunks of vLLM's host memory, so no more than this part of it may wait.
_WAITING_SHARE = 4


class EbbSecondaryTier(SecondaryTierManager):
    """Stores and loads chunks straight between vLLM's host memory and Ebb.

    vLLM calls all methods in its scheduler, so none waits for the server but :meth:`drain_jobs` and :meth:`shutdown`.
    While the server is away, lookups find nothing and stores fail.
    """

    # Older versions have no media.
    medium: ClassVar[Any] = getattr(getattr(offload, "Medium", None), "STORAGE", None)

    def __init__(
        self,
        offloading_spec: Any,
        primary_kv_view: memoryview,
        tier_type: str,
        url: str = "redis://127.0.0.1:6380",
        shared_memory: bool = True,
        tenant: Optional[str] = None,
        tag: Optional[str] = None,
        threads: int = 2,
        timeout: float = 10,
        locality: Optional[str] = None,
        backpressure_detector: Any = None,
        **unknown: Any,
    ) -> None:
        """Connects when the first chunk is looked up or stored.

        :param tag: deployments with different tags share no chunks
        :param threads: how many load, and as many store
        :param timeout: seconds to wait for a reply
        :param locality: ``LOCAL`` or ``REMOTE``, by which requests choose tiers; older versions have none
        :param backpressure_detector: of vLLM: measures how long stores take; older versions have none
        """
        if unknown:
            raise ValueError(
                f"unknown settings '{', '.join(sorted(unknown))}' of the tier '{tier_type}'; "
                "allowed: url, shared_memory, tenant, tag, threads, timeout, locality"
            )
        given = {} if backpressure_detector is None else {"backpressure_detector": backpressure_detector}
        super().__init__(offloading_spec=offloading_spec, primary_kv_view=primary_kv_view, tier_type=tier_type, **given)
        if locality is not None:
            self.locality = offload.Locality(locality)
        if not hasattr(offloading_spec, "config"):
            raise ImportError(f"this vLLM tells secondary tiers nothing of the model; {_FITS}")
        if not primary_kv_view.c_contiguous:
            raise ValueError("vLLM's host memory is not contiguous, so its chunks cannot be loaded in place")
        self._view: Optional[memoryview] = primary_kv_view
        row_bytes = primary_kv_view.nbytes // primary_kv_view.shape[0] if primary_kv_view.shape else 0
        self._row_bytes = row_bytes
        self._most_waiting = max(primary_kv_view.nbytes // _WAITING_SHARE, row_bytes)
        self._keys = ChunkKeys(offloading_spec, row_bytes, tag)
        self._ebb = Ebb(url, shared_memory, socket_timeout=float(timeout))
        self._chains = Chains(self._ebb, tenant)
        self._fronts = Fronts()
        self._server = Reachability(url.rpartition("@")[2])
        self._asking = ThreadPoolExecutor(1, "ebb-lookup")
        self._loading = ThreadPoolExecutor(threads, "ebb-load")
        self._storing = ThreadPoolExecutor(threads, "ebb-store")
        self._lookups = Lookups(self._asking, self._find)
        # The ends of the keys of requests that name a LoRA adapter.
        self._adapters: Dict[str, str] = {}
        # The KV hints of requests that have looked nothing up yet.
        self._hints: Dict[str, Any] = {}
        self._touched: List[Tuple[bytes, str]] = []
        self._jobs: Dict[int, _Job] = {}
        self._refused: List[Any] = []
        self._waiting = 0
        self._watch_pressure()

    def lookup(self, key: bytes, req_context: Any) -> LookupResult:
        position = getattr(req_context, "get_offload_key_position", lambda _: None)(key)
        found = self._lookups.look_up(key, req_context.req_id, position)
        if found is None:
            return LookupResult.RETRY
        return LookupResult.HIT if found else LookupResult.MISS

    def submit_load(self, job_metadata: Any) -> None:
        self._submit(job_metadata, self._loading, self._load, True)

    def submit_store(self, job_metadata: Any) -> None:
        size = len(job_metadata.keys) * self._row_bytes
        if self._waiting and self._waiting + size > self._most_waiting:
            self._refused.append(JobResult(job_id=job_metadata.job_id, success=False))
            return
        self._waiting += size
        self._submit(job_metadata, self._storing, self._store, False)

    def get_finished_jobs(self) -> Iterable[Any]:
        finished, self._refused = self._refused, []
        for id in [id for id, job in self._jobs.items() if job.future.done()]:
            finished.append(self._finished(id, self._jobs.pop(id)))
        return finished

    def touch(self, keys: Collection[bytes], req_context: Any) -> None:
        adapter = adapter_of(req_context)
        self._touched += [(key, adapter) for key in keys]

    def on_new_request(self, req_context: Any) -> Any:
        adapter = adapter_of(req_context)
        if adapter:
            self._adapters[req_context.req_id] = adapter
        # Older versions have no hints.
        hints = getattr(req_context, "kv_hints", None)
        if hints is not None:
            self._hints[req_context.req_id] = hints
        return RequestOffloadingContext()

    def on_request_finished(self, req_context: Any) -> None:
        self._hints.pop(req_context.req_id, None)
        self._adapters.pop(req_context.req_id, None)
        self._lookups.forget(req_context.req_id)

    def on_schedule_end(self, context: Any = None) -> None:
        self._lookups.flush()
        touched, self._touched = self._touched, []
        if touched:
            self._asking.submit(self._use, touched)

    def drain_jobs(self) -> None:
        wait([job.future for job in self._jobs.values()])

    def shutdown(self) -> None:
        # vLLM frees its host memory after this, so transfers must have ended.
        for executor in (self._asking, self._loading, self._storing):
            executor.shutdown(cancel_futures=True)
        self._ebb.close()
        self._jobs.clear()
        self._view = None

    def _watch_pressure(self) -> None:
        """Lets a vLLM measure how long stores take that drops stores to slow tiers, but passes no detector to them."""
        passed = isinstance(getattr(type(self), "bp_detector", None), property)
        if not passed and getattr(self, "bp_detector", self) is None:
            from vllm.v1.kv_offload.tiering.backpressure import EMABackpressureDetector

            self.bp_detector = EMABackpressureDetector()

    def _submit(self, metadata: Any, executor: ThreadPoolExecutor, action: _Action, load: bool) -> None:
        keys = list(metadata.keys)
        rows = metadata.chunk_ids if hasattr(metadata, "chunk_ids") else metadata.block_ids
        job = _Job(keys, load, adapter_of(getattr(metadata, "req_context", None)))
        job.future = executor.submit(job.run, action, [int(row) for row in rows])
        if load:
            # On the thread of the job, while the scheduler goes on.
            job.future.add_done_callback(lambda _: self._ebb.flush())
        self._jobs[metadata.job_id] = job

    def _finished(self, id: int, job: _Job) -> Any:
        done = [False] * len(job.keys) if job.future.cancelled() else job.future.result()
        kept = [key for key, each in zip(job.keys, done) if each]
        if job.load:
            self._lookups.learn([key for key, each in zip(job.keys, done) if not each], False)
        else:
            self._waiting -= len(job.keys) * self._row_bytes
            self._lookups.learn(kept, True)
        size = len(kept) * self._row_bytes
        facts = {"transfer_size": size, "transfer_bytes": size, "transfer_time": job.seconds}
        facts["successful_keys"] = tuple(kept) if job.load and not all(done) and kept else None
        known = {name: fact for name, fact in facts.items() if name in _RESULT_FIELDS}
        return JobResult(job_id=id, success=all(done), **known)

    def _load(self, job: _Job, rows: Sequence[int]) -> List[bool]:
        items = self._items(job, rows)
        return self._server.run("read", lambda: self._ebb.get_many_into(items, flush=False), [False] * len(items))

    def _store(self, job: _Job, rows: Sequence[int]) -> List[bool]:
        items = self._items(job, rows)
        return [self._server.run("store", lambda: self._stored(items), False)] * len(items)

    def _stored(self, items: Sequence[Item]) -> bool:
        self._ebb.set_many(items)
        self._chains.stored([name for name, _ in items])
        return True

    def _items(self, job: _Job, rows: Sequence[int]) -> List[Item]:
        memory, size = self._view.cast("B"), self._row_bytes
        return [
            (self._keys.of(key, job.adapter), [memory[row * size : (row + 1) * size]])
            for key, row in zip(job.keys, rows)
        ]

    def _find(self, request: str, asked: Sequence[Asked]) -> Sequence[bool]:
        hints, adapter = self._hints.pop(request, None), self._adapters.get(request, "")
        return self._server.run("look up", lambda: self._found(asked, hints, adapter), [False] * len(asked))

    def _found(self, asked: Sequence[Asked], hints: Any, adapter: str) -> List[bool]:
        """Looks keys up, and states the order of those of the group that asks for most: it needs the whole prompt."""
        names = [self._keys.of(key, adapter) for key, _ in asked]
        groups: Dict[bytes, List[Tuple[int, str]]] = {}
        for place, ((key, position), name) in enumerate(zip(asked, names)):
            groups.setdefault(group_of(key), []).append((place if position is None else position, name))
        chain = [name for _, name in sorted(max(groups.values(), key=len))]
        return self._chains.look_up_all(
            self._fronts.complete(chain), names, hints=hints, chunk_tokens=self._keys.chunk_tokens
        )[1]

    def _use(self, touched: Sequence[Tuple[bytes, str]]) -> None:
        names = [self._keys.of(key, adapter) for key, adapter in touched]
        self._server.run("use", lambda: self._ebb.touch(names), None)


class _Job:
    """A transfer that vLLM has submitted."""

    future: Future[List[bool]]

    def __init__(self, keys: List[bytes], load: bool, adapter: str) -> None:
        self.keys = keys
        self.load = load
        self.adapter = adapter
        self.seconds: Optional[float] = None
        self._submitted = time.monotonic()

    def run(self, action: _Action, rows: Sequence[int]) -> List[bool]:
        try:
            return action(self, rows) if self.keys else []
        except Exception:
            # vLLM computes these chunks again.
            return [False] * len(self.keys)
        finally:
            self.seconds = time.monotonic() - self._submitted


_Action = Callable[[_Job, Sequence[int]], List[bool]]

_lacking = sorted(EbbSecondaryTier.__abstractmethods__)
if _lacking:
    raise ImportError(f"this vLLM asks secondary tiers for {', '.join(_lacking)}, which ebb_kv lacks; {_FITS}")
