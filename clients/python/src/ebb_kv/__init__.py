"""Client of Ebb, a KV-cache server for LLM inference."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ebb_kv.client import Ebb, Request
    from ebb_kv.errors import ConnectionLost, EbbError, UnsupportedCommand
    from ebb_kv.memory import Lease, Reservation, SharedMemory

_HOMES = {
    "ConnectionLost": "errors",
    "Ebb": "client",
    "EbbError": "errors",
    "Lease": "memory",
    "Request": "client",
    "Reservation": "memory",
    "SharedMemory": "memory",
    "UnsupportedCommand": "errors",
}

__all__ = [
    "ConnectionLost",
    "Ebb",
    "EbbError",
    "Lease",
    "Request",
    "Reservation",
    "SharedMemory",
    "UnsupportedCommand",
]


def __getattr__(name: str) -> Any:
    # Imported at the first use: ebb_kv.engine works without redis-py.
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(importlib.import_module(f"ebb_kv.{_HOMES[name]}"), name)
