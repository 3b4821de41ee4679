"""Client of Ebb, a KV-cache server for LLM inference."""

from ebb_kv.client import Ebb, Request
from ebb_kv.errors import ConnectionLost, EbbError, UnsupportedCommand
from ebb_kv.memory import Lease, Reservation, SharedMemory

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
