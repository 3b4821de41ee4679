"""Lookups that do not wait for the server."""

from __future__ import annotations

import queue
from concurrent.futures import Executor
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Set, Tuple

# A key, and where in the prompt its chunk ends, if that is known.
Asked = Tuple[bytes, Optional[int]]
# From a request and its keys to whether each exists.
Find = Callable[[str, Sequence[Asked]], Sequence[bool]]


class Lookups:
    """Collects the keys that requests ask for in one step of the scheduler, and asks the server for all of them.

    An answer is kept as long as a request that asked is there. All methods are for the scheduler's thread.
    """

    def __init__(self, executor: Executor, find: Find) -> None:
        """Creates lookups.

        :param find: returns for a request's keys whether they exist; called by the executor, must not raise
        """
        self._executor = executor
        self._find = find
        self._known: Dict[bytes, Optional[bool]] = {}
        self._requests: Dict[bytes, Set[str]] = {}
        self._keys: Dict[str, List[bytes]] = {}
        self._batch: Dict[str, List[Asked]] = {}
        self._answers: queue.SimpleQueue[List[Tuple[bytes, bool]]] = queue.SimpleQueue()

    def look_up(self, key: bytes, request: str, position: Optional[int] = None) -> Optional[bool]:
        """Returns whether a key exists; None if it is not known yet."""
        self._receive()
        if key not in self._known:
            self._known[key] = None
            self._batch.setdefault(request, []).append((key, position))
        asking = self._requests.setdefault(key, set())
        if request not in asking:
            asking.add(request)
            self._keys.setdefault(request, []).append(key)
        return self._known[key]

    def flush(self) -> None:
        """Asks for the keys of this step."""
        batch, self._batch = self._batch, {}
        if batch:
            self._executor.submit(self._ask, batch)

    def learn(self, keys: Iterable[bytes], exist: bool) -> None:
        """Corrects answers: keys were stored, or could not be read."""
        for key in keys:
            if self._known.get(key) is not None:
                self._known[key] = exist

    def forget(self, request: str) -> None:
        """Ends a request."""
        waiting = dict(self._batch.pop(request, ()))
        for key in self._keys.pop(request, ()):
            asking = self._requests[key]
            asking.discard(request)
            if asking:
                if key in waiting:
                    self._batch.setdefault(next(iter(asking)), []).append((key, waiting[key]))
            else:
                del self._requests[key]
                del self._known[key]

    def _receive(self) -> None:
        while True:
            try:
                answers = self._answers.get_nowait()
            except queue.Empty:
                return
            for key, exists in answers:
                # The request may have ended, or another one may have asked again.
                if key in self._known and self._known[key] is None:
                    self._known[key] = exists

    def _ask(self, batch: Dict[str, List[Asked]]) -> None:
        for request, asked in batch.items():
            self._answers.put([(key, exists) for (key, _), exists in zip(asked, self._find(request, asked))])
