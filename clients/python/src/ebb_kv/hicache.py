"""Storage of SGLang's HiCache in Ebb, for ``--hicache-storage-backend dynamic``."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from sglang.srt.mem_cache import hicache_storage as sglang

from ebb_kv import hicache_pages
from ebb_kv.chains import Chains
from ebb_kv.client import Ebb, Item
from ebb_kv.hicache_pages import KV, PageKeys
from ebb_kv.reachability import Reachability


class EbbHiCache(sglang.HiCacheStorage):
    """Stores each page of each pool as one value, which passes between the host pool and Ebb without a copy between.

    While the server is away, lookups find nothing and nothing is stored. No method raises for that: SGLang does not
    start a thread again that an exception has ended.
    """

    def __init__(self, storage_config: Any, arguments: Optional[dict] = None) -> None:
        options = storage_config.extra_config or {}
        if getattr(storage_config, "should_split_heads", False) and not options.get("interface_v1"):
            # Without it SGLang passes whole pages, which cannot be split.
            raise ValueError("tp_lcm_size needs interface_v1: add \"interface_v1\": 1 to the extra config")
        url = options.get("url", "redis://127.0.0.1:6380")
        timeout = float(options.get("timeout", 10))
        self._ebb = Ebb(url, socket_timeout=timeout)
        self._server = Reachability(url.rpartition("@")[2])
        self._chains = Chains(self._ebb, options.get("tenant"))
        self._keys = PageKeys(storage_config)
        self._windows: Dict[str, int] = {}
        self.mem_pool_host: Any = None
        self.registered_pools: Dict[Any, Any] = {}

    def register_mem_pool_host(self, mem_pool_host: Any) -> None:
        self.mem_pool_host = mem_pool_host
        self._keys.register(KV, mem_pool_host)

    def register_mem_host_pool_v2(self, host_pool: Any, host_pool_name: Any) -> None:
        self.registered_pools[host_pool_name] = host_pool
        self._keys.register(str(host_pool_name), host_pool)

    def exists(self, key: str) -> bool:
        names = self._keys.of(KV, key)
        return self._server.run("look up", lambda: all(self._ebb.exists(name) for name in names), False)

    def batch_exists(self, keys: List[str], extra_info: Any = None) -> int:
        return self._look_up(keys, [], extra_info).prefixes[-1]

    def batch_exists_v2(
        self, keys: List[str], pool_transfers: Optional[List[Any]] = None, extra_info: Any = None
    ) -> Any:
        transfers = pool_transfers or []
        for transfer in transfers:
            name = str(transfer.name)
            self._windows[name] = max(_trailing(transfer) or 0, self._windows.get(name, 0))
        found = self._look_up(keys, transfers, extra_info)
        result = sglang.PoolTransferResult(found.prefixes[-1], found.pages)
        if hasattr(result, "restorable_prefix_pages"):
            result.restorable_prefix_pages = found.prefixes[1:]
        return result

    def batch_get_v1(self, keys: List[str], host_indices: Any, extra_info: Any = None) -> List[bool]:
        return self._read([_Pages(KV, keys, host_indices)])[KV]

    def batch_set_v1(self, keys: List[str], host_indices: Any, extra_info: Any = None) -> List[bool]:
        return self._write([_Pages(KV, keys, host_indices)])[KV]

    def batch_get_v2(self, transfers: List[Any], extra_info: Any = None) -> Dict[Any, List[bool]]:
        return self._read([_Pages(t.name, t.keys or [], t.host_indices) for t in transfers])

    def batch_set_v2(self, transfers: List[Any], extra_info: Any = None) -> Dict[Any, List[bool]]:
        return self._write([_Pages(t.name, t.keys or [], t.host_indices) for t in transfers])

    def get(self, key: str, target_location: Any = None, target_sizes: Any = None) -> Any:
        return self.batch_get([key], [target_location])[0]

    def batch_get(self, keys: List[str], target_locations: Any = None, target_sizes: Any = None) -> List[Any]:
        items = [(self._keys.of(KV, key)[0], [target]) for key, target in zip(keys, target_locations)]
        read = self._server.run("read", lambda: self._ebb.get_many_into(items), [False] * len(items))
        return [target if done else None for done, target in zip(read, target_locations)]

    def set(self, key: str, value: Any = None, target_location: Any = None, target_sizes: Any = None) -> bool:
        return self.batch_set([key], [value])

    def batch_set(
        self, keys: List[str], values: Any = None, target_locations: Any = None, target_sizes: Any = None
    ) -> bool:
        items = [(self._keys.of(KV, key)[0], [value.contiguous()]) for key, value in zip(keys, values)]
        return self._server.run("store", lambda: self._stored(items), False)

    def clear(self) -> None:
        """Deletes the pages of this rank in this deployment."""
        for suffix in {s for name in [KV, *self._keys.groups] for s in self._keys.suffixes(name)}:
            self._server.run("delete", lambda: self._ebb.delete_ending(suffix), None)

    def close(self) -> None:
        """Ends the connections."""
        self._ebb.close()

    def _look_up(self, keys: Sequence[str], transfers: Sequence[Any], extra_info: Any) -> _Found:
        info = extra_info.extra_info if extra_info is not None else None
        before = (extra_info.prefix_keys if extra_info is not None else None) or []
        stage = (info or {}).get("pp_rank")
        pools = [_Need(KV, None)] if self._keys.has_payload(KV) else []
        pools += [_Need(t.name, _trailing(t)) for t in transfers]
        if not keys or not pools:
            return _Found([0], {})
        # SGLang passes the KV hints of a request under the name of its field.
        hints = (info or {}).get("kv_hints")
        action = lambda: _usable(pools, self._present(pools, before, keys, stage, hints))  # noqa: E731
        return self._server.run("look up", action, _Found([0], {}))

    def _present(
        self, pools: Sequence[_Need], before: Sequence[str], keys: Sequence[str], stage: Optional[int], hints: Any
    ) -> List[List[bool]]:
        """Returns for each pool whether it has each page, in one round trip."""
        columns = [_columns(self._keys, str(need.name), keys, stage) for need in pools]
        front = [self._keys.of(str(pools[0].name), key, stage)[0] for key in before]
        chain = columns[0][0]
        every = [column for pool in columns for column in pool]
        # The reply to a request counts what all pools can serve, and is enough if there is only one.
        asked = every if len(self._keys.groups) > 1 or len(every) > 1 else []
        found, bits = self._chains.look_up_all(
            [*front, *chain],
            [key for column in asked for key in column],
            self._kinds(),
            hints,
            getattr(self.mem_pool_host, "page_size", None),
        )
        if not asked:
            # SGLang holds the pages before these, but Ebb may lack them.
            leading = found - len(front) if found >= len(front) else self._ebb.match(chain)
            bits = [page < leading for page in range(len(chain))]
        rows = [bits[at : at + len(chain)] for at in range(0, len(bits), len(chain))]
        present = []
        for pool in columns:
            mine, rows = rows[: len(pool)], rows[len(pool) :]
            present.append([all(page) for page in zip(*mine)])
        return present

    def _kinds(self) -> Optional[str]:
        """Returns what the pools need of a prompt, by the number of their object group; None if all need all of it."""
        kinds = [_kind(self._windows.get(name, 0)) for name in self._keys.groups]
        return ",".join(kinds) if any(self._windows.values()) and "full" in kinds else None

    def _read(self, requested: List[_Pages]) -> Dict[Any, List[bool]]:
        items, ends = self._items(requested)
        read = self._server.run("read", lambda: self._ebb.get_many_into(items), [False] * len(items))
        return self._results(requested, read, ends)

    def _write(self, requested: List[_Pages]) -> Dict[Any, List[bool]]:
        items, ends = self._items(requested)
        stored = self._server.run("store", lambda: self._stored(items), False)
        return self._results(requested, [stored] * len(items), ends)

    def _stored(self, items: List[Item]) -> bool:
        self._ebb.set_many(items)
        self._chains.stored([key for key, _ in items])
        return True

    def _items(self, requested: List[_Pages]) -> Tuple[List[Item], List[int]]:
        """Returns the objects of all pages, and where those of each pool end."""
        items: List[Item] = []
        ends = []
        for pages in requested:
            items += self._server.run("use the buffers of", lambda: self._objects(pages), [])
            ends.append(len(items))
        return items, ends

    def _objects(self, pages: _Pages) -> List[Item]:
        name = str(pages.name)
        pool = self._keys.pool(name)
        if not hicache_pages.spans(pool, pages.indices, len(pages.keys)):
            raise ValueError(f"the indices of pool '{name}' are not those of '{len(pages.keys)}' pages")
        names = [key for page in pages.keys for key in self._keys.of(name, page)]
        buffers = hicache_pages.pieces(pool, pages.indices, len(pages.keys), self._keys.parts(name)) if names else []
        return list(zip(names, buffers))

    def _results(self, requested: List[_Pages], done: List[bool], ends: List[int]) -> Dict[Any, List[bool]]:
        results: Dict[Any, List[bool]] = {}
        start = 0
        for pages, end in zip(requested, ends):
            parts = self._keys.parts(str(pages.name))
            mine = done[start:end] or [False] * (len(pages.keys) * parts)
            results[pages.name] = [all(mine[at : at + parts]) for at in range(0, len(mine), parts)]
            start = end
        return results


class _Pages(NamedTuple):
    """Pages of one pool, and the tokens in host memory that they are."""

    name: Any
    keys: List[str]
    indices: Any


class _Need(NamedTuple):
    """The last pages of a prefix that a pool needs; all if None."""

    name: Any
    trailing: Optional[int]


class _Found(NamedTuple):
    """The lengths of prefixes that all pools can serve, after 0; and the longest for each pool."""

    prefixes: List[int]
    pages: Dict[Any, int]


def _columns(names: PageKeys, pool: str, keys: Sequence[str], stage: Optional[int]) -> List[List[str]]:
    """Returns the keys of pages, object by object."""
    return [list(column) for column in zip(*(names.of(pool, key, stage) for key in keys))]


def _usable(pools: Sequence[_Need], present: Sequence[Sequence[bool]]) -> _Found:
    lengths = [hicache_pages.longest(row, need.trailing) for need, row in zip(pools, present)]
    # SGLang asks each pool for the pages that K and V reach.
    most = lengths[0][-1] if lengths[0] else 0
    within = [[length for length in each if length <= most] for each in lengths]
    pages = {need.name: each[-1] for need, each in zip(pools, within) if each}
    common = set(within[0]).intersection(*within[1:])
    return _Found([0, *sorted(common)], pages)


def _trailing(transfer: Any) -> Optional[int]:
    if transfer.hit_policy == sglang.PoolHitPolicy.ALL_PAGES:
        return None
    return max(1, len(transfer.keys or []))


def _kind(window: int) -> str:
    return "full" if not window else "state" if window == 1 else f"window={window}"


_lacking = sorted(EbbHiCache.__abstractmethods__)
if _lacking:
    raise ImportError(f"this SGLang asks storage backends for {', '.join(_lacking)}, which ebb_kv lacks")
