"""Sends a trace to a running Ebb as servers of LMCache with the L2 adapter do, and reports the prefix hits.

``PYTHONPATH=src python3 -m tests.trace_mp conversation_trace.jsonl.gz --url redis://127.0.0.1:6380 --speed 20``
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List

from ebb_kv import Ebb
from ebb_kv.lmcache_prompts import name_of
from tests.multiprocess import MIDDLE, NEWEST, Key, Lmcache, kv_rank


def main() -> None:
    options = _options()
    with gzip.open(options.trace, "rt") as lines:
        requests = [json.loads(line) for line in lines][: options.limit]
    version = MIDDLE if options.suffix else NEWEST
    lmcaches = [Lmcache(version, version.adapter(url=options.url), options.memory) for _ in range(options.servers)]
    start = time.monotonic()
    # Each server gets its requests in order, one at a time.
    workers = [ThreadPoolExecutor(1) for _ in lmcaches]
    for i, request in enumerate(requests):
        time.sleep(max(0.0, start + request["timestamp"] / 1000 / options.speed - time.monotonic()))
        workers[i % len(workers)].submit(lmcaches[i % len(workers)].request, [keys_of(request)])
    for worker in workers:
        worker.shutdown()
    seconds = time.monotonic() - start
    for lmcache in lmcaches:
        lmcache.close()
    counts = {what: sum(each.counts[what] for each in lmcaches) for what in lmcaches[0].counts}
    print(json.dumps({**counts, "hit ratio": counts["hits"] / counts["chunks"], "seconds": seconds}))
    print(json.dumps(reachable(options.url, requests)))


def _options() -> Any:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace")
    parser.add_argument("--url", default="redis://127.0.0.1:6380")
    parser.add_argument("--servers", type=int, default=1, help="servers of LMCache")
    parser.add_argument("--memory", type=int, default=0, help="chunks in LMCache's own memory")
    parser.add_argument("--suffix", action="store_true", help="ask only for what follows LMCache's own chunks")
    parser.add_argument("--speed", type=float, default=1e9, help="how many times faster than in the trace")
    parser.add_argument("--limit", type=int)
    return parser.parse_args()


def keys_of(request: Dict[str, Any]) -> List[Key]:
    return [Key(i.to_bytes(16, "big"), "model", kv_rank(1, 0)) for i in request["hash_ids"]]


def reachable(url: str, requests: List[Dict[str, Any]]) -> Dict[str, int]:
    """Returns how many chunks are resident, and how many of them lack an earlier chunk of their prompt."""
    with Ebb(url) as ebb:
        resident = {name.decode() for name in ebb.redis.scan_iter(count=1000)}
    reachable = set()
    for request in requests:
        for key in keys_of(request):
            if name_of(key) not in resident:
                break
            reachable.add(name_of(key))
    return {"resident": len(resident), "unreachable": len(resident - reachable)}


if __name__ == "__main__":
    main()
