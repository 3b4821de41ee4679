"""Requests of engines that only say which chunks they look up and store."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections import OrderedDict
from typing import Any, Dict, List, Optional, Sequence, Tuple

import redis

from ebb_kv.client import Ebb, Key

_LOG = logging.getLogger(__name__)


class Chains:
    """Begins a request when a chain of chunks is looked up, and ends it when its missing chunks are stored.

    Engines store them in several batches. The chunks are complete when the last one of the chain is stored.
    """

    # The open requests, and their missing chunks. Beyond that the longest inactive one is ended.
    MOST = 256
    MOST_KEYS = 100_000
    # After this time without a chunk stored, no more are expected: the engine has them, or has abandoned the request.
    IDLE_SECONDS = 10.0

    def __init__(self, ebb: Ebb, tenant: Optional[str] = None) -> None:
        self._ebb = ebb
        self._tenant = tenant
        self._lock = threading.Lock()
        # The longest inactive one first.
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._waiting: Dict[Key, _Open] = {}

    def look_up(self, keys: Sequence[Key]) -> int:
        """Returns how many of the leading chunks exist."""
        return self.look_up_all(keys, [])[0]

    def look_up_all(
        self,
        keys: Sequence[Key],
        others: Sequence[Key],
        groups: Optional[str] = None,
        hints: Any = None,
        chunk_tokens: Optional[int] = None,
    ) -> Tuple[int, List[bool]]:
        """Returns how many of the leading chunks exist, and whether each of some other keys does.

        :param groups: the object groups of the model, such as ``full,state``; None if they are not known
        :param hints: the envelope of KV hints of the request, if it has one
        :param chunk_tokens: the tokens of a chunk, if they are known
        """
        if not keys:
            return 0, []
        id = uuid.uuid4().hex
        found, exist = self._ebb.begin_and_find(
            id, keys, others, tenant=self._tenant, groups=groups, chunk_tokens=chunk_tokens
        )
        if hints is not None:
            self._hint(id, hints, chunk_tokens)
        self._end([id] if found == len(keys) else self._opened(_Open(id, keys[found:])))
        return found, exist

    def _hint(self, id: str, hints: Any, chunk_tokens: Optional[int]) -> None:
        try:
            self._ebb.hints(id, hints, chunk_tokens)
        except (redis.ResponseError, TypeError, ValueError) as refused:
            # Hints are advice: the request goes on without them.
            _LOG.warning("KV hints refused: %s", refused)

    def stored(self, keys: Sequence[Key]) -> None:
        """Ends the requests that lacked only these chunks, or whose last chunk is one of them."""
        with self._lock:
            ended = [id for key in keys for id in self._received(key)]
        self._end(ended)

    def _end(self, ids: Sequence[str]) -> None:
        for each in ids:
            self._ebb.end(each)

    def _received(self, key: Key) -> List[str]:
        request = self._waiting.pop(key, None)
        if request is None:
            return []
        request.missing.discard(key)
        if not request.missing or key == request.last:
            return [self._closed(request)]
        request.active = time.monotonic()
        self._open.move_to_end(request.id)
        return []

    def _opened(self, request: _Open) -> List[str]:
        with self._lock:
            ended: List[str] = []
            for key in request.missing:
                # An earlier request that waits for the same chunk: the server gives the chunk to the later one.
                ended += self._received(key)
                self._waiting[key] = request
            self._open[request.id] = request
            while self._is_over(next(iter(self._open.values()))):
                ended.append(self._closed(next(iter(self._open.values()))))
            return ended

    def _is_over(self, oldest: _Open) -> bool:
        if len(self._open) == 1:
            return False
        many = len(self._open) > self.MOST or len(self._waiting) > self.MOST_KEYS
        return many or time.monotonic() - oldest.active > self.IDLE_SECONDS

    def _closed(self, request: _Open) -> str:
        del self._open[request.id]
        for key in request.missing:
            del self._waiting[key]
        return request.id


class _Open:
    """A request whose missing chunks have not all been stored."""

    def __init__(self, id: str, missing: Sequence[Key]) -> None:
        self.id = id
        self.missing = set(missing)
        self.last = missing[-1]
        self.active = time.monotonic()
