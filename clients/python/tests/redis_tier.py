"""A secondary tier of vLLM that sends to Redis what LMCache's ``RedisConnector`` sends."""

from __future__ import annotations

import importlib
import struct
from typing import Any, List, Sequence

import redis

# vLLM is on the path before this module is imported.
_TIER = importlib.import_module("ebb_kv.vllm").EbbSecondaryTier


class RedisTier(_TIER):
    """Ebb's tier with the connector's commands: two keys for each chunk, its size and its bytes."""

    def __init__(self, *arguments: Any, url: str, **named: Any) -> None:
        super().__init__(*arguments, url=url, shared_memory=False, **named)
        self._redis = redis.Redis.from_url(url)
        # The connector lets everything wait.
        self._most_waiting = len(self._view) * self._row_bytes

    def _found(self, asked: Sequence[Any], hints: Any, adapter: str) -> List[bool]:
        """Asks from the front, one chunk after the other, until one is missing."""
        found = 0
        for key, _ in asked:
            if not self._redis.exists(self._keys.of(key, adapter) + "metadata"):
                break
            found += 1
        return [place < found for place in range(len(asked))]

    def _load(self, job: Any, rows: Sequence[int]) -> List[bool]:
        return [self._read(name, parts[0]) for name, parts in self._items(job, rows)]

    def _read(self, name: str, target: memoryview) -> bool:
        if self._redis.get(name + "metadata") is None:
            return False
        value = self._redis.get(name + "kv_bytes")
        if value is None:
            self._redis.delete(name + "metadata")
            return False
        target[:] = value
        return True

    def _stored(self, items: Sequence[Any]) -> bool:
        for name, parts in items:
            self._redis.set(name + "kv_bytes", bytes(parts[0]))
            # Size, format, type and four dimensions.
            self._redis.set(name + "metadata", struct.pack("iiiiiii", len(parts[0]), 1, 3, 2, 1, 16, 64))
        return True

    def _use(self, touched: Sequence[Any]) -> None:
        """The connector has no such call: Redis counts reads."""

    def shutdown(self) -> None:
        super().shutdown()
        self._redis.close()
