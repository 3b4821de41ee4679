"""Serves random requests with vLLM's own tiering manager and Ebb as its tier, in a process of its own.

VLLM_SOURCE names a checkout of vLLM. Of it, only ``vllm/v1/kv_offload`` is imported; all else has members that do
nothing, so that neither a GPU nor vLLM's libraries are needed.
"""

from __future__ import annotations

import dataclasses
import importlib.abc
import importlib.machinery
import inspect
import mmap
import os
import pathlib
import random
import sys
import time
import types
from typing import Any, Dict, List, Set, Tuple
from unittest import mock

import numpy as np

from tests.vllm_engine import SIZE, key, spec, value

_REAL = "vllm.v1.kv_offload"
# Tests of vLLM use these too.
_CONNECTOR = "vllm.distributed.kv_transfer.kv_connector.v1.offloading"


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, root: pathlib.Path) -> None:
        self._root = root

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name.partition(".")[0] != "vllm":
            return None
        file = self._root / pathlib.Path(*name.split("."))
        if name.startswith((_REAL + ".", _CONNECTOR + ".")) and file.with_suffix(".py").is_file():
            return importlib.util.spec_from_file_location(name, file.with_suffix(".py"))
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> Any:
        module = types.ModuleType(spec.name)
        # Annotations of vLLM's classes may combine these with other types.
        module.__getattr__ = lambda name: type(name, (), {}) if name[:1].isupper() else mock.MagicMock()
        return module

    def exec_module(self, module: Any) -> None:
        pass


def install() -> None:
    """Lets Python import vLLM's modules from the checkout."""
    typing_extensions = importlib.import_module("typing_extensions")
    # Python 3.12 and newer versions of the library have it.
    vars(typing_extensions).setdefault("override", lambda method: method)
    sys.meta_path.insert(0, _Finder(pathlib.Path(os.environ["VLLM_SOURCE"])))
    importlib.import_module("vllm.distributed.kv_transfer.kv_connector.v1.metrics").KVConnectorStats = _Stats


def primary(rows: int) -> Tuple[Any, np.ndarray]:
    """Returns vLLM's manager of its host memory, with some chunks of SIZE bytes, and this memory."""
    tiering = importlib.import_module(f"{_REAL}.tiering.manager")
    # Begins at a page, as vLLM's.
    memory = np.frombuffer(mmap.mmap(-1, rows * SIZE), np.int8).reshape(rows, SIZE)
    region = mock.MagicMock(create_kv_memoryview=lambda: memoryview(memory))
    manager = tiering.CPUPrimaryTierOffloadingManager
    count = {"num_chunks", "num_blocks"} & set(inspect.signature(manager.__init__).parameters)
    return manager(mmap_region=region, **{count.pop(): rows}), memory.view(np.uint8)


def ebb(host: Any, url: str) -> Any:
    """Returns Ebb's tier for vLLM's host memory, made by vLLM."""
    factory = importlib.import_module(f"{_REAL}.tiering.factory").SecondaryTierFactory
    settings = {"type": "EbbSecondaryTier", "module_path": "ebb_kv.vllm", "url": url, "timeout": 60}
    return factory.create_secondary_tier(settings, host.get_kv_memoryview(), spec())


def files(view: memoryview, folder: str) -> Any:
    """Returns vLLM's tier of files. It has no code in C here, only that in Python."""
    for module in ("io", "manager"):
        members = vars(importlib.import_module(f"{_REAL}.tiering.fs.{module}"))
        members.update({name: False for name in members if name.startswith("_HAS_")})
    manager = importlib.import_module(f"{_REAL}.tiering.fs.manager")
    return manager.FileSystemTierManager(offloading_spec(), view, "fs", root_dir=folder)


def offloading_spec() -> Any:
    """Returns a configuration with the types of vLLM, which its own tiers want."""
    config = importlib.import_module(f"{_REAL}.config")
    values: Dict[str, Any] = {"name": "m", "dtype": "bfloat16", "engine_id": "e", "groups": ()}
    values.update(extra_config={}, canonical_layout=None, data_parallel_rank_local=None)

    def made(of: Any) -> Any:
        known = {field.name: values.get(field.name, 1) for field in dataclasses.fields(of)}
        for part in ("model", "cache", "parallel"):
            if part in known:
                known[part] = made(getattr(config, f"Offloading{part.title()}Config"))
        known.update({name: False for name in known if name.startswith(("enable_", "is_", "replicated_"))})
        return of(**known)

    return types.SimpleNamespace(config=made(config.OffloadingConfig), blocks_per_chunk=1)


@dataclasses.dataclass
class _Stats:
    """What vLLM's statistics of connectors have in common."""

    data: Dict[str, Any] = dataclasses.field(default_factory=dict)

    def is_empty(self) -> bool:
        return not self.data


def main(url: str, requests: int = 1500, rows: int = 40) -> None:
    install()
    base = importlib.import_module(f"{_REAL}.base")
    tiering = importlib.import_module(f"{_REAL}.tiering.manager")
    host, memory = primary(rows)
    manager = tiering.TieringOffloadingManager(primary_tier=host, secondary_tiers=[ebb(host, url)])
    stored: Set[bytes] = set()
    counts = _serve(base, manager, memory, requests, stored)
    manager.reset_cache()
    again = _serve(base, manager, memory, min(requests, 1500), stored)
    manager.shutdown()
    print(f"chunks {counts['chunks']} hits {counts['hits']} aborted {counts['aborted']} again {again['hits']}")


def _serve(base: Any, manager: Any, memory: np.ndarray, requests: int, stored: Set[bytes]) -> Dict[str, int]:
    """Serves random requests.

    :param stored: the model: all chunks that were ever stored, with the bytes that follow from their key
    """
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
            elif not _step(base, manager, memory, *request, counts, stored):
                continue
            running.remove(request)
            manager.on_request_finished(request[0])
        manager.on_schedule_end(base.ScheduleEndContext(new_req_ids=(), preempted_req_ids=()))
        # The model computes.
        time.sleep(0.001)
    return counts


def lookup(base: Any, manager: Any, context: Any, prompt: List[bytes]) -> List[Any]:
    """Looks chunks up until one is missing, as vLLM's scheduler does."""
    results: List[Any] = []
    for end, each in enumerate(prompt):
        if hasattr(context, "set_offload_key_position"):
            context.set_offload_key_position(each, end)
        results.append(manager.lookup(each, context))
        if results[-1] is base.LookupResult.MISS:
            break
    return results


def _step(
    base: Any, manager: Any, memory: np.ndarray, context: Any, prompt: List[bytes], counts: Any, model: Set[bytes]
) -> bool:
    results = lookup(base, manager, context, prompt)
    if {base.LookupResult.RETRY, base.LookupResult.HIT_PENDING} & set(results):
        return False
    hits = results.count(base.LookupResult.HIT)
    found, computed = prompt[:hits], prompt[hits:]
    if not model.issuperset(found):
        raise AssertionError("a chunk was found that was never stored")
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
        model.update(stored.keys_to_store)
        manager.complete_store(stored.keys_to_store, context)
    counts["chunks"] += len(prompt)
    counts["hits"] += hits
    return True


def _rows(spec: Any) -> Any:
    return spec.chunk_ids if hasattr(spec, "chunk_ids") else spec.block_ids


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
