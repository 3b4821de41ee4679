"""Measures the example engine with its K and V in Ebb, and in plain arrays with a prefix cache of the same size.

``PYTHONPATH=src:examples python3 -m tests.measure_engine SOCKET``; the server has sequences.memory = 32 MiB.
"""

import os
import socket
import statistics
import struct
import sys
import time
from collections import OrderedDict

import numpy as np
from tiny_llama import ArrayCache, EbbCache, Model, connect, generate

TOKENS, ANSWER, ROUNDS = 16, 32, 7


class PrefixArrays:
    """A prefix cache in plain arrays, which evicts the least recently used block."""

    def __init__(self, model, blocks):
        self.model, self.blocks, self.cached = model, blocks, OrderedDict()

    def open(self, prompt):
        sequence = ReusingArrays(self.model, len(prompt) + ANSWER, self, prompt)
        while (known := self.cached.get(tuple(prompt[: sequence.matched + TOKENS]))) is not None:
            self.cached.move_to_end(tuple(prompt[: sequence.matched + TOKENS]))
            rows = slice(sequence.matched, sequence.matched + TOKENS)
            sequence.k[:, :, rows], sequence.v[:, :, rows] = known
            sequence.matched += TOKENS
        sequence._rows += sequence.matched
        return sequence

    def store(self, tokens, k, v):
        for end in range(TOKENS, len(tokens) + 1, TOKENS):
            key, rows = tuple(tokens[:end]), slice(end - TOKENS, end)
            if key not in self.cached:
                self.cached[key] = (k[:, :, rows].copy(), v[:, :, rows].copy())
            self.cached.move_to_end(key)
            if len(self.cached) > self.blocks:
                self.cached.popitem(last=False)


class ReusingArrays(ArrayCache):
    def __init__(self, model, most, owner, prompt):
        super().__init__(model, most)
        self.owner, self.tokens, self.matched = owner, list(prompt), 0

    def append(self, token):
        self.tokens.append(token)

    def finish(self, written):
        self.owner.store(self.tokens[:written], self.k, self.v)


def prompts(random, shared):
    systems = [random.integers(0, 256, 192).tolist() for _ in range(3)]
    for _ in range(6):
        own = random.integers(0, 256, 32 if shared else 224).tolist()
        yield (systems[random.integers(3)] if shared else []) + own


def server_seconds(engine):
    """Returns the CPU time of the process at the other end of the socket."""
    peer = engine._connection._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    with open(f"/proc/{struct.unpack('3i', peer)[0]}/stat", encoding="ascii") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(path):
    model = Model(layers=4, hidden=128, heads=4, kv_heads=2)
    with connect(path, model, "measured") as engine:
        plain = PrefixArrays(model, engine.block_count)
        ways = {"plain arrays": plain.open, "Ebb": lambda prompt: EbbCache(engine, prompt)}
        for shared in (True, False):
            speeds = {way: [] for way in ways}
            used, served = dict.fromkeys(ways, 0.0), server_seconds(engine)
            for round in range(ROUNDS):
                batch = list(prompts(np.random.default_rng(round + 100 * shared), shared))
                # Both take turns, so that what else the machine does affects both.
                answers = {way: [] for way in ways}
                took = dict.fromkeys(ways, 0.0)
                for at, prompt in enumerate(batch):
                    for way in sorted(ways, reverse=at % 2):
                        start, cpu = time.perf_counter(), time.process_time()
                        answers[way].append(generate(model, ways[way](prompt), prompt, ANSWER))
                        took[way] += time.perf_counter() - start
                        used[way] += time.process_time() - cpu
                assert answers["Ebb"] == answers["plain arrays"]
                for way in ways:
                    speeds[way].append(len(batch) * ANSWER / took[way])
            served = server_seconds(engine) - served
            ratios = [ebb / arrays for ebb, arrays in zip(speeds["Ebb"], speeds["plain arrays"])]
            kind = "shared prefixes" if shared else "unique prompts"
            tokens = ROUNDS * len(batch) * ANSWER
            for way in ways:
                cpu = used[way] / tokens * 1e6
                print(f"{kind}: {way}: {statistics.median(speeds[way]):.0f} tokens/s, CPU {cpu:.0f} us a token")
            print(f"{kind}: CPU of the server {served / tokens * 1e6:.0f} us a token")
            print(f"{kind}: ratio {statistics.median(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
