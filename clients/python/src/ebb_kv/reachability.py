"""A server that may be away for a while."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any, Callable, TypeVar

import redis

T = TypeVar("T")
_log = logging.getLogger(__name__)


class Reachability:
    """Runs commands. While the server is away, tries only once in a second, so that the engine does not wait for it."""

    PAUSE_SECONDS = 1.0

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._away_until = 0.0
        self._logged = ""

    @property
    def reached(self) -> bool:
        """Whether the last command reached the server."""
        return self._away_until == 0.0

    def run(self, what: str, action: Callable[[], T], otherwise: T) -> T:
        """Returns the result of an action, or ``otherwise`` if the server is away or replies with an error."""
        if time.monotonic() < self._away_until:
            return otherwise
        try:
            result = self._retried(action)
        except (redis.ConnectionError, redis.TimeoutError, OSError) as lost:
            self._away(lost)
            return otherwise
        except Exception as refused:
            # Whatever it is, the engine can go on without these chunks.
            self.log(f"cannot {what} chunks: {refused}")
            return otherwise
        self._back()
        return result

    @staticmethod
    def _retried(action: Callable[[], Any]) -> Any:
        try:
            return action()
        except redis.ConnectionError:
            # The server may have ended this connection only, or have been started again.
            return action()

    def _away(self, lost: Exception) -> None:
        with self._lock:
            self._away_until = time.monotonic() + self.PAUSE_SECONDS
        self.log(f"cannot reach the server, so the engine computes all chunks: {lost}")

    def _back(self) -> None:
        if not self.reached:
            with self._lock:
                self._away_until = 0.0
            self.log("reached the server again")

    def log(self, message: str) -> None:
        """Logs a message, unless it is the same as the last one."""
        with self._lock:
            if message == self._logged:
                return
            self._logged = message
        _log.warning("Ebb at '%s': %s", self._address, message)
