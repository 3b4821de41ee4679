"""Measures how fast chunks pass between vLLM's host memory and Ebb, beside memcpy and files in the system's cache.

With VLLM_SOURCE, a checkout of vLLM, its own tier of files is measured too.

Usage: TMPDIR=/dev/shm PYTHONPATH=src python3 -m tests.measure_vllm [chunks in a job [bytes of a chunk [rounds]]]
"""

from __future__ import annotations

import functools
import importlib
import os
import pathlib
import sys
import tempfile
import time
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from tests import vllm_engine, vllm_source
from tests.running import Server
from tests.vllm_engine import Manager, key, spec

# More than the caches of a processor.
_JOBS = 6


def main(chunks: int = 64, size: int = 1 << 20, rounds: int = 20) -> None:
    source = "VLLM_SOURCE" in os.environ
    if source:
        vllm_source.install()
    tier = importlib.import_module("ebb_kv.vllm").EbbSecondaryTier if source else vllm_engine.install().EbbSecondaryTier
    server = Server(pool=f"{(2 * _JOBS * chunks * size >> 20) + 64} MiB")
    try:
        names = [[key(job, i) for i in range(chunks)] for job in range(_JOBS)]
        print(f"{chunks} chunks of {size >> 10} KiB a job; GB/s (median), CPU seconds for each GB of client and server")
        shared = _tier(tier, server.unix_url, chunks, size)
        socket = _tier(tier, server.unix_url, chunks, size, shared_memory=False)
        files = _Files(chunks, size)
        memory = np.ones((2, _JOBS, chunks, size), np.uint8)
        moves = {"memcpy": lambda job: _copy(memory, job)}
        managers = {"shared memory": shared, "Unix socket": socket}
        folder = tempfile.TemporaryDirectory()
        if source:
            managers["vLLM's files"] = Manager(lambda view: vllm_source.files(view, folder.name), _JOBS * chunks, size)
            managers["vLLM's files"].memory[:] = 1
        for name, manager in managers.items():
            moves[f"store, {name}"] = functools.partial(_move, manager, names, "store")
            moves[f"load, {name}"] = functools.partial(_move, manager, names, "load")
        moves["store, files"], moves["load, files"] = files.store, files.load
        _report(server, chunks * size, rounds, moves, lambda: _remove(folder.name))
        for manager in managers.values():
            manager.tier.shutdown()
        files.close()
        folder.cleanup()
    finally:
        server.stop()


def _tier(tier: Any, url: str, chunks: int, size: int, **settings: Any) -> Manager:
    manager = Manager(lambda view: tier(spec(), view, "ebb", url=url, **settings), _JOBS * chunks, size)
    manager.memory[:] = 1
    return manager


def _copy(memory: np.ndarray, job: int) -> None:
    for target, source in zip(memory[1][job], memory[0][job]):
        np.copyto(target, source)


def _remove(folder: str) -> None:
    """Removes vLLM's files, which it does not store again if they exist."""
    for path in pathlib.Path(folder).rglob("*.bin"):
        path.unlink()


def _move(manager: Manager, names: List[List[bytes]], way: str, job: int) -> None:
    rows = list(range(job * len(names[job]), (job + 1) * len(names[job])))
    getattr(manager.tier, f"submit_{way}")(vllm_engine.Job(job, names[job], rows, None, newer=False))
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


def _report(
    server: Server, size: int, rounds: int, moves: Dict[str, Callable[[int], None]], prepare: Callable[[], None]
) -> None:
    """Measures all in turn, so that other load of the machine hits each of them alike."""
    times: Dict[str, List[float]] = {name: [] for name in moves}
    used = {name: [0.0, 0.0] for name in moves}
    # The first use of a page of memory costs more than all others, and Java compiles what it has run often.
    for round in range(-max(3 * _JOBS, rounds), rounds):
        prepare()
        for name, move in moves.items():
            before, start = _cpu(server), time.perf_counter()
            move(round % _JOBS)
            seconds = time.perf_counter() - start
            if round >= 0:
                times[name].append(seconds)
                used[name] = [sum + after - first for sum, after, first in zip(used[name], _cpu(server), before)]
    total = rounds * size / 1e9
    for name in moves:
        client, served = used[name]
        speed = size / 1e9 / sorted(times[name])[rounds // 2]
        print(f"{name:22} {speed:6.2f} {client / total:7.3f} {served / total:7.3f}")


def _cpu(server: Server) -> Tuple[float, float]:
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return time.process_time(), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
