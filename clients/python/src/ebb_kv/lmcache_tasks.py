"""Tasks that LMCache submits, and asks for their results after an event."""

from __future__ import annotations

import os
import threading
from typing import Any, Callable, Dict


class Results:
    """The results of completed tasks of one kind, announced by an event file descriptor."""

    def __init__(self) -> None:
        self.fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._lock = threading.Lock()
        self._done: Dict[int, Any] = {}
        self._closed = False

    def put(self, task: int, result: Any) -> None:
        with self._lock:
            # The number of a closed descriptor may already be that of another file.
            if not self._closed:
                self._done[task] = result
                os.eventfd_write(self.fd, 1)

    def pop(self, task: int) -> Any:
        """Returns a result once, or None if the task is not completed."""
        with self._lock:
            return self._done.pop(task, None)

    def pop_all(self) -> Dict[int, Any]:
        with self._lock:
            done, self._done = self._done, {}
            return done

    def close(self) -> None:
        with self._lock:
            if not self._closed:
                self._closed = True
                os.close(self.fd)


class Countdown:
    """Calls a function when the last part of a task has ended."""

    def __init__(self, parts: int, done: Callable[[], None]) -> None:
        self._lock = threading.Lock()
        self._left = parts
        self._done = done

    def ended(self) -> None:
        with self._lock:
            self._left -= 1
            last = self._left == 0
        if last:
            self._done()
