"""Sequences of an inference engine whose KV memory is Ebb's.

The engine maps Ebb's memory and reads and writes K and V in place, as views of blocks: NumPy's in host memory, PyTorch's
on a GPU. Without views it needs only the standard library.
"""

from __future__ import annotations

import array
import mmap
import socket
import sys
import threading
from typing import Any, Iterable, List, Optional, Sequence as SequenceOf, Tuple

# Of the package, this needs neither redis-py nor the server's values.
from ebb_kv.cuda import CudaMemory
from ebb_kv.errors import ConnectionLost, EbbError

_DTYPES = {"fp32": "float32", "fp16": "float16", "bf16": "uint16"}
# PyTorch's names, and the types that it reads from the CUDA array interface.
_ON_GPU = {"fp32": ("float32", "<f4"), "fp16": ("float16", "<f2"), "bf16": ("bfloat16", "<i2")}
# A command has at most so many bytes in one argument.
_MOST_BYTES = 1 << 20


class OutOfBlocks(EbbError):
    """There is no memory for more tokens."""


class Preempted(EbbError):
    """The memory of a paused sequence was taken for another; open it again."""


class Engine:
    """The memory of one model's K and V in a server, and a connection to it. Threads may share it, but not a sequence.

    When the connection ends, also because the process dies, the server aborts the open sequences.
    """

    def __init__(
        self,
        path: str,
        model: str,
        *,
        layers: int,
        kv_heads: int,
        head_dim: int,
        block_tokens: int = 16,
        dtype: str = "fp16",
        query_heads: Optional[int] = None,
        queries: bool = False,
        attention: bool = False,
        lane_groups: int = 1,
        gpu: Optional[int] = None,
        username: Optional[str] = None,
        password: Optional[str] = None,
    ) -> None:
        """Connects, states the model and maps the memory.

        :param path: the server's Unix socket
        :param model: sequences share blocks only with those of the same model
        :param dtype: ``fp32``, ``fp16``, or ``bf16``, whose views have the type ``uint16``
        :param queries: whether the engine calls :meth:`Sequence.observe_queries`
        :param attention: whether the engine calls :meth:`Sequence.observe_attention`
        :param lane_groups: groups of equal size of the KV heads of all layers. Each has blocks of its own, so that token
            policies can keep other numbers of tokens in it: 1, ``layers`` or ``layers * kv_heads``
        :param gpu: the number that the server's GPU has in this process, if it has another one there
        """
        self.layers, self.kv_heads, self.head_dim = layers, kv_heads, head_dim
        self.block_tokens, self.dtype, self.lane_groups = block_tokens, dtype, lane_groups
        self._connection = _Connection(path)
        try:
            if password is not None:
                self._connection.call(b"AUTH", *([] if username is None else [username]), password)
            stated = ["LAYERS", layers, "KVHEADS", kv_heads, "HEADDIM", head_dim, "BLOCKTOKENS", block_tokens]
            stated += ["DTYPE", dtype, "LANEGROUPS", lane_groups] + ([] if query_heads is None else ["QUERYHEADS", query_heads])
            stated += ["QUERIES"] * queries + ["ATTENTION"] * attention
            where, part, block_bytes, blocks = self.call("MODEL", model, *stated)
            #: The memory if it is on a GPU, otherwise None.
            self.gpu_memory: Optional[CudaMemory] = None
            if where.startswith(b"cuda:"):
                self.gpu_memory = CudaMemory(int(where[5:]) if gpu is None else gpu, part, blocks * block_bytes)
            else:
                with open(where.decode(), "r+b") as opened:
                    self._map = mmap.mmap(opened.fileno(), blocks * block_bytes, offset=part)
        except BaseException:
            self._connection.close()
            raise
        self.block_count = blocks
        self._views: Any = None

    @property
    def blocks(self) -> Any:
        """All blocks as one array ``[block, layer, KV head, K or V, token, dimension]`` over the shared memory.

        With several lane groups it is ``[block, lane of the group, K or V, token, dimension]``: see :meth:`lane`. On a GPU
        it is a tensor of PyTorch; synchronize your stream before each command on a sequence.
        """
        if self._views is None:
            lanes = self.layers * self.kv_heads // self.lane_groups
            shape = (lanes,) if self.lane_groups > 1 else (self.layers, self.kv_heads)
            shape = (self.block_count, *shape, 2, self.block_tokens, self.head_dim)
            self._views = self._in_host_memory(shape) if self.gpu_memory is None else self._on_gpu(self.gpu_memory, shape)
        return self._views

    def _in_host_memory(self, shape: Tuple[int, ...]) -> Any:
        import numpy as np

        return np.frombuffer(self._map, dtype=_DTYPES[self.dtype]).reshape(shape)

    def _on_gpu(self, memory: CudaMemory, shape: Tuple[int, ...]) -> Any:
        import torch

        name, element = _ON_GPU[self.dtype]
        tensor = torch.as_tensor(memory.array(shape, element), device=f"cuda:{memory.ordinal}")
        return tensor.view(getattr(torch, name))

    def lane(self, layer: int, kv_head: int) -> Any:
        """One KV head of a layer in all blocks, ``[block, K or V, token, dimension]``: see :meth:`Sequence.table_of`."""
        if self.lane_groups == 1:
            return self.blocks[:, layer, kv_head]
        lanes = self.layers * self.kv_heads // self.lane_groups
        return self.blocks[:, (layer * self.kv_heads + kv_head) % lanes]

    def open(
        self,
        tokens: Iterable[int],
        *,
        tenant: Optional[str] = None,
        priority: Optional[int] = None,
        label: Optional[str] = None,
        adapter: Optional[str] = None,
        salt: Optional[str] = None,
        reserve: Optional[int] = None,
        wait: float = 0,
    ) -> Sequence:
        """Opens a sequence: finds the longest cached prefix, and allocates memory for the other tokens.

        :param adapter: a LoRA or other adapter; only sequences with the same one share blocks
        :param salt: only sequences with the same one share blocks
        :param reserve: allocates memory for so many tokens, prompt and answer
        :param wait: seconds to wait for memory, at most 60
        """
        given = [("TENANT", tenant), ("PRIORITY", priority), ("LABEL", label), ("ADAPTER", adapter), ("SALT", salt)]
        given += [("RESERVE", reserve), ("WAIT", int(wait * 1000) or None)]
        options = [word for option in given if option[1] is not None for word in option]
        # A long prompt is one command and some more.
        parts = _parts(tokens)
        id, matched, changes = self.call("OPEN", *options, parts[0])
        sequence = Sequence(self, id, matched)
        sequence._changed(changes)
        for part in parts[1:]:
            sequence._changed(self.call("APPEND", id, part))
        return sequence

    def call(self, *words: Any) -> Any:
        """Executes a command of ``EBB.SEQ``."""
        return self._connection.call(b"EBB.SEQ", *words)

    def call_all(self, commands: SequenceOf[SequenceOf[Any]]) -> List[Any]:
        """Executes several commands of ``EBB.SEQ`` in one round trip. Raises the first refusal after all of them."""
        return self._connection.call_all([(b"EBB.SEQ", *words) for words in commands])

    def close(self) -> None:
        """Ends the connection. Views must not be used any more."""
        self._connection.close()
        self._views = None
        if self.gpu_memory is not None:
            self.gpu_memory.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Pruned:
    """The result of :meth:`Sequence.prune`."""

    def __init__(self, removed: int, cause: bytes, policy: bytes, detail: bytes, lengths: List[int]) -> None:
        self.removed = removed
        self.cause, self.policy, self.detail = cause.decode(), policy.decode(), detail.decode()
        #: The rows in use by layer and KV head: ``lengths[layer * kv_heads + head]``; empty if nothing was dropped.
        self.lengths = lengths


class Sequence:
    """A request being served: its tokens, and the blocks with their K and V. As a context manager it aborts.

    Row ``r`` of a head is token ``r % block_tokens`` of block ``table[r // block_tokens]``. Blocks of matched and
    published tokens must not be written.
    """

    def __init__(self, engine: Engine, id: int, matched: int) -> None:
        self.id = id
        #: How many leading tokens had K and V when it was opened.
        self.matched = matched
        #: For each lane group its block numbers, front to back.
        self.tables: List[List[int]] = [[] for _ in range(engine.lane_groups)]
        #: Changes when numbers of known blocks have changed, and not only new ones were added.
        self.epoch = 0
        #: Rows in use, of the longest head.
        self.length = 0
        self._engine = engine
        self._open = True

    @property
    def table(self) -> List[int]:
        """The block numbers of the only lane group, or of the first."""
        return self.tables[0]

    def table_of(self, layer: int, kv_head: int) -> List[int]:
        """The block numbers of a KV head of a layer."""
        engine = self._engine
        lane = layer * engine.kv_heads + kv_head
        return self.tables[lane * engine.lane_groups // (engine.layers * engine.kv_heads)]

    def append(self, tokens: Iterable[int]) -> None:
        """Allocates memory for more tokens: all of them, or it raises :class:`OutOfBlocks`."""
        for part in _parts(tokens):
            self._changed(self._call("APPEND", part))

    def publish(self, written: int) -> int:
        """Lets other sequences use the full blocks of the first tokens, whose K and V are written."""
        published, changes = self._call("PUBLISH", written)
        self._changed(changes)
        return int(published)

    def observe_queries(self, layer: int, queries: Any) -> None:
        """Provides the queries of the newest tokens, ``[query head, token, dimension]``, rotated as the keys are."""
        self._engine.call_all(list(self._observed("QUERIES", layer, queries)))

    def observe_attention(self, layer: int, rows: Any) -> None:
        """Provides the attention of the newest tokens, ``[query head, token, row]`` over the rows in use."""
        self._engine.call_all(list(self._observed("ATTENTION", layer, rows)))

    def _observed(self, kind: str, layer: int, values: Any) -> Iterable[Tuple[Any, ...]]:
        import numpy as np

        each = values.shape[0] * values.shape[2] * 4
        count = values.shape[1]
        # The last part is as large as it can be: a window of attention has to be in it.
        step = max(1, _MOST_BYTES // each)
        bounds = sorted(set(range(count, 0, -step)) | {0})
        for start, end in zip(bounds, bounds[1:]):
            part = np.ascontiguousarray(values[:, start:end], dtype="<f4")
            yield "OBSERVE", self.id, kind, layer, end - start, memoryview(part).cast("B")

    def prune(self, size: Optional[int] = None) -> Pruned:
        """Drops tokens if the server's token policy has a cause to, after the prompt and after each step.

        Then the kept tokens of each head are in its first rows, in any order: :meth:`positions` has it.

        :param size: the most rows to keep, whatever is configured
        """
        *result, changes = self._call("PRUNE", *([] if size is None else [size]))
        self._changed(changes)
        return Pruned(*result)

    def positions(self, layer: int, kv_head: int) -> List[int]:
        """Returns the position of the token in each row in use."""
        return list(self._call("POSITIONS", layer, kv_head))

    def pause(self) -> None:
        """Lets the server move the blocks, or take the memory for another sequence. Use no view until :meth:`resume`."""
        self._call("PAUSE")

    def resume(self) -> None:
        """Ends a pause. Raises :class:`Preempted` if the memory was taken; then the sequence has ended."""
        self._changed(self._call("RESUME"))

    def finish(self, written: Optional[int] = None) -> None:
        """Ends the sequence, and lets others use its full blocks: all, or those of the first tokens."""
        self._call("FINISH", *([] if written is None else [written]))
        self._open = False

    def abort(self) -> None:
        """Ends the sequence."""
        self._call("ABORT")
        self._open = False

    def __enter__(self) -> Sequence:
        return self

    def __exit__(self, *_: Any) -> None:
        if self._open:
            self.abort()

    def _call(self, operation: str, *words: Any) -> Any:
        try:
            return self._engine.call(operation, self.id, *words)
        except Preempted:
            self._open = False
            raise

    def _changed(self, changes: List[int]) -> None:
        self.epoch, self.length = changes[:2]
        at = 2
        while at < len(changes):
            group, same, count = changes[at : at + 3]
            at += 3 + count
            self.tables[group][same:] = changes[at - count : at]


class _Connection:
    """A connection that speaks RESP over a Unix socket."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(path)
        except OSError as failed:
            self._socket.close()
            raise ConnectionLost(f"cannot connect to '{path}': {failed}") from failed
        self._reader = self._socket.makefile("rb", 1 << 16)
        self._lock = threading.Lock()

    def call(self, *words: Any) -> Any:
        return self.call_all([words])[0]

    def call_all(self, commands: SequenceOf[SequenceOf[Any]]) -> List[Any]:
        try:
            # Threads that share a connection must not get each other's replies.
            with self._lock:
                if self._socket.fileno() < 0:
                    raise ConnectionLost("this engine is closed; open another one")
                for words in commands:
                    self._socket.sendall(_command(words))
                replies = [self._reply() for _ in commands]
        except OSError as failed:
            raise ConnectionLost(f"the connection to the server ended: {failed}") from failed
        for reply in replies:
            if isinstance(reply, EbbError):
                raise reply
        return replies

    def _reply(self) -> Any:
        line = self._reader.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionLost("the server closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"*":
            return [self._reply() for _ in range(int(rest))]
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == b"-1" else self._reader.read(int(rest) + 2)[:-2]
        return rest if kind == b"+" else _refusal(rest.decode(errors="replace"))

    def close(self) -> None:
        self._reader.close()
        self._socket.close()


def _refusal(text: str) -> EbbError:
    code, _, message = text.partition(" ")
    return {"OOM": OutOfBlocks, "PREEMPTED": Preempted}.get(code, EbbError)(message)


def _command(words: SequenceOf[Any]) -> bytes:
    parts = [b"*%d\r\n" % len(words)]
    for word in words:
        data = word if isinstance(word, (bytes, memoryview)) else str(word).encode()
        parts += [b"$%d\r\n" % len(data), data, b"\r\n"]
    return b"".join(parts)


def _parts(tokens: Iterable[int]) -> List[bytes]:
    ids = array.array("i", tokens)
    if sys.byteorder == "big":
        ids.byteswap()
    data = ids.tobytes()
    return [data[at : at + _MOST_BYTES] for at in range(0, len(data), _MOST_BYTES)] or [b""]
