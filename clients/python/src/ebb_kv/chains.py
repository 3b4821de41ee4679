"""Requests of engines that only say which chunks they look up and store."""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from typing import Optional, Sequence

from ebb_kv.client import Ebb, Key


class Chains:
    """Begins a request when a chain of chunks is looked up, and ends it when its missing chunks are stored."""

    # The open requests. Beyond that the oldest is ended, because its chunks were not stored.
    MOST = 256

    def __init__(self, ebb: Ebb, tenant: Optional[str] = None) -> None:
        self._ebb = ebb
        self._tenant = tenant
        self._lock = threading.Lock()
        self._open: OrderedDict[Key, str] = OrderedDict()

    def look_up(self, keys: Sequence[Key]) -> int:
        """Returns how many of the leading chunks exist."""
        if not keys:
            return 0
        id = uuid.uuid4().hex
        found = self._ebb.begin(id, keys, tenant=self._tenant)
        ended = [id] if found == len(keys) else self._opened(keys[found], id)
        for each in ended:
            self._ebb.end(each)
        return found

    def stored(self, keys: Sequence[Key]) -> None:
        """Ends the request that lacked the first of these chunks."""
        with self._lock:
            id = self._open.pop(keys[0], None) if keys else None
        if id is not None:
            self._ebb.end(id)

    def _opened(self, missing: Key, id: str) -> list[str]:
        with self._lock:
            ended = [self._open.pop(missing)] if missing in self._open else []
            self._open[missing] = id
            if len(self._open) > self.MOST:
                ended.append(self._open.popitem(last=False)[1])
            return ended
