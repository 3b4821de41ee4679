"""Serves random requests with vLLM's own tiering manager and Ebb as its tier, in a process of its own.

VLLM_SOURCE names a checkout of vLLM. Of it, only ``vllm/v1/kv_offload`` is imported; all else has members that do
nothing, so that neither a GPU nor vLLM's libraries are needed.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import inspect
import os
import pathlib
import random
import sys
import time
import types
from typing import Any, Dict, List
from unittest import mock

import numpy as np

from tests.vllm_engine import SIZE, key, spec, value

_REAL = "vllm.v1.kv_offload"


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, root: pathlib.Path) -> None:
        self._root = root

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name.partition(".")[0] != "vllm":
            return None
        file = self._root / pathlib.Path(*name.split("."))
        if name.startswith(_REAL + ".") and file.with_suffix(".py").is_file():
            return importlib.util.spec_from_file_location(name, file.with_suffix(".py"))
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> Any:
        module = types.ModuleType(spec.name)
        # Annotations of vLLM's classes may combine these with other types.
        module.__getattr__ = lambda name: type(name, (), {}) if name[:1].isupper() else mock.MagicMock()
        return module

    def exec_module(self, module: Any) -> None:
        pass


def main(url: str, rows: int = 40, requests: int = 1500) -> None:
    typing_extensions = importlib.import_module("typing_extensions")
    # Python 3.12 and newer versions of the library have it.
    vars(typing_extensions).setdefault("override", lambda method: method)
    sys.meta_path.insert(0, _Finder(pathlib.Path(os.environ["VLLM_SOURCE"])))
    from ebb_kv.vllm import EbbSecondaryTier

    base = importlib.import_module(f"{_REAL}.base")
    tiering = importlib.import_module(f"{_REAL}.tiering.manager")
    memory = np.zeros((rows, SIZE), np.int8)
    region = mock.MagicMock(create_kv_memoryview=lambda: memoryview(memory))
    primary = tiering.CPUPrimaryTierOffloadingManager
    count = {"num_chunks", "num_blocks"} & set(inspect.signature(primary.__init__).parameters)
    host = primary(mmap_region=region, **{count.pop(): rows})
    tier = EbbSecondaryTier(spec(), host.get_kv_memoryview(), "EbbSecondaryTier", url=url, timeout=60)
    manager = tiering.TieringOffloadingManager(primary_tier=host, secondary_tiers=[tier])
    counts = _serve(base, manager, memory.view(np.uint8), requests)
    manager.reset_cache()
    again = _serve(base, manager, memory.view(np.uint8), requests)
    manager.shutdown()
    print(f"chunks {counts['chunks']} hits {counts['hits']} aborted {counts['aborted']} again {again['hits']}")


def _serve(base: Any, manager: Any, memory: np.ndarray, requests: int) -> Dict[str, int]:
    generator = random.Random(9)
    prompts = [[key(i // 5, j) if j < 4 else key(i, j) for j in range(12)] for i in range(40)]
    counts = {"chunks": 0, "hits": 0, "aborted": 0}
    running: List[Any] = []
    started = 0
    while started < requests or running or manager.has_pending_work():
        while len(running) < 5 and started < requests:
            prompt = generator.choice(prompts)[: generator.randint(1, 12)]
            request = (base.ReqContext(req_id=f"r{started}"), prompt)
            manager.on_new_request(request[0])
            running.append(request)
            started += 1
        for request in list(running):
            if generator.random() < 0.02:
                counts["aborted"] += 1
            elif not _step(base, manager, memory, *request, counts):
                continue
            running.remove(request)
            manager.on_request_finished(request[0])
        manager.on_schedule_end(base.ScheduleEndContext(new_req_ids=(), preempted_req_ids=()))
        # The model computes.
        time.sleep(0.001)
    return counts


def _step(base: Any, manager: Any, memory: np.ndarray, context: Any, prompt: List[bytes], counts: Any) -> bool:
    results = []
    for end, each in enumerate(prompt):
        if hasattr(context, "set_offload_key_position"):
            context.set_offload_key_position(each, end)
        results.append(manager.lookup(each, context))
        if results[-1] is base.LookupResult.MISS:
            break
    if {base.LookupResult.RETRY, base.LookupResult.HIT_PENDING} & set(results):
        return False
    hits = results.count(base.LookupResult.HIT)
    found, computed = prompt[:hits], prompt[hits:]
    if found:
        for each, row in zip(found, _rows(manager.prepare_load(found, context))):
            if memory[row].tobytes() != value(each):
                raise AssertionError(f"chunk '{each.hex()}' has other bytes")
        manager.complete_load(found, context)
        manager.touch(found, context)
    stored = manager.prepare_store(computed, context) if computed else None
    if stored is not None and stored.keys_to_store:
        for each, row in zip(stored.keys_to_store, _rows(stored.store_spec)):
            memory[row] = np.frombuffer(value(each), np.uint8)
        manager.complete_store(stored.keys_to_store, context)
    counts["chunks"] += len(prompt)
    counts["hits"] += hits
    return True


def _rows(spec: Any) -> Any:
    return spec.chunk_ids if hasattr(spec, "chunk_ids") else spec.block_ids


if __name__ == "__main__":
    main(sys.argv[1])
