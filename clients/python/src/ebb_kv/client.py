"""Ebb's commands over redis-py."""

from __future__ import annotations

import json
import re
import struct
import threading
from typing import Any, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Pattern, Sequence, Tuple, Union

import redis

from ebb_kv import buffers
from ebb_kv.errors import ConnectionLost, EbbError, UnsupportedCommand
from ebb_kv.memory import SharedMemory

Key = Union[str, bytes]
Item = Tuple[Key, Sequence[Any]]
# The most keys, and bytes of values, in one round trip.
_KEYS = 64
_BYTES = 64 << 20


class Ebb:
    """A client of Ebb, safe for several threads.

    Where a command of Ebb has a substitute in Redis, the client also works with a server that lacks the command. With
    a ``unix://`` URL, values pass through shared memory if the server shares its own.
    """

    def __init__(self, url: str = "redis://127.0.0.1:6380", shared_memory: bool = True, **options: Any) -> None:
        """Prepares connections to a server.

        :param url: ``redis://[[user]:password@]host:port`` or ``unix://[[user]:password@]/path``
        :param shared_memory: False to send values through a Unix socket too
        :param options: passed to ``redis.Redis.from_url``
        """
        self.redis = redis.Redis.from_url(url, **{**options, "decode_responses": False})
        self._commands: Optional[FrozenSet[str]] = None
        self._shares = shared_memory and url.startswith("unix:")
        self._lock = threading.Lock()
        self._memory: Optional[SharedMemory] = None
        self._requests_lock = threading.Lock()
        self._requests: Optional[redis.Redis] = None

    def close(self) -> None:
        """Ends all connections."""
        with self._lock:
            self._shares = False
            if self._memory is not None:
                self._memory.close()
        with self._requests_lock:
            if self._requests is not None:
                self._requests.close()
                self._requests = None
        self.redis.close()
        self.redis.connection_pool.disconnect()

    def __enter__(self) -> Ebb:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def supports(self, command: str) -> bool:
        """Returns whether the server knows a command of Ebb, such as ``EBB.MATCH``. Asks the server once."""
        if self._commands is None:
            try:
                names = self.redis.execute_command("COMMAND LIST", "FILTERBY", "MODULE", "ebb")
            except redis.ResponseError:
                names = []
            self._commands = frozenset((n if isinstance(n, str) else n.decode()).upper() for n in names)
        return command.upper() in self._commands

    # Values

    def get(self, key: Key) -> Optional[bytes]:
        """Returns a value, or None if the key does not exist."""
        value: Any = self.redis.get(key)
        return value

    def set(self, key: Key, *values: Any, seconds: Optional[int] = None) -> None:
        """Stores buffers, arrays or CPU tensors, one after the other, as one value. ``seconds`` is its time to live."""
        self.set_many([(key, values)], seconds)

    def exists(self, key: Key) -> bool:
        """Returns whether a key exists. If so, it is protected from eviction for some seconds."""
        return bool(self.redis.exists(key))

    def touch(self, keys: Sequence[Key]) -> None:
        """Counts a use of several keys."""
        self._pipeline([("EXISTS", key) for key in keys])

    def delete(self, *keys: Key) -> int:
        """Deletes keys and returns how many of them existed."""
        return int(self.redis.delete(*keys)) if keys else 0

    def delete_ending(self, end: str) -> int:
        """Deletes all keys with an end that the user can use, and returns how many there were."""
        return self._delete_matching("*" + _literal(end), re.compile(b""))

    def drop_lora(self, name: str) -> int:
        """Deletes the values of a LoRA adapter that the user can use, of all models, and returns how many there were.

        :param name: the adapter in keys with a field ``lora%NAME``
        """
        field = "@lora%" + name
        end = re.compile(re.escape(field.encode()) + b"(@|kv_bytes$|metadata$|$)")
        return self._delete_matching(f"*{_literal(field)}*", end)

    def _delete_matching(self, pattern: str, also: Pattern[bytes]) -> int:
        deleted, batch = 0, []
        for key in self.redis.scan_iter(match=pattern, count=1000):
            if also.search(key):
                batch.append(key)
            if len(batch) == 1000:
                deleted += self.delete(*batch)
                batch = []
        return deleted + self.delete(*batch)

    def set_many(self, items: Sequence[Item], seconds: Optional[int] = None) -> None:
        """Stores several values, each given as a key and the buffers that form the value.

        If a key is repeated, the last value stays.
        """
        latest = {key: [buffers.view(value) for value in values] for key, values in items}
        for batch in _batches(list(latest.items())):
            memory = self.memory
            rest = batch if memory is None else self._place(memory, batch, seconds)
            if rest:
                pipeline = self.redis.pipeline(transaction=False)
                for key, pieces in rest:
                    pipeline.set(key, pieces[0] if len(pieces) == 1 else b"".join(pieces), ex=seconds)
                pipeline.execute()

    def get_many_into(self, items: Sequence[Item], flush: bool = True) -> List[bool]:
        """Reads several values into buffers, arrays or CPU tensors, each given as a key and a list of these.

        Returns for each whether it was read. If the key does not exist or its value has another size, the buffers stay
        as they are.

        :param flush: False to leave it to :meth:`flush` to end leases on the values in shared memory
        """
        targets = [(key, [buffers.view(value) for value in values]) for key, values in items]
        done: List[bool] = []
        for batch in _batches(targets):
            memory = self.memory
            read = None if memory is None else self._lease(memory, batch)
            if read is None:
                values: List[Any] = self.redis.mget([key for key, _ in batch])
                read = [v is not None and buffers.copy([memoryview(v)], t) for v, (_, t) in zip(values, batch)]
            done += read
        if flush:
            self.flush()
        return done

    def flush(self) -> None:
        """Ends leases of :meth:`get_many_into`, without waiting for the server."""
        memory = self._memory
        if memory is not None:
            try:
                memory.flush()
            except ConnectionLost:
                # Its leases have ended with it.
                pass

    def get_range_many(self, keys: Sequence[Key], offset: int, length: int) -> List[Optional[bytes]]:
        """Returns the same range of several values, None for a key that does not exist."""
        if not keys:
            return []
        if self.supports("EBB.MGETRANGE"):
            return self.redis.execute_command("EBB.MGETRANGE", offset, length, *keys)
        pipeline = self.redis.pipeline(transaction=False)
        for key in keys:
            # The range of a missing value is empty too.
            pipeline.exists(key)
            end = offset + length - 1
            pipeline.getrange(key, offset, -1 if offset < 0 <= end else end)
        replies = pipeline.execute()
        found = [bytes(part) if exists else None for exists, part in zip(replies[::2], replies[1::2])]
        return found if length > 0 else [None if part is None else b"" for part in found]

    # Prefixes

    def match(self, keys: Sequence[Key]) -> int:
        """Returns how many of the leading keys exist. These are protected from eviction for some seconds."""
        if not keys:
            return 0
        if self.supports("EBB.MATCH"):
            return int(self.redis.execute_command("EBB.MATCH", *keys))
        for start in range(0, len(keys), _KEYS):
            pipeline = self.redis.pipeline(transaction=False)
            for key in keys[start : start + _KEYS]:
                pipeline.exists(key)
            found = pipeline.execute()
            if 0 in found:
                return start + found.index(0)
        return len(keys)

    def begin(
        self,
        id: str,
        keys: Sequence[Key],
        *,
        tenant: Optional[str] = None,
        priority: Optional[int] = None,
        label: Optional[str] = None,
        hint: Optional[int] = None,
        input: Optional[int] = None,
        max_output: Optional[int] = None,
        output: Optional[int] = None,
        lifetime: Optional[float] = None,
        cost: Optional[float] = None,
        groups: Optional[str] = None,
        traceparent: Optional[str] = None,
        chunk_tokens: Optional[int] = None,
        tokens: Optional[Sequence[int]] = None,
        adapter: Optional[str] = None,
        salt: Optional[str] = None,
    ) -> int:
        """Announces a request and the chunks of its prompt, front to back.

        Returns how many of the leading chunks exist. A server without ``EBB.REQUEST`` only looks them up.

        :param id: identifies the request until :meth:`end`
        :param label: the kind of work, such as ``chat`` or ``agent``
        :param hint: a small number whose meaning the caller knows; a policy may learn what it predicts
        :param input: the number of tokens of the prompt
        :param max_output: the largest number of output tokens; needs ``input``
        :param output: the number of output tokens, if it is known
        :param lifetime: how many seconds the chunks will be useful after the request
        :param cost: the milliseconds of prefill to compute one of the chunks again
        :param groups: the object groups of the keys' model, such as ``full,state``
        :param traceparent: the trace context of the engine's request, in the format of W3C
        :param chunk_tokens: the tokens of one key's value
        :param tokens: the token ids of the first keys, for KV events; needs ``chunk_tokens``, as the next two do
        :param adapter: the LoRA adapter of the prompt
        :param salt: the cache salt of the prompt
        """
        if not self.supports("EBB.REQUEST"):
            return self.match(keys)
        given = _options(TENANT=tenant, PRIORITY=priority, LABEL=label, HINT=hint, INPUT=input, MAXOUTPUT=max_output)
        given += _options(GROUPS=groups, TRACEPARENT=traceparent)
        given += self._stated(chunk_tokens, tokens, adapter, salt)
        given += _expectations(output, lifetime, cost)
        return int(self._request_command("BEGIN", id, *given, "KEYS", *keys))

    def end(
        self,
        id: str,
        output: Optional[int] = None,
        lifetime: Optional[float] = None,
        cost: Optional[float] = None,
        *,
        hint: Optional[int] = None,
        finish: Optional[str] = None,
        model: Optional[str] = None,
        return_after: Optional[float] = None,
    ) -> None:
        """Ends a request. ``output`` is the number of tokens that it generated.

        ``lifetime``, ``cost`` and ``hint`` replace those of :meth:`begin`.

        :param finish: why the answer ended, such as ``stop``, ``length`` or ``tool_calls``
        :param model: the model that answered
        :param return_after: in how many seconds the next request with the same prefix is expected

        Does nothing if the server has ended it already, for example because its connection was lost.
        """
        if self.supports("EBB.REQUEST"):
            try:
                given = _options(HINT=hint, FINISH=finish, MODEL=model, RETURN=_decimal(return_after))
                self._request_command("END", id, *given, *_expectations(output, lifetime, cost))
            except redis.ResponseError as refused:
                if "is not open" not in str(refused):
                    raise

    def hints(self, id: str, envelope: Any, chunk_tokens: Optional[int] = None) -> List[HintResult]:
        """Applies KV hints of an orchestrator to a request that has begun, and returns what became of each action.

        Without ``EBB.HINTS`` on the server it does nothing.

        :param envelope: a ``KvHintsEnvelope`` of vLLM or SGLang, the same as a dict, or its JSON
        :param chunk_tokens: the tokens of a chunk; 256 if not given
        """
        if not self.supports("EBB.HINTS"):
            return []
        given = _options(TOKENS=chunk_tokens)
        with self._requests_lock:
            reply = self._request_client().execute_command("EBB.HINTS", id, *given, _json(envelope))
        return [HintResult(*(part.decode() for part in action)) for action in reply]

    def begin_and_find(
        self,
        id: str,
        keys: Sequence[Key],
        others: Sequence[Key],
        *,
        tenant: Optional[str] = None,
        groups: Optional[str] = None,
        chunk_tokens: Optional[int] = None,
    ) -> Tuple[int, List[bool]]:
        """Begins a request as :meth:`begin` does, and looks other keys up in the same round trip.

        Returns how many of the leading keys exist, and whether each other key does.
        """
        if not others:
            return self.begin(id, keys, tenant=tenant, groups=groups, chunk_tokens=chunk_tokens), []
        if not self.supports("EBB.REQUEST"):
            return self.match(keys), [bool(each) for each in self._pipeline([("EXISTS", key) for key in others])]
        given = _options(TENANT=tenant, GROUPS=groups) + self._stated(chunk_tokens)
        begin = ("EBB.REQUEST", "BEGIN", id, *given, "KEYS", *keys)
        with self._requests_lock:
            found, *exist = _replies(self._request_client().connection, [begin, *(("EXISTS", key) for key in others)])
        return int(found), [bool(each) for each in exist]

    def _stated(
        self,
        chunk_tokens: Optional[int],
        tokens: Optional[Sequence[int]] = None,
        adapter: Optional[str] = None,
        salt: Optional[str] = None,
    ) -> List[Any]:
        # Servers before these options do not know the command either.
        if not self.supports("EBB.BLOCKS"):
            return []
        packed = None if tokens is None else struct.pack(f"<{len(tokens)}I", *tokens)
        return _options(CHUNK=chunk_tokens, TOKENS=packed, ADAPTER=adapter, SALT=salt)

    def resident_blocks(self, hashes: Sequence[int]) -> List[bool]:
        """Returns which blocks of a prompt are resident.

        :param hashes: XXH3 of each block's tokens, front to back, as Dynamo's routers compute it
        """
        return [bool(each) for each in self._only("EBB.BLOCKS", *hashes)] if hashes else []

    def _pipeline(self, commands: Sequence[Sequence[Any]]) -> List[Any]:
        pipeline = self.redis.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        return pipeline.execute()

    def _request_command(self, *arguments: Any) -> Any:
        with self._requests_lock:
            return self._request_client().execute_command("EBB.REQUEST", *arguments)

    def _request_client(self) -> Any:
        # A request belongs to the connection that began it, so all of them use one connection.
        if self._requests is None:
            self._requests = self.redis.client()
        return self._requests

    def request(self, id: str, keys: Sequence[Key], **options: Any) -> Request:
        """Begins a request that ends with a ``with`` block. The options are those of :meth:`begin`."""
        return Request(self, id, self.begin(id, keys, **options))

    # Operation

    def pin(self, key: Key, owner: Optional[str] = None, seconds: Optional[int] = None) -> bool:
        """Protects a key from eviction until it is unpinned, or for a time. Returns whether the key exists."""
        return bool(self._only("EBB.PIN", key, *_options(OWNER=owner, EX=seconds)))

    def unpin(self, key: Key, owner: Optional[str] = None) -> bool:
        """Removes an owner's pin, or all pins of a key. Returns whether there was one."""
        return bool(self._only("EBB.UNPIN", key, *_options(OWNER=owner)))

    def explain(self, key: Key) -> Optional[str]:
        """Returns what the eviction policy says about a key, or None if it does not exist."""
        reply = self._only("EBB.EXPLAIN", key)
        return reply.decode() if isinstance(reply, bytes) else reply

    def _only(self, command: str, *arguments: Any) -> Any:
        if not self.supports(command):
            raise UnsupportedCommand(command)
        return self.redis.execute_command(command, *arguments)

    @property
    def memory(self) -> Optional[SharedMemory]:
        """The memory that the server shares, or None. Connects again if the connection was lost."""
        with self._lock:
            if self._shares and (self._memory is None or self._memory.lost):
                try:
                    self._memory = self._mapped()
                    self._shares = self._memory is not None
                except (ConnectionLost, OSError, redis.RedisError):
                    self._memory = None
                except EbbError:
                    self._shares = False
                    self._memory = None
            return self._memory

    def _mapped(self) -> Optional[SharedMemory]:
        if not self.supports("EBB.MAP"):
            return None
        options = self.redis.connection_pool.connection_kwargs
        return SharedMemory.open(
            options["path"], options.get("username"), options.get("password"), options.get("socket_timeout")
        )

    @staticmethod
    def _lease(memory: SharedMemory, batch: Sequence[Item]) -> Optional[List[bool]]:
        """Reads values through shared memory. Returns None if the server refuses, for example to lease so much."""
        try:
            leases = memory.lease_all([key for key, _ in batch])
            try:
                read = [lease is not None and buffers.copy(lease._pieces, t) for lease, (_, t) in zip(leases, batch)]
            finally:
                # That this succeeds shows that the leases lasted until here.
                memory.release_later(leases)
            return read
        except EbbError:
            return None

    @staticmethod
    def _place(memory: SharedMemory, batch: Sequence[Item], seconds: Optional[int]) -> Sequence[Item]:
        """Stores values through shared memory. Returns those without room, whose keys must not keep older values."""
        try:
            reservations = memory.place_all([(k, sum(p.nbytes for p in pieces)) for k, pieces in batch], seconds)
            try:
                memory.check_open()
                for reservation, (_, pieces) in zip(reservations, batch):
                    if reservation is not None:
                        buffers.copy(pieces, reservation._pieces)
            except BaseException:
                memory.abort(reservations)
                raise
            memory.commit(reservations)
            return [item for reservation, item in zip(reservations, batch) if reservation is None]
        except EbbError:
            return batch


class HintResult(NamedTuple):
    """What became of an action of KV hints: ``applied``, ``ignored`` or ``refused``, and why."""

    action: str
    outcome: str
    reason: str


class Request:
    """A request that has begun. Set ``output`` to the number of generated tokens before the ``with`` block ends.

    The other attributes can be set as well; see :meth:`Ebb.begin` and :meth:`Ebb.end`.
    """

    def __init__(self, ebb: Ebb, id: str, resident: int) -> None:
        self.id = id
        self.resident = resident
        self.output: Optional[int] = None
        self.lifetime: Optional[float] = None
        self.cost: Optional[float] = None
        self.hint: Optional[int] = None
        self.finish: Optional[str] = None
        self.model: Optional[str] = None
        self.return_after: Optional[float] = None
        self._ebb = ebb

    def hints(self, envelope: Any, chunk_tokens: Optional[int] = None) -> List[HintResult]:
        """Applies KV hints, as :meth:`Ebb.hints` does."""
        return self._ebb.hints(self.id, envelope, chunk_tokens)

    def __enter__(self) -> Request:
        return self

    def __exit__(self, *_: Any) -> None:
        self._ebb.end(
            self.id,
            self.output,
            self.lifetime,
            self.cost,
            hint=self.hint,
            finish=self.finish,
            model=self.model,
            return_after=self.return_after,
        )


def _replies(connection: Any, commands: Sequence[Sequence[Any]]) -> List[Any]:
    """Sends several commands at once over a connection of redis-py, and returns their replies."""
    try:
        connection.send_packed_command(connection.pack_commands(commands))
        replies = [_reply(connection) for _ in commands]
    except BaseException:
        # Replies that were not read would be taken for those of later commands.
        connection.disconnect()
        raise
    for reply in replies:
        if isinstance(reply, Exception):
            raise reply
    return replies


def _reply(connection: Any) -> Any:
    try:
        return connection.read_response()
    except redis.ResponseError as refused:
        return refused


def _json(envelope: Any) -> str:
    return envelope if isinstance(envelope, str) else json.dumps(envelope, default=_fields)


def _fields(struct: Any) -> Dict[str, Any]:
    """Returns the fields of a struct of msgspec, a dataclass or a model of pydantic."""
    names = getattr(struct, "__struct_fields__", None) or getattr(struct, "__dict__", None)
    names = names or getattr(struct, "__dataclass_fields__", ())
    return {name: getattr(struct, name) for name in names}


def _options(**given: Any) -> List[Any]:
    return [part for option in given.items() if option[1] is not None for part in option]


def _expectations(output: Optional[int], lifetime: Optional[float], cost: Optional[float]) -> List[Any]:
    return _options(OUTPUT=output, LIFETIME=_decimal(lifetime), COST=_decimal(cost))


def _decimal(number: Optional[float]) -> Optional[str]:
    # The server accepts no exponent.
    return None if number is None else f"{number:.9f}"


def _batches(items: List[Tuple[Key, List[memoryview]]]) -> Iterator[List[Tuple[Key, List[memoryview]]]]:
    batch: List[Tuple[Key, List[memoryview]]] = []
    size = 0
    for item in items:
        bytes_of_item = sum(piece.nbytes for piece in item[1])
        if batch and (len(batch) == _KEYS or size + bytes_of_item > _BYTES):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += bytes_of_item
    if batch:
        yield batch


def _literal(text: str) -> str:
    """Returns a pattern that matches only a text."""
    return re.sub(r"([*?\[\]\\^])", r"\\\1", text)
