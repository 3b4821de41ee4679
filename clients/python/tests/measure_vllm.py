"""Measures how fast chunks pass between vLLM's host memory and Ebb, beside memcpy and files in the system's cache.

Usage: TMPDIR=/dev/shm PYTHONPATH=src python3 -m tests.measure_vllm [chunks in a job [bytes of a chunk [rounds]]]
"""

from __future__ import annotations

import os
import pathlib
import sys
import tempfile
import time
from typing import Any, Callable, List, Tuple

import numpy as np

from tests import vllm_engine
from tests.running import Server
from tests.vllm_engine import Manager, key, spec

# More than the caches of a processor.
_JOBS = 6


def main(chunks: int = 64, size: int = 1 << 20, rounds: int = 20) -> None:
    tier = vllm_engine.install().EbbSecondaryTier
    server = Server(pool=f"{(2 * _JOBS * chunks * size >> 20) + 64} MiB")
    try:
        names = [[key(job, i) for i in range(chunks)] for job in range(_JOBS)]
        print(f"{chunks} chunks of {size >> 10} KiB a job; GB/s (median), CPU seconds for each GB of client and server")
        shared = _tier(tier, server.unix_url, chunks, size)
        socket = _tier(tier, server.unix_url, chunks, size, shared_memory=False)
        files = _Files(chunks, size)
        memory = np.ones((2, _JOBS, chunks, size), np.uint8)
        _report("memcpy", server, chunks * size, rounds, lambda job: _copy(memory, job))
        for name, manager in (("shared memory", shared), ("Unix socket", socket)):
            _report(f"store, {name}", server, chunks * size, rounds, lambda job: _move(manager, names, job, "store"))
            _report(f"load, {name}", server, chunks * size, rounds, lambda job: _move(manager, names, job, "load"))
        _report("store, files", server, chunks * size, rounds, lambda job: files.store(job))
        _report("load, files", server, chunks * size, rounds, lambda job: files.load(job))
        for manager in (shared, socket):
            manager.shutdown()
        files.close()
    finally:
        server.stop()


def _tier(tier: Any, url: str, chunks: int, size: int, **settings: Any) -> Manager:
    manager = Manager(lambda view: tier(spec(), view, "ebb", url=url, **settings), _JOBS * chunks, size)
    manager.memory[:] = 1
    return manager


def _copy(memory: np.ndarray, job: int) -> None:
    for target, source in zip(memory[1][job], memory[0][job]):
        np.copyto(target, source)


def _move(manager: Manager, names: List[List[bytes]], job: int, way: str) -> None:
    rows = list(range(job * len(names[job]), (job + 1) * len(names[job])))
    getattr(manager.tier, f"submit_{way}")(vllm_engine.Job(job, names[job], rows, None))
    manager.tier.drain_jobs()
    result = list(manager.tier.get_finished_jobs())
    if len(result) != 1 or not result[0].success:
        raise AssertionError(f"the {way} failed")


class _Files:
    """One file for each chunk, read and written with the system's cache."""

    def __init__(self, chunks: int, size: int) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._memory = np.ones((_JOBS, chunks, size), np.uint8)

    def store(self, job: int) -> None:
        for i, chunk in enumerate(self._memory[job]):
            self._path(job, i).write_bytes(memoryview(chunk))

    def load(self, job: int) -> None:
        for i, chunk in enumerate(self._memory[job]):
            with open(self._path(job, i), "rb", buffering=0) as file:
                os.readv(file.fileno(), [memoryview(chunk)])

    def close(self) -> None:
        self._folder.cleanup()

    def _path(self, job: int, i: int) -> pathlib.Path:
        return pathlib.Path(self._folder.name, f"{job}-{i}")


def _report(name: str, server: Server, size: int, rounds: int, move: Callable[[int], None]) -> None:
    # The first use of a page of memory costs more than all others.
    for job in range(3 * _JOBS):
        move(job % _JOBS)
    before, times = _cpu(server), []
    for round in range(rounds):
        start = time.perf_counter()
        move(round % _JOBS)
        times.append(time.perf_counter() - start)
    client, served = (after - first for after, first in zip(_cpu(server), before))
    total = rounds * size / 1e9
    print(f"{name:22} {size / 1e9 / sorted(times)[rounds // 2]:6.2f} {client / total:7.3f} {served / total:7.3f}")


def _cpu(server: Server) -> Tuple[float, float]:
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return time.process_time(), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
