"""An inference engine in NumPy whose K and V are in Ebb's memory.

The model has the shape of Llama, with random weights. Start a server whose configuration has

    ebb.server { unix-socket = "/tmp/ebb.sock", shared-memory = /dev/shm, sequences.memory = 64 MiB }

and run ``PYTHONPATH=src python3 examples/tiny_llama.py /tmp/ebb.sock``.
"""

from __future__ import annotations

import sys
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ebb_kv.engine import Engine, Pruned
from ebb_kv.errors import ConnectionLost


class Model:
    """A decoder: RMS norm, rotary embedding, grouped-query attention, SwiGLU. Computes in double precision, so that
    results do not depend on how tokens are batched; K and V are single precision."""

    def __init__(
        self, seed: int = 1, layers: int = 2, hidden: int = 64, heads: int = 4, kv_heads: int = 2, vocab: int = 256
    ) -> None:
        self.layers, self.heads, self.kv_heads, self.head_dim = layers, heads, kv_heads, hidden // heads
        self.vocab = vocab
        random = np.random.default_rng(seed)

        def matrix(rows: int, columns: int) -> np.ndarray:
            return random.standard_normal((rows, columns)) / np.sqrt(rows)

        self.embedding = random.standard_normal((vocab, hidden))
        self.output = matrix(hidden, vocab)
        kv = kv_heads * self.head_dim
        self.weights = [
            {
                "q": 2 * matrix(hidden, hidden),
                "k": 2 * matrix(hidden, kv),
                "v": matrix(hidden, kv),
                "o": matrix(hidden, hidden),
                "gate": matrix(hidden, 2 * hidden),
                "up": matrix(hidden, 2 * hidden),
                "down": matrix(2 * hidden, hidden),
            }
            for _ in range(layers)
        ]
        self.frequencies = 10_000.0 ** (-np.arange(0, self.head_dim, 2) / self.head_dim)

    def forward(self, tokens: Sequence[int], position: int, cache: Any) -> int:
        """Computes the newest tokens, which the cache has made room for, and returns the most likely next one.

        :param position: the text position of the first of them
        """
        positions = np.arange(position, position + len(tokens))
        x = self.embedding[np.asarray(tokens)]
        for layer, w in enumerate(self.weights):
            normed = _norm(x)
            q = self._rotate(self._split(normed @ w["q"], self.heads), positions)
            k = self._rotate(self._split(normed @ w["k"], self.kv_heads), positions)
            cache.write(layer, k, self._split(normed @ w["v"], self.kv_heads))
            x = x + self._attend(layer, q, cache) @ w["o"]
            normed = _norm(x)
            gate = normed @ w["gate"]
            x = x + (gate / (1 + np.exp(-gate)) * (normed @ w["up"])) @ w["down"]
        return int(np.argmax(_norm(x[-1]) @ self.output))

    def _attend(self, layer: int, q: np.ndarray, cache: Any) -> np.ndarray:
        """Returns the attention's output ``[token, hidden]``. Of the rows of a head the last ones are new."""
        count, group = q.shape[1], self.heads // self.kv_heads
        out = np.empty((count, self.heads, self.head_dim))
        rows = [cache.read(layer, head) for head in range(self.kv_heads)]
        shares = np.zeros((self.heads, count, max(k.shape[0] for k, _ in rows)), np.float32)
        for head, (k, v) in enumerate(rows):
            length = k.shape[0]
            future = np.arange(length)[None, :] > np.arange(length - count, length)[:, None]
            queries = q[head * group : (head + 1) * group]
            scores = queries @ k.T.astype(np.float64) / np.sqrt(self.head_dim)
            scores[:, future] = -np.inf
            share = np.exp(scores - scores.max(-1, keepdims=True))
            share /= share.sum(-1, keepdims=True)
            out[:, head * group : (head + 1) * group] = (share @ v.astype(np.float64)).transpose(1, 0, 2)
            shares[head * group : (head + 1) * group, :, :length] = share
        cache.observe(layer, q, shares)
        return out.reshape(count, -1)

    @staticmethod
    def _split(x: np.ndarray, heads: int) -> np.ndarray:
        return x.reshape(x.shape[0], heads, -1).transpose(1, 0, 2)

    def _rotate(self, x: np.ndarray, positions: np.ndarray) -> np.ndarray:
        angles = positions[:, None] * self.frequencies
        cos, sin = np.cos(angles), np.sin(angles)
        first, second = x[..., 0::2], x[..., 1::2]
        turned = np.empty_like(x)
        turned[..., 0::2] = first * cos - second * sin
        turned[..., 1::2] = first * sin + second * cos
        return turned


def _norm(x: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6)


class EbbCache:
    """The K and V of one sequence, in blocks of Ebb."""

    def __init__(self, engine: Engine, prompt: Sequence[int], observes: str = "", **options: Any) -> None:
        self.sequence = engine.open(prompt, **options)
        self.matched = self.sequence.matched
        self._engine, self._observes = engine, observes
        # Rows in use of each head.
        self._rows = np.full((engine.layers, engine.kv_heads), len(prompt))
        self._tables = self._arrays()

    def _arrays(self) -> List[np.ndarray]:
        """Returns the table of each lane group as an array."""
        return [np.array(table, int) for table in self.sequence.tables]

    def _lane(self, layer: int, head: int) -> Tuple[np.ndarray, np.ndarray]:
        """Returns the blocks of a head ``[block, K or V, token, dimension]``, and its table."""
        lanes = self._rows.size // len(self._tables)
        return self._engine.lane(layer, head), self._tables[(layer * self._engine.kv_heads + head) // lanes]

    def append(self, token: int) -> None:
        self.sequence.append([token])
        self._rows += 1
        self._tables = self._arrays()

    def write(self, layer: int, k: np.ndarray, v: np.ndarray) -> None:
        count = k.shape[1]
        for head in range(k.shape[0]):
            length = self._rows[layer, head]
            # Matched rows are there, and shared.
            first = max(self.matched, length - count)
            rows = np.arange(first, length)
            lane, table = self._lane(layer, head)
            blocks, offsets = table[rows // self._engine.block_tokens], rows % self._engine.block_tokens
            lane[blocks, 0, offsets] = k[head, count - len(rows) :]
            lane[blocks, 1, offsets] = v[head, count - len(rows) :]

    def read(self, layer: int, head: int) -> Tuple[np.ndarray, np.ndarray]:
        length = self._rows[layer, head]
        lane, table = self._lane(layer, head)
        used = table[: -(-length // self._engine.block_tokens)]
        k, v = (lane[used, kind].reshape(-1, self._engine.head_dim)[:length] for kind in (0, 1))
        return k, v

    def observe(self, layer: int, queries: np.ndarray, shares: np.ndarray) -> None:
        if self._observes == "queries":
            self.sequence.observe_queries(layer, queries)
        elif self._observes == "attention":
            self.sequence.observe_attention(layer, shares)

    def prune(self, size: Optional[int]) -> Pruned:
        pruned = self.sequence.prune(size)
        if pruned.lengths:
            self.matched = 0
            self._rows = np.array(pruned.lengths).reshape(self._rows.shape)
            self._tables = self._arrays()
        return pruned

    def finish(self, written: int) -> None:
        self.sequence.finish(written)


class ArrayCache:
    """The K and V of one sequence, in arrays of this process: what the engine would do without Ebb."""

    matched = 0

    def __init__(self, model: Model, most: int) -> None:
        shape = (model.layers, model.kv_heads, most, model.head_dim)
        self.k, self.v = np.empty(shape, np.float32), np.empty(shape, np.float32)
        self._rows = np.zeros((model.layers, model.kv_heads), int)

    def append(self, token: int) -> None:
        pass

    def write(self, layer: int, k: np.ndarray, v: np.ndarray) -> None:
        count = k.shape[1]
        for head in range(k.shape[0]):
            length = self._rows[layer, head]
            self.k[layer, head, length : length + count] = k[head]
            self.v[layer, head, length : length + count] = v[head]
        self._rows[layer] += count

    def read(self, layer: int, head: int) -> Tuple[np.ndarray, np.ndarray]:
        length = self._rows[layer, head]
        return self.k[layer, head, :length], self.v[layer, head, :length]

    def observe(self, layer: int, queries: np.ndarray, shares: np.ndarray) -> None:
        pass

    def prune(self, size: Optional[int]) -> None:
        pass

    def finish(self, written: int) -> None:
        pass


def generate(
    model: Model, cache: Any, prompt: Sequence[int], count: int, size: Optional[int] = None, every_step: bool = False
) -> List[int]:
    """Returns the most likely next tokens.

    :param size: the most rows that a token policy keeps, after the prompt or also after every step
    """
    # The last token is always computed, because its output is needed.
    start = min(cache.matched, len(prompt) - 1)
    answer = [model.forward(prompt[start:], start, cache)]
    cache.prune(size)
    while len(answer) < count:
        cache.append(answer[-1])
        answer.append(model.forward(answer[-1:], len(prompt) + len(answer) - 1, cache))
        if every_step:
            cache.prune(size)
    cache.finish(len(prompt) + count - 1)
    return answer


def connect(path: str, model: Model, name: str = "tiny-llama", **options: Any) -> Engine:
    """Connects for a model."""
    return Engine(
        path,
        name,
        layers=model.layers,
        kv_heads=model.kv_heads,
        head_dim=model.head_dim,
        query_heads=model.heads,
        dtype="fp32",
        **options,
    )


def main(path: str) -> None:
    model = Model()
    random = np.random.default_rng(2)
    system = random.integers(0, model.vocab, 100).tolist()
    with connect(path, model, queries=True, attention=True) as engine:
        for _ in range(3):
            prompt = system + random.integers(0, model.vocab, 20).tolist()
            cache = EbbCache(engine, prompt)
            answer = generate(model, cache, prompt, 16)
            same = answer == generate(model, ArrayCache(model, 200), prompt, 16)
            print(f"{cache.sequence.matched} of {len(prompt)} tokens cached, same as without Ebb: {same}, {answer}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: tiny_llama.py SOCKET, the ebb.server.unix-socket of a running 'ebb serve'")
    try:
        main(sys.argv[1])
    except ConnectionLost as error:
        sys.exit(f"tiny_llama.py: {error}; name the ebb.server.unix-socket of a running 'ebb serve'")
