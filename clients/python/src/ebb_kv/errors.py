"""Errors of this package. The server's own errors are those of redis-py."""


class EbbError(Exception):
    """Base class of the errors of this package."""


class UnsupportedCommand(EbbError):
    """The server does not know a command that has no substitute."""

    def __init__(self, command: str) -> None:
        super().__init__(f"the server does not know '{command}'; connect to Ebb instead of another RESP server")
        self.command = command


class ConnectionLost(EbbError):
    """The connection of a shared memory ended, and its leases and reservations with it."""
