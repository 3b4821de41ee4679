"""A scheduler with vLLM's tiered offloading: its host memory, and the order in which its manager calls a tier."""

from __future__ import annotations

import abc
import dataclasses
import enum
import hashlib
import importlib
import random
import sys
import time
import types
from typing import Any, Dict, List, Optional

import numpy as np

SIZE = 4096


def install() -> types.ModuleType:
    """Provides vLLM's modules with the members that a tier uses, and returns Ebb's tier."""
    if "vllm" not in sys.modules:
        names = ["vllm", "vllm.v1", "vllm.v1.kv_offload", "vllm.v1.kv_offload.base"]
        names += ["vllm.v1.kv_offload.tiering", "vllm.v1.kv_offload.tiering.base"]
        for name in names:
            parent, _, own = name.rpartition(".")
            module = sys.modules[name] = types.ModuleType(name)
            module.__path__ = []
            if parent:
                setattr(sys.modules[parent], own, module)
        base, tiering = (sys.modules[f"vllm.v1.kv_offload.{name}"] for name in ("base", "tiering.base"))
        base.LookupResult, base.RequestOffloadingContext = LookupResult, RequestContext
        tiering.JobResult, tiering.SecondaryTierManager = JobResult, SecondaryTier
    return importlib.import_module("ebb_kv.vllm")


class LookupResult(enum.Enum):
    MISS = enum.auto()
    HIT = enum.auto()
    HIT_PENDING = enum.auto()
    RETRY = enum.auto()


@dataclasses.dataclass
class RequestContext:
    policy: str = "chunk_level"


@dataclasses.dataclass
class JobResult:
    job_id: int
    success: bool
    successful_keys: Optional[tuple] = None
    transfer_size: Optional[int] = None
    transfer_time: Optional[float] = None


class SecondaryTier(abc.ABC):
    def __init__(self, offloading_spec, primary_kv_view, tier_type):
        self.tier_type = tier_type

    @abc.abstractmethod
    def lookup(self, key, req_context): ...

    @abc.abstractmethod
    def submit_store(self, job_metadata): ...

    @abc.abstractmethod
    def submit_load(self, job_metadata): ...

    @abc.abstractmethod
    def get_finished_jobs(self): ...

    @abc.abstractmethod
    def on_new_request(self, req_context): ...

    @abc.abstractmethod
    def drain_jobs(self): ...


def spec(**changed: Any) -> Any:
    """Returns the part of vLLM's configuration that tiers read."""
    space = types.SimpleNamespace
    values = dict(model="meta-llama/Llama-3.1-8B", dtype="bfloat16", tokens=16, blocks=1, tp=1, groups=1, agnostic=False)
    values.update(changed)
    parallel = space(tp_size=values["tp"], pp_size=1, pcp_size=1, dcp_size=1, is_parallelism_agnostic=values["agnostic"])
    groups = tuple(space(tokens_per_block=16, layer_names=(f"layers.{i}",)) for i in range(values["groups"]))
    return space(
        config=space(
            model=space(name=values["model"], dtype=values["dtype"]),
            cache=space(tokens_per_hash=values["tokens"], blocks_per_chunk=values["blocks"]),
            parallel=parallel,
            groups=groups,
        )
    )


def key(*parts: Any, group: int = 0) -> bytes:
    """Returns vLLM's key of a chunk."""
    return hashlib.sha256(repr(parts).encode()).digest() + group.to_bytes(4, "big")


def value(of: bytes, size: int = SIZE) -> bytes:
    return hashlib.shake_128(of).digest(size)


class Job:
    """A transfer, with the member for rows of newer versions of vLLM or of older ones."""

    def __init__(self, job_id: int, keys: List[bytes], rows: List[int], request: Any, newer: bool = True) -> None:
        self.job_id, self.keys, self.req_context = job_id, keys, request
        setattr(self, "chunk_ids" if newer else "block_ids", np.array(rows, dtype=np.int64))


@dataclasses.dataclass
class _Slot:
    row: int
    ready: bool = False
    uses: int = 0


class Manager:
    """vLLM's manager: chunks of the tier are promoted to host memory, chunks of host memory are stored in the tier."""

    def __init__(self, make_tier: Any, rows: int, size: int = SIZE, newer: bool = True) -> None:
        self.memory = np.zeros((rows, size), np.uint8)
        self.view = memoryview(self.memory)
        self.tier = make_tier(self.view)
        self._newer = newer
        self._slots: Dict[bytes, _Slot] = {}
        self._free = list(range(rows))
        self._jobs: Dict[int, Any] = {}
        self._promotions: Dict[str, List[bytes]] = {}
        self._requests: Dict[str, Any] = {}
        self._next = 0
        self.failed = 0

    def lookup(self, key: bytes, request: Any) -> LookupResult:
        slot = self._slots.get(key)
        if slot is not None:
            return LookupResult.HIT if slot.ready else LookupResult.HIT_PENDING
        found = self.tier.lookup(key, request)
        if found is not LookupResult.HIT:
            return found
        if not self._allocate(key):
            return LookupResult.MISS
        self._promotions.setdefault(request.req_id, []).append(key)
        self._requests[request.req_id] = request
        return LookupResult.HIT_PENDING

    def read(self, keys: List[bytes]) -> None:
        """Checks chunks that a lookup has found."""
        for each in keys:
            slot = self._slots.get(each)
            if slot is not None and slot.ready and self.memory[slot.row].tobytes() != value(each, self.memory.shape[1]):
                raise AssertionError(f"chunk '{each.hex()}' has other bytes")

    def store(self, keys: List[bytes], request: Any) -> None:
        """Stores computed chunks in host memory, and from there in the tier."""
        stored = [each for each in keys if each not in self._slots and self._allocate(each)]
        for each in stored:
            slot = self._slots[each]
            self.memory[slot.row] = np.frombuffer(value(each, self.memory.shape[1]), np.uint8)
            slot.ready, slot.uses = True, 1
        if stored:
            self._submit(stored, request, False)

    def end_step(self) -> None:
        self.poll()
        promotions, self._promotions = self._promotions, {}
        for request, keys in promotions.items():
            self._submit(keys, self._requests.pop(request), True)
        self.tier.on_schedule_end(None)

    def poll(self) -> None:
        for result in self.tier.get_finished_jobs():
            keys, load = self._jobs.pop(result.job_id)
            self.failed += not result.success
            kept = set(keys) if result.success else set(result.successful_keys or ())
            for each in keys:
                if not load:
                    self._slots[each].uses -= 1
                elif each in kept:
                    self._slots[each].ready = True
                else:
                    self._free.append(self._slots.pop(each).row)

    def drain(self) -> None:
        self.tier.drain_jobs()
        self.poll()

    def evict(self) -> None:
        """Frees all host memory that no transfer uses."""
        for each in [each for each, slot in self._slots.items() if slot.ready and not slot.uses]:
            self._free.append(self._slots.pop(each).row)

    def shutdown(self) -> None:
        self.tier.shutdown()
        # vLLM does this too. It fails if the tier still uses the memory.
        self.view.release()

    def _allocate(self, key: bytes) -> bool:
        if not self._free:
            idle = next((each for each, slot in self._slots.items() if slot.ready and not slot.uses), None)
            if idle is None:
                return False
            self._free.append(self._slots.pop(idle).row)
        row = self._free.pop()
        self.memory[row] = 0
        self._slots[key] = _Slot(row)
        return True

    def _submit(self, keys: List[bytes], request: Any, load: bool) -> None:
        self._next += 1
        self._jobs[self._next] = (keys, load)
        job = Job(self._next, keys, [self._slots[each].row for each in keys], request, self._newer)
        (self.tier.submit_load if load else self.tier.submit_store)(job)


class Request:
    """A request of a random schedule, which may be preempted or aborted at any step."""

    def __init__(self, id: str, prompt: List[bytes]) -> None:
        self.context = types.SimpleNamespace(req_id=id)
        self.prompt = prompt
        self.hits = -1

    def step(self, manager: Manager) -> bool:
        """Goes on; returns whether it has completed."""
        results = []
        for each in self.prompt:
            results.append(manager.lookup(each, self.context))
            if results[-1] is LookupResult.MISS:
                break
        if any(result in (LookupResult.RETRY, LookupResult.HIT_PENDING) for result in results):
            return False
        self.hits = sum(result is LookupResult.HIT for result in results)
        manager.read(self.prompt[: self.hits])
        manager.tier.touch(self.prompt[: self.hits], self.context)
        manager.store(self.prompt[self.hits :], self.context)
        return True


def serve(manager: Manager, generator: random.Random, requests: int, prompts: List[List[bytes]]) -> Dict[str, int]:
    """Serves random prompts, several at a time, and returns what happened."""
    counts = {"chunks": 0, "hits": 0, "aborted": 0, "preempted": 0}
    running: List[Request] = []
    started = 0
    while started < requests or running:
        while len(running) < 6 and started < requests:
            prompt = generator.choice(prompts)
            request = Request(f"r{started}", prompt[: generator.randint(1, len(prompt))])
            manager.tier.on_new_request(request.context)
            running.append(request)
            started += 1
        for request in list(running):
            lot = generator.random()
            if lot < 0.02:
                counts["aborted"] += 1
            elif lot < 0.04:
                counts["preempted"] += 1
                continue
            elif not request.step(manager):
                continue
            else:
                counts["chunks"] += len(request.prompt)
                counts["hits"] += request.hits
            running.remove(request)
            manager.tier.on_request_finished(request.context)
        manager.end_step()
        # The model computes.
        time.sleep(0.001)
    return counts
