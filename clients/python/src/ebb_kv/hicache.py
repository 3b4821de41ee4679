"""Storage of SGLang's HiCache in Ebb, for ``--hicache-storage-backend dynamic``."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from sglang.srt.mem_cache.hicache_storage import HiCacheStorage, HiCacheStorageConfig, HiCacheStorageExtraInfo

from ebb_kv import buffers
from ebb_kv.chains import Chains
from ebb_kv.client import Ebb, Item


class EbbHiCache(HiCacheStorage):
    """Stores each page as one value.

    Its key is the page's hash and the suffix that SGLang's file backend uses: model, rank and size. With
    ``"interface_v1": 1`` pages pass between the host pool and Ebb without an intermediate copy.
    """

    def __init__(self, storage_config: HiCacheStorageConfig, arguments: Optional[dict] = None) -> None:
        options = storage_config.extra_config or {}
        self._ebb = Ebb(options.get("url", "redis://127.0.0.1:6380"))
        self._chains = Chains(self._ebb, options.get("tenant"))
        self._suffix = _suffix(storage_config)
        self.mem_pool_host: Any = None

    def exists(self, key: str) -> bool:
        return self._ebb.exists(self._key(key))

    def batch_exists(self, keys: List[str], extra_info: Optional[HiCacheStorageExtraInfo] = None) -> int:
        before = (extra_info.prefix_keys if extra_info is not None else None) or []
        if not before:
            return self._chains.look_up(self._keys(keys))
        # SGLang holds the pages before these, but Ebb may lack them.
        found = self._chains.look_up(self._keys([*before, *keys])) - len(before)
        return found if found >= 0 else self._ebb.match(self._keys(keys))

    def get(self, key: str, target_location: Any = None, target_sizes: Any = None) -> Any:
        return self.batch_get([key], [target_location])[0]

    def batch_get(self, keys: List[str], target_locations: Any = None, target_sizes: Any = None) -> List[Any]:
        items = [(self._key(key), [target]) for key, target in zip(keys, target_locations)]
        return [t if read else None for read, t in zip(self._ebb.get_many_into(items), target_locations)]

    def set(self, key: str, value: Any = None, target_location: Any = None, target_sizes: Any = None) -> bool:
        return self.batch_set([key], [value])

    def batch_set(
        self, keys: List[str], values: Any = None, target_locations: Any = None, target_sizes: Any = None
    ) -> bool:
        self._store([(self._key(key), [value.contiguous()]) for key, value in zip(keys, values)])
        return True

    def batch_get_v1(
        self, keys: List[str], host_indices: Any, extra_info: Optional[HiCacheStorageExtraInfo] = None
    ) -> List[bool]:
        return self._ebb.get_many_into(self._pages(keys, host_indices))

    def batch_set_v1(
        self, keys: List[str], host_indices: Any, extra_info: Optional[HiCacheStorageExtraInfo] = None
    ) -> List[bool]:
        self._store(self._pages(keys, host_indices))
        return [True] * len(keys)

    def clear(self) -> None:
        """Deletes the pages of this model and rank."""
        for batch in _grouped(self._ebb.redis.scan_iter(match="*" + self._suffix, count=1000)):
            self._ebb.delete(*batch)

    def _store(self, items: List[Item]) -> None:
        self._ebb.set_many(items)
        self._chains.stored([key for key, _ in items])

    def _pages(self, keys: Sequence[str], host_indices: Any) -> List[Item]:
        addresses, sizes = self.mem_pool_host.get_page_buffer_meta(host_indices)
        pieces = [buffers.at(address, size) for address, size in zip(addresses, sizes)]
        each = len(pieces) // len(keys)
        return [(self._key(key), pieces[i * each : (i + 1) * each]) for i, key in enumerate(keys)]

    def _key(self, key: str) -> str:
        return key + self._suffix

    def _keys(self, keys: Sequence[str]) -> List[str]:
        return [self._key(key) for key in keys]


def _suffix(config: HiCacheStorageConfig) -> str:
    """Returns the suffix of SGLang's file backend. The ranks of an MLA model share their pages."""
    suffix = "_" + "-".join((config.model_name or "").split("/"))
    if not config.is_mla_model:
        suffix += f"_{config.tp_rank}_{config.tp_size}"
    if config.pp_size > 1:
        suffix += f"_{config.pp_size}_{config.pp_rank}"
    if config.attn_cp_size > 1:
        suffix += f"_cp{config.attn_cp_rank}_{config.attn_cp_size}"
    return suffix


def _grouped(keys: Any) -> Any:
    batch: List[bytes] = []
    for key in keys:
        batch.append(key)
        if len(batch) == 1000:
            yield batch
            batch = []
    if batch:
        yield batch
