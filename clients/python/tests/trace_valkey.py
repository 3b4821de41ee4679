"""Sends a trace to a running server with the commands of LMCache's Valkey adapter, and reports the prefix hits.

Each key is a task of its own for eight threads with a connection each, so that it is sent over any that is free.
``PYTHONPATH=src python3 -m tests.trace_valkey conversation_trace.jsonl.gz --url redis://127.0.0.1:6380 --speed 20``
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import itertools
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable, List
from urllib.parse import urlsplit

from ebb_kv.lmcache_prompts import name_of
from tests.trace_mp import keys_of, reachable

_THREADS = 8
_VALUE_BYTES = 4096


class Adapter:
    """The worker pool of the adapter, and what it knows of each value."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._address = (parts.hostname, parts.port)
        self._own = threading.local()
        self._pool = ThreadPoolExecutor(_THREADS)
        self.lost = 0

    def serve(self, names: List[str]) -> int:
        """Looks a prompt up, reads what was found and stores the rest; returns how many leading chunks were read."""
        found = _leading(self._each(lambda name: self._send(b"EXISTS", name.encode()) == b":1", names))
        read = list(self._each(self._is_read, names[:found]))
        self.lost += read.count(False)
        list(self._each(lambda name: self._send(b"SET", name.encode(), _value(name)), names[found:]))
        return _leading(read)

    def _each(self, command: Callable[[str], Any], names: List[str]) -> Iterable[Any]:
        return self._pool.map(command, names)

    def _send(self, *words: bytes) -> Any:
        """Sends a command over this thread's connection. Costs less than redis-py, which could not keep up."""
        own = self._own
        if not hasattr(own, "socket"):
            own.socket = socket.create_connection(self._address)
            own.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            own.replies = own.socket.makefile("rb")
        own.socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
        line = own.replies.readline()
        if line[:1] == b"$":
            size = int(line[1:])
            return None if size < 0 else own.replies.read(size + 2)[:-2]
        if line[:1] not in (b"+", b":"):
            raise AssertionError(f"the server replied {line!r}")
        return line.strip()

    def _is_read(self, name: str) -> bool:
        value = self._send(b"GET", name.encode())
        if value is not None and value != _value(name):
            raise AssertionError(f"the value of '{name}' is not what was stored")
        return value is not None


def _leading(answers: Iterable[bool]) -> int:
    # All answers are awaited: the adapter reads nothing before.
    return sum(1 for _ in itertools.takewhile(bool, list(answers)))


def _value(name: str) -> bytes:
    digest = hashlib.sha256(name.encode()).digest()
    return digest * (_VALUE_BYTES // len(digest))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace")
    parser.add_argument("--url", default="redis://127.0.0.1:6380")
    parser.add_argument("--speed", type=float, default=1e9, help="how many times faster than in the trace")
    parser.add_argument("--limit", type=int)
    options = parser.parse_args()
    with gzip.open(options.trace, "rt") as lines:
        requests = [json.loads(line) for line in lines][: options.limit]
    adapter = Adapter(options.url)
    start = time.monotonic()
    hits = chunks = 0
    for request in requests:
        time.sleep(max(0.0, start + request["timestamp"] / 1000 / options.speed - time.monotonic()))
        names = [name_of(key) for key in keys_of(request)]
        chunks += len(names)
        hits += adapter.serve(names)
    seconds = time.monotonic() - start
    print(json.dumps({"hit ratio": hits / chunks, "lost": adapter.lost, "seconds": seconds}))
    print(json.dumps(reachable(options.url, requests)))


if __name__ == "__main__":
    main()
