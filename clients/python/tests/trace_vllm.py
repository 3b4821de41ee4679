"""Sends a trace through vLLM's own tiering manager, with its LRU host memory, to Ebb, to vLLM's tier of files, or to
Redis.

``VLLM_SOURCE=... PYTHONPATH=src python3 -m tests.trace_vllm conversation_trace.jsonl.gz --tier unix:///run/ebb.sock``

vLLM's tier of files has no limit. Here the files unused for the longest are deleted beyond ``--chunks``, as a cleaner
beside vLLM would do. ``redis://`` stands for the commands of LMCache's Redis connector.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import json
import os
import pathlib
import time
from collections import OrderedDict
from typing import Any, Dict, List

from tests import vllm_source
from tests.vllm_engine import SIZE, key


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace")
    parser.add_argument("--tier", required=True, help="the unix:// URL of an Ebb, the redis:// URL of a Redis, or a folder")
    parser.add_argument("--rows", type=int, default=1800, help="chunks in vLLM's host memory")
    parser.add_argument("--chunks", type=int, default=18_000, help="files at most")
    parser.add_argument("--limit", type=int, help="requests")
    options = parser.parse_args()
    with gzip.open(options.trace, "rt") as lines:
        requests = [json.loads(line)["hash_ids"] for line in lines][: options.limit]
    vllm_source.install()
    base = importlib.import_module("vllm.v1.kv_offload.base")
    host, _ = vllm_source.primary(options.rows)
    files = None if "://" in options.tier else Files(options.tier, host.get_kv_memoryview(), options.chunks)
    tier = files.tier if files else _tier(host, options.tier)
    manager = importlib.import_module("vllm.v1.kv_offload.tiering.manager").TieringOffloadingManager(
        primary_tier=host, secondary_tiers=[tier]
    )
    start = time.monotonic()
    counts = {"requests": len(requests), "chunks": 0, "hits": 0}
    for number, ids in enumerate(requests):
        prompt = [key(i) for i in ids]
        counts["chunks"] += len(prompt)
        counts["hits"] += _request(base, manager, base.ReqContext(req_id=str(number)), prompt)
        if files:
            files.used(prompt)
    manager.shutdown()
    ratio = counts["hits"] / counts["chunks"]
    print(json.dumps({**counts, "hit ratio": round(ratio, 4), "seconds": round(time.monotonic() - start)}))


def _tier(host: Any, url: str) -> Any:
    if not url.startswith("redis://"):
        return vllm_source.ebb(host, url)
    tier = importlib.import_module("tests.redis_tier").RedisTier
    return tier(vllm_source.spec(), host.get_kv_memoryview(), "redis", url=url, timeout=60)


def _request(base: Any, manager: Any, context: Any, prompt: List[bytes]) -> int:
    manager.on_new_request(context)
    pending = {base.LookupResult.RETRY, base.LookupResult.HIT_PENDING}
    results: List[Any] = []
    while not results or pending & set(results):
        results = vllm_source.lookup(base, manager, context, prompt)
        _end_step(base, manager)
    hits = results.count(base.LookupResult.HIT)
    if hits:
        manager.prepare_load(prompt[:hits], context)
        manager.complete_load(prompt[:hits], context)
        manager.touch(prompt[:hits], context)
    stored = None
    while hits < len(prompt) and stored is None:
        stored = manager.prepare_store(prompt[hits:], context)
        if stored is None:
            # Host memory is full of chunks that are on their way to the tier.
            _end_step(base, manager)
    if stored is not None and stored.keys_to_store:
        manager.complete_store(stored.keys_to_store, context)
    manager.on_request_finished(context)
    _end_step(base, manager)
    return hits


def _end_step(base: Any, manager: Any) -> None:
    manager.on_schedule_end(base.ScheduleEndContext(new_req_ids=(), preempted_req_ids=()))
    time.sleep(0.0002)


class Files:
    """vLLM's tier of files, and a cleaner."""

    def __init__(self, folder: str, view: memoryview, most: int) -> None:
        self.tier = vllm_source.files(view, folder)
        self._most = most
        self._used: OrderedDict[bytes, None] = OrderedDict()

    def used(self, prompt: List[bytes]) -> None:
        for each in reversed(prompt):
            self._used[each] = None
            self._used.move_to_end(each)
        while len(self._used) > self._most:
            path = pathlib.Path(self.tier.file_mapper.get_file_name(self._used.popitem(last=False)[0]))
            path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
