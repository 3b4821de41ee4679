"""An engine with SGLang's HiCache: its host pools, and the order in which its controller calls a storage backend."""

from __future__ import annotations

import abc
import dataclasses
import enum
import hashlib
import os
import sys
import types
from typing import Any, List, Optional

import numpy as np

PAGE = 4
# As many pages as the controller reads and writes in one call.
BATCH = 128


def storage() -> types.ModuleType:
    """Returns SGLang's storage interface: that of SGLANG_SOURCE if it is set, otherwise one with the same members."""
    if os.environ.get("SGLANG_SOURCE"):
        from tests.peers import require_sglang

        return require_sglang()
    name = "sglang.srt.mem_cache.hicache_storage"
    if name not in sys.modules:
        for package in ("sglang", "sglang.srt", "sglang.srt.mem_cache"):
            sys.modules.setdefault(package, types.ModuleType(package))
        module = types.ModuleType(name)
        module.HiCacheStorage, module.PoolHitPolicy, module.PoolTransfer = _Base, _Policy, _Transfer
        module.PoolTransferResult, module.HiCacheStorageConfig, module.HiCacheStorageExtraInfo = _Result, _Config, _Info
        sys.modules[name] = module
        sys.modules["sglang.srt.mem_cache"].hicache_storage = module
    return sys.modules[name]


class _Base(abc.ABC):
    @abc.abstractmethod
    def get(self, key, target_location=None, target_sizes=None): ...

    @abc.abstractmethod
    def batch_get(self, keys, target_locations=None, target_sizes=None): ...

    @abc.abstractmethod
    def set(self, key, value=None, target_location=None, target_sizes=None): ...

    @abc.abstractmethod
    def batch_set(self, keys, values=None, target_locations=None, target_sizes=None): ...

    @abc.abstractmethod
    def exists(self, key): ...


class _Policy(str, enum.Enum):
    ALL_PAGES = "all_pages"
    TRAILING_PAGES = "trailing_pages"


@dataclasses.dataclass
class _Transfer:
    name: str
    host_indices: Any = None
    device_indices: Any = None
    keys: Optional[List[str]] = None
    hit_policy: _Policy = _Policy.ALL_PAGES


@dataclasses.dataclass
class _Result:
    kv_hit_pages: int
    extra_pool_hit_pages: dict
    restorable_prefix_pages: Optional[List[int]] = None


@dataclasses.dataclass
class _Config:
    tp_rank: int
    tp_size: int
    pp_rank: int
    pp_size: int
    attn_cp_rank: int
    attn_cp_size: int
    is_mla_model: bool
    enable_storage_metrics: bool
    is_page_first_layout: bool
    model_name: Optional[str]
    dp_rank: int = 0
    dp_size: int = 1
    tp_lcm_size: Optional[int] = None
    should_split_heads: bool = False
    extra_config: Optional[dict] = None


@dataclasses.dataclass
class _Info:
    prefix_keys: Optional[List[str]] = None
    extra_info: Optional[dict] = None


def config(**changed: Any) -> Any:
    options = dict(tp_rank=0, tp_size=1, pp_rank=0, pp_size=1, attn_cp_rank=0, attn_cp_size=1, is_mla_model=False)
    options.update(enable_storage_metrics=False, is_page_first_layout=True, model_name="qwen/hybrid")
    return storage().HiCacheStorageConfig(**{**options, **changed})


class KvPool:
    """K and V of pages: two buffers a page, or two for each share of the heads."""

    dtype, layout, page_size, head_dim, layer_num = "bfloat16", "page_head", PAGE, 8, 2
    page_bytes = 256

    def __init__(self, pages: int) -> None:
        self.kv_buffer = np.zeros((2, pages, self.page_bytes), np.uint8)

    def get_page_buffer_meta(self, indices: Any) -> Any:
        return self.get_split_heads_page_buffer_meta(indices, 1)

    def get_split_heads_page_buffer_meta(self, indices: Any, parts: int) -> Any:
        size = self.page_bytes // parts
        pages = [int(i) // self.page_size for i in indices[:: self.page_size]]
        base, half = self.kv_buffer.ctypes.data, self.kv_buffer[0].nbytes
        starts = [base + page * self.page_bytes + part * size for page in pages for part in range(parts)]
        return [at + kind * half for at in starts for kind in (0, 1)], [size] * (2 * len(starts))

    def indices(self, pages: List[int]) -> Any:
        return np.concatenate([np.arange(page * PAGE, (page + 1) * PAGE) for page in pages])

    def fill(self, page: int, data: bytes) -> None:
        self.kv_buffer[:, page] = np.frombuffer(data, np.uint8).reshape(2, self.page_bytes)

    def data(self, page: int) -> bytes:
        return self.kv_buffer[:, page].tobytes()


class StatePool:
    """Recurrent states: a temporal one and one of each convolution, of different sizes, for each slot."""

    dtype, layout, page_size = "float32", "page_first_direct", 1
    sizes = (96, 32, 17)

    def __init__(self, slots: int) -> None:
        self.buffers = [np.zeros((slots, size), np.uint8) for size in self.sizes]

    def get_page_buffer_meta(self, indices: Any) -> Any:
        at = [(b, int(i)) for i in indices for b in self.buffers]
        return [b.ctypes.data + i * b.shape[1] for b, i in at], [b.shape[1] for b, _ in at]

    def indices(self, slots: List[int]) -> Any:
        return np.array(slots)

    def fill(self, slot: int, data: bytes) -> None:
        at = 0
        for buffer in self.buffers:
            buffer[slot] = np.frombuffer(data[at : at + buffer.shape[1]], np.uint8)
            at += buffer.shape[1]

    def data(self, slot: int) -> bytes:
        return b"".join(buffer[slot].tobytes() for buffer in self.buffers)


def value(hash: str, pool: str, size: int) -> bytes:
    """Returns the bytes of a page in a pool, which are others for each page and pool."""
    return hashlib.shake_128(f"{hash} {pool}".encode()).digest(size)


def hashes(tokens: List[Any]) -> List[str]:
    """Returns the hashes of a prompt's pages, each of which includes those before it."""
    chain, digest = [], b""
    for token in tokens:
        digest = hashlib.sha256(digest + repr(token).encode()).digest()
        chain.append(digest.hex())
    return chain


class Engine:
    """SGLang's controller for a hybrid model: reads the pools beside K and V first, and writes them first.

    :param windows: how many of the last pages each other pool needs, None if all
    """

    def __init__(self, backend: Any, windows: Any, pages: int = 512) -> None:
        self.backend = backend
        self.windows = windows
        self.pools = {"kv": KvPool(pages)}
        self.pools.update({name: (StatePool if name == "mamba" else KvPool)(pages) for name in windows})
        backend.register_mem_pool_host(self.pools["kv"])
        for name, pool in self.pools.items():
            backend.register_mem_host_pool_v2(pool, name)

    def backup(self, prompt: List[str], states: List[int]) -> None:
        """Stores a prompt.

        :param states: lengths of prefixes of which there are states and windows
        """
        transfers = []
        for name, window in self.windows.items():
            keys = prompt if window is None else []
            for length in states if window is not None else []:
                keys = keys + [key for key in prompt[max(0, length - window) : length] if key not in keys]
            transfers.append(self._transfer(name, keys))
        self._assert_all(self.backend.batch_set_v2([t for t in transfers if t.keys]))
        for at in range(0, len(prompt), BATCH):
            pages = self._transfer("kv", prompt[at : at + BATCH])
            self._assert_all({"kv": self.backend.batch_set_v1(pages.keys, pages.host_indices)})

    def usable(self, prompt: List[str], before: int = 0) -> Any:
        """Asks for the prefix that can be used, and returns the answer."""
        info = storage().HiCacheStorageExtraInfo(prefix_keys=prompt[:before] or None)
        return self.backend.batch_exists_v2(prompt[before:], self._asked(prompt), info)

    def prefetch(self, prompt: List[str]) -> int:
        """Reads the usable prefix, checks its bytes and returns its length, or -1 if not all of it was there."""
        transfers = self._asked(prompt)
        hit = self.backend.batch_exists_v2(prompt, transfers).kv_hit_pages
        if hit == 0:
            return 0
        for transfer in transfers:
            window = self.windows[transfer.name]
            transfer.keys = prompt[:hit] if window is None else prompt[max(0, hit - len(transfer.keys)) : hit]
            transfer.host_indices = self._cleared(transfer.name, len(transfer.keys))
        read = self.backend.batch_get_v2(transfers)
        whole = all(all(each) for each in read.values())
        for transfer in transfers:
            self._check(transfer.name, transfer.keys, read[transfer.name])
        for at in range(0, hit, BATCH):
            keys = prompt[at:hit][:BATCH]
            got = self.backend.batch_get_v1(keys, self._cleared("kv", len(keys)))
            self._check("kv", keys, got)
            whole = whole and all(got)
        return hit if whole else -1

    def _asked(self, prompt: List[str]) -> List[Any]:
        module = storage()
        return [
            module.PoolTransfer(
                name=name,
                keys=None if window is None else prompt[-window:],
                hit_policy=getattr(module.PoolHitPolicy, "ALL_PAGES" if window is None else "TRAILING_PAGES"),
            )
            for name, window in self.windows.items()
        ]

    def _transfer(self, name: str, keys: List[str]) -> Any:
        pool = self.pools[name]
        for slot, key in enumerate(keys):
            pool.fill(slot, value(key, name, len(pool.data(slot))))
        indices = pool.indices(list(range(len(keys)))) if keys else None
        return storage().PoolTransfer(name=name, keys=keys, host_indices=indices)

    def _cleared(self, name: str, count: int) -> Any:
        pool = self.pools[name]
        for slot in range(count):
            pool.fill(slot, bytes(len(pool.data(slot))))
        return pool.indices(list(range(count)))

    def _check(self, name: str, keys: List[str], read: List[bool]) -> None:
        pool = self.pools[name]
        for slot, (key, done) in enumerate(zip(keys, read)):
            size = len(pool.data(slot))
            expected = value(key, name, size) if done else bytes(size)
            if pool.data(slot) != expected:
                raise AssertionError(f"page '{key}' of pool '{name}' has other bytes")

    @staticmethod
    def _assert_all(results: Any) -> None:
        if not all(all(each) for each in results.values()):
            raise AssertionError(f"not all pages were stored: {results}")
