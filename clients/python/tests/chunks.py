"""Chunks of conversations, as LMCache's connectors store them."""

from __future__ import annotations

import asyncio
import hashlib
import random
import threading
from typing import Any, List, Sequence

MODEL = "meta-llama/Llama-3.1-8B-Instruct"
SHAPE = (2, 4, 32, 128)


class Loop:
    """An event loop in a thread, as LMCache runs its connectors."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(60)

    def stop(self) -> None:
        self.run(self._cancel())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    @staticmethod
    async def _cancel() -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def key(digest: str) -> Any:
    import torch
    from lmcache.utils import CacheEngineKey

    return CacheEngineKey(MODEL, 1, 0, int(digest, 16), torch.bfloat16)


def chunk(key: Any) -> Any:
    """Returns a chunk of random numbers that depend on its key only."""
    import torch
    from lmcache.v1.memory_management import MemoryFormat, TensorMemoryObj

    generator = torch.Generator().manual_seed(key.chunk_hash % (1 << 62))
    content = torch.randint(-(1 << 15), 1 << 15, SHAPE, dtype=torch.int16, generator=generator)
    return TensorMemoryObj(content.view(torch.bfloat16), MemoryFormat.KV_2LTD)


def same(chunk: Any, other: Any) -> bool:
    return bytes(chunk.byte_array) == bytes(other.byte_array) and chunk.get_shape() == other.get_shape()


def chain(names: Sequence[Any], before: str = "") -> List[str]:
    """Returns chained hashes: each depends on all names up to its own."""
    digests = []
    for name in names:
        before = hashlib.sha256(f"{before}/{name}".encode()).hexdigest()[:16]
        digests.append(before)
    return digests


def conversations(seed: int, users: int, turns: int) -> List[List[str]]:
    """Returns the prompts of conversations that take turns. All share a system prompt."""
    rng = random.Random(seed)
    texts = {user: [("system", i) for i in range(4)] for user in range(users)}
    prompts = []
    for turn in range(turns):
        for user in rng.sample(range(users), users):
            texts[user] += [(user, turn, i) for i in range(rng.randint(1, 4))]
            prompts.append(chain(texts[user]))
    return prompts
