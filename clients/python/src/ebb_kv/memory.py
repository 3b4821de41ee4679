"""The local data path: values in memory that Ebb shares with this process."""

from __future__ import annotations

import ctypes
import mmap
import select
import socket
import struct
import threading
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type

import numpy as np
import redis

from ebb_kv import buffers
from ebb_kv.errors import ConnectionLost, EbbError

Ranges = List[Tuple[int, int]]
# In packed replies.
_NO_ROOM = -2
# An advice of Linux that maps pages which exist already.
_POPULATE_READ = 22
# Meanwhile, other threads of the process cannot map memory.
_POPULATED_BYTES = 64 << 20


class SharedMemory:
    """Ebb's pool, mapped into this process.

    Leases and reservations belong to one connection, which several threads may share. When it ends, the server frees
    them: their memory must not be used any more. Then ``lost`` is True, and every call raises :class:`ConnectionLost`.
    """

    def __init__(self, connection: Any) -> None:
        """Maps the memory of the server at the other end of a connection of redis-py over its Unix socket."""
        self._connection = connection
        self.lost = False
        self._lock = threading.Lock()
        self._leases: Dict[bytes, Tuple[Ranges, int]] = {}
        # Leases that have ended, which the server does not know yet.
        self._ended_leases: List[bytes] = []
        # Replies that nobody waits for.
        self._unread = 0
        path, size, *handles = self._map()
        if handles:
            raise EbbError(f"the server's pool is on '{path.decode()}'; only a pool in host memory can be mapped")
        with open(path, "r+b") as file:
            self._memory = memoryview(mmap.mmap(file.fileno(), size))
        self._readable = self._memory.toreadonly()
        threading.Thread(target=self._populate, name="ebb-populate", daemon=True).start()

    @classmethod
    def open(
        cls,
        path: str,
        username: Optional[str] = None,
        password: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> SharedMemory:
        """Connects to the Unix socket of a server. Raises if the server shares no memory.

        :param timeout: how many seconds to wait for a reply, None for as long as it takes
        """
        kind: Any = redis.UnixDomainSocketConnection
        connection = kind(path=path, username=username, password=password, socket_timeout=timeout)
        try:
            return cls(connection)
        except BaseException:
            connection.disconnect()
            raise

    def place(self, key: str | bytes, size: int, seconds: Optional[int] = None) -> Optional[Reservation]:
        """Reserves memory for a value. Returns None if there is no space. ``seconds`` is its time to live.

        Raises :class:`EbbError` if the server refuses, for example because reservations and leases hold too much.
        """
        return self.place_all([(key, size)], seconds)[0]

    def place_all(
        self, items: Sequence[Tuple[str | bytes, int]], seconds: Optional[int] = None
    ) -> List[Optional[Reservation]]:
        """Reserves memory for several values in one command. If the server refuses one, none is reserved."""
        if not items:
            return []
        life = [] if seconds is None else ["EX", seconds]
        with self._lock:
            replies = self._ranges("EBB.PLACE", *life, "KEYS", *(word for item in items for word in item))
            refused = [reply for reply in replies if isinstance(reply, Exception)]
            if refused:
                self._call_if_any("EBB.ABORT", [key for (key, _), r in zip(items, replies) if isinstance(r, list)])
                raise EbbError(str(refused[0])) from refused[0]
        return [
            None if ranges is None else Reservation(self, key, self._pieces(ranges, True))
            for (key, _), ranges in zip(items, replies)
        ]

    def lease(self, key: str | bytes) -> Optional[Lease]:
        """Returns a value where it lies and protects it from eviction, or None if the key does not exist."""
        return self.lease_all([key])[0]

    def lease_all(self, keys: Sequence[str | bytes]) -> List[Optional[Lease]]:
        """Leases several values in one command. If the server refuses one, none is leased."""
        names = [_name(key) for key in keys]
        with self._lock:
            missing = [name for name in dict.fromkeys(names) if name not in self._leases]
            replies = self._ranges("EBB.LEASE", *missing) if missing else []
            self._leases.update((name, (ranges, 0)) for name, ranges in zip(missing, replies) if ranges is not None)
            return [self._leased(name) for name in names]

    def release(self, leases: Sequence[Optional[Lease]]) -> None:
        """Ends leases in one command. Their pieces must not be read any more."""
        with self._lock:
            self._call_if_any("EBB.RELEASE", self._ended_by(leases))

    def release_later(self, leases: Sequence[Optional[Lease]]) -> None:
        """Ends leases with the next command, or with :meth:`flush`. Raises if they have not lasted until now."""
        with self._lock:
            self._check_connected()
            self._ended_leases += self._ended_by(leases)

    def flush(self) -> None:
        """Ends the leases of :meth:`release_later`, without waiting for the server."""
        if self._ended_leases:
            with self._lock:
                if self._ended_leases and not self.lost:
                    self._send()

    def commit(self, reservations: Sequence[Optional[Reservation]]) -> None:
        """Publishes values in one command."""
        self._end("EBB.COMMIT", reservations)

    def abort(self, reservations: Sequence[Optional[Reservation]]) -> None:
        """Gives reserved memory back in one command."""
        self._end("EBB.ABORT", reservations)

    def close(self) -> None:
        """Ends the connection, and with it all leases and reservations."""
        with self._lock:
            self.lost = True
            self._connection.disconnect()

    def __enter__(self) -> SharedMemory:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _populate(self) -> None:
        """Maps all pages, without which the first write to each 64 MiB takes five times as long as later ones."""
        madvise = ctypes.CDLL(None).madvise
        address = np.frombuffer(self._memory, np.uint8).ctypes.data
        for start in range(0, self._memory.nbytes, _POPULATED_BYTES):
            size = min(_POPULATED_BYTES, self._memory.nbytes - start)
            if self.lost or madvise(ctypes.c_void_p(address + start), ctypes.c_size_t(size), _POPULATE_READ):
                # Linux before 5.14 cannot.
                return

    def _leased(self, name: bytes) -> Optional[Lease]:
        if name not in self._leases:
            return None
        ranges, users = self._leases[name]
        self._leases[name] = (ranges, users + 1)
        return Lease(self, name, self._pieces(ranges, False))

    def _ended_by(self, leases: Sequence[Optional[Lease]]) -> List[bytes]:
        return [name for lease in leases if lease is not None for name in lease._taken() if self._last(name)]

    def _last(self, name: bytes) -> bool:
        ranges, users = self._leases.pop(name)
        if users > 1:
            self._leases[name] = (ranges, users - 1)
        return users == 1

    def _pieces(self, ranges: Ranges, writable: bool) -> List[memoryview]:
        memory = self._memory if writable else self._readable
        return [memory[offset : offset + length] for offset, length in ranges]

    def _end(self, command: str, reservations: Sequence[Optional[Reservation]]) -> None:
        with self._lock:
            self._call_if_any(command, [each.key for each in reservations if each is not None and each._end()])

    def _run(self, *words: Any) -> Any:
        with self._lock:
            return self._call(*words)

    def _call_if_any(self, command: str, keys: Sequence[str | bytes]) -> Any:
        return self._call(command, *keys) if keys else []

    def _map(self) -> Any:
        try:
            reply = self._run("EBB.MAP", "PACKED")
            self._packed = True
        except EbbError:
            # An older server, or one without shared memory.
            reply = self._run("EBB.MAP")
            self._packed = False
        return reply

    def _ranges(self, *words: Any) -> List[Any]:
        """Runs a command that returns ranges for each key, None or an error."""
        reply = self._call(*words)
        if not self._packed:
            return [[tuple(each) for each in ranges] if isinstance(ranges, list) else ranges for ranges in reply]
        numbers = struct.unpack(f"<{len(reply) // 8}q", reply)
        values: List[Any] = []
        at = 0
        while at < len(numbers):
            count, start = numbers[at], at + 1
            at = start + 2 * max(0, count)
            if count < 0:
                values.append(EbbError("OOM no room for a value in the pool") if count == _NO_ROOM else None)
            else:
                values.append(list(zip(numbers[start:at:2], numbers[start + 1 : at : 2])))
        return values

    def _call(self, *words: Any) -> Any:
        self._send(*words)
        try:
            while self._unread:
                self._unread -= 1
                self._skip()
            return self._connection.read_response()
        except redis.ResponseError as error:
            raise EbbError(str(error)) from error
        except (redis.ConnectionError, redis.TimeoutError) as error:
            raise self._ended(str(error)) from error

    def _send(self, *words: Any) -> None:
        """Sends a command, and before it the end of leases."""
        self._check_not_lost()
        commands = [_packed("EBB.RELEASE", *self._ended_leases)] if self._ended_leases else []
        self._unread += len(commands)
        self._ended_leases = []
        if words:
            commands.append(_packed(*words))
        try:
            self._connection.send_packed_command([b"".join(commands)])
        except (redis.ConnectionError, redis.TimeoutError) as error:
            raise self._ended(str(error)) from error

    def _skip(self) -> None:
        try:
            self._connection.read_response()
        except redis.ResponseError:
            # Of a command whose result nobody needs.
            pass

    def check_open(self) -> None:
        """Raises if the server has closed the connection, because the memory may hold other values then."""
        # The lock keeps other threads from reading the reply that this one sees.
        with self._lock:
            self._check_connected()

    def _check_connected(self) -> None:
        self._check_not_lost()
        connected = self._connection._sock
        if connected is None or _closed(connected):
            raise self._ended("the server closed it")

    def _check_not_lost(self) -> None:
        if self.lost:
            raise ConnectionLost("the connection has ended; open the shared memory again")

    def _ended(self, reason: str) -> ConnectionLost:
        # The connection would open again by itself, without the leases.
        self.lost = True
        self._connection.disconnect()
        return ConnectionLost(f"the connection to the server ended: {reason}")


class Reservation:
    """Memory reserved for a value. As a context manager it commits, or aborts if the block raises."""

    def __init__(self, memory: SharedMemory, key: str | bytes, pieces: List[memoryview]) -> None:
        self.key = key
        self._pieces = pieces
        self._memory = memory
        self._open = True

    @property
    def pieces(self) -> List[memoryview]:
        """The reserved memory, in the order of the value's bytes. Raises if the connection has ended."""
        self._memory.check_open()
        return self._pieces

    def write(self, *values: Any) -> None:
        """Copies buffers, arrays or CPU tensors into the reserved memory. Their total size must be that reserved."""
        source = [buffers.view(value) for value in values]
        if not buffers.copy(source, self.pieces):
            raise ValueError(
                f"'{sum(s.nbytes for s in source)}' bytes given, '{sum(p.nbytes for p in self._pieces)}' reserved"
            )

    def commit(self) -> None:
        """Publishes the value."""
        self._memory.commit([self])

    def abort(self) -> None:
        """Gives the memory back."""
        self._memory.abort([self])

    def __enter__(self) -> Reservation:
        return self

    def __exit__(self, failure: Optional[Type[BaseException]], *_: Any) -> None:
        if failure is None:
            self.commit()
        else:
            self.abort()

    def _end(self) -> bool:
        was, self._open = self._open, False
        return was


class Lease:
    """A value that stays in memory until the lease is released. Use it as a context manager."""

    def __init__(self, memory: SharedMemory, name: bytes, pieces: List[memoryview]) -> None:
        self._pieces = pieces
        self._memory = memory
        self._names = [name]

    @property
    def pieces(self) -> List[memoryview]:
        """The value's memory, in the order of its bytes. Raises if the connection has ended."""
        self._memory.check_open()
        return self._pieces

    @property
    def nbytes(self) -> int:
        """The size of the value in bytes."""
        return sum(piece.nbytes for piece in self._pieces)

    def arrays(self) -> List[np.ndarray]:
        """Returns the value's pieces as read-only arrays over the shared memory, valid until the release."""
        return [np.frombuffer(piece, np.uint8) for piece in self.pieces]

    def read_into(self, *values: Any) -> bool:
        """Copies the value. Returns False and copies nothing if the sizes differ."""
        return buffers.copy(self.pieces, [buffers.view(value) for value in values])

    def release(self) -> None:
        """Ends the lease. The pieces must not be read any more."""
        self._memory.release([self])

    def __enter__(self) -> Lease:
        return self

    def __exit__(self, *_: Any) -> None:
        self.release()

    def _taken(self) -> List[bytes]:
        names, self._names = self._names, []
        return names


def _name(key: str | bytes) -> bytes:
    return key.encode() if isinstance(key, str) else bytes(key)


def _packed(*words: Any) -> bytes:
    """Returns a command as bytes, in less time than redis-py."""
    encoded = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(encoded) + b"".join([b"$%d\r\n%b\r\n" % (len(word), word) for word in encoded])


def _closed(connected: socket.socket) -> bool:
    """Returns whether the other end has closed a connection, without waiting and without reading a reply."""
    poll = select.poll()
    poll.register(connected, select.POLLIN)
    for _, events in poll.poll(0):
        if events & ~select.POLLIN:
            return True
        try:
            return not connected.recv(1, socket.MSG_PEEK)
        except OSError:
            return True
    return False
