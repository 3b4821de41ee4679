"""The objects of SGLang's pages: their keys in Ebb, and the host memory that they lie in."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Dict, List, Optional, Sequence

from ebb_kv import buffers

KV = "kv"
# Their pages are hints for a draft model: a prefix is usable without them.
_DRAFTS = ("draft", "draft_indexer", "draft_swa")
# What makes the bytes of a page different from those of another deployment. The numbers of heads and ranks are not
# among them: they stand in the key, so that deployments with different ranks can share heads.
_OF_A_POOL = ("dtype", "layout", "page_size", "head_dim", "v_head_dim", "kv_cache_dim", "conv_dtype", "ssm_dtype")
_OF_A_STAGE = ("layer_num", "num_mamba_layers")
_OF_THE_SERVER = ("revision", "quantization", "lora_paths")


class PageKeys:
    """Names the objects of pages.

    A key has the page's hash, the number of an object group if there are several pools, the suffix that SGLang's file
    backend uses, and a namespace. The namespace is a hash of all that makes two deployments of one model different.
    """

    def __init__(self, config: Any) -> None:
        self._config = config
        self._pools: Dict[str, Any] = {}
        self._numbers: Dict[str, int] = {}
        self._namespace = ""
        self._describe()

    @property
    def model(self) -> str:
        """The name of the model in keys."""
        return "-".join((self._config.model_name or "").split("/"))

    @property
    def groups(self) -> List[str]:
        """The names of the pools, in the order of their object groups."""
        return list(self._numbers)

    def register(self, name: str, pool: Any) -> None:
        """Adds a pool, or replaces it. The keys of other pools may change."""
        self._pools[name] = pool
        self._describe()

    def pool(self, name: str) -> Any:
        """Returns a pool by name, or None."""
        return self._pools.get(name)

    def has_payload(self, name: str) -> bool:
        """Returns whether pages of a pool have bytes. The KV pool of some models only counts pages."""
        return getattr(self._pools.get(name), "kv_buffer", True) is not None

    def parts(self, name: str) -> int:
        """Returns how many objects a page of a pool has."""
        return len(self._ranks(name))

    def of(self, name: str, hash: str, stage: Optional[int] = None) -> List[str]:
        """Returns the keys of a page's objects in a pool.

        :param stage: the pipeline rank, by default this one's
        """
        return [self._page(name, hash) + suffix for suffix in self.suffixes(name, stage)]

    def suffixes(self, name: str, stage: Optional[int] = None) -> List[str]:
        """Returns the ends of the keys of a pool, which no other deployment or rank has."""
        config = self._config
        after = ""
        if config.pp_size > 1:
            after += f"_{config.pp_size}_{config.pp_rank if stage is None else stage}"
        if config.attn_cp_size > 1:
            after += f"_cp{config.attn_cp_rank}_{config.attn_cp_size}"
        after += f"@{self._namespace if name not in _DRAFTS else self._digest([name])}"
        return [f"_{self.model}{rank}{after}" for rank in self._ranks(name)]

    def _page(self, name: str, hash: str) -> str:
        if name in _DRAFTS:
            return f"{hash}.{name}"
        return f"{hash}.{self._numbers[name]:x}" if len(self._numbers) > 1 and "." not in hash else hash

    def _ranks(self, name: str) -> List[str]:
        config = self._config
        if name == KV and getattr(config, "should_split_heads", False):
            each = config.tp_lcm_size // config.tp_size
            return [f"_{config.tp_rank * each + part}_{config.tp_lcm_size}" for part in range(each)]
        return [""] if self._is_shared(name) else [f"_{config.tp_rank}_{config.tp_size}"]

    def _is_shared(self, name: str) -> bool:
        """Returns whether all ranks have the same pages, as with multi-head latent attention."""
        if not self._config.is_mla_model:
            return False
        own = name == "mamba" or (name in _DRAFTS and not hasattr(self._pools.get(name), "kv_lora_rank"))
        return not own or self._config.tp_size == 1

    def _describe(self) -> None:
        others = sorted(name for name in self._pools if name != KV and name not in _DRAFTS)
        names = ([KV] if self.has_payload(KV) else []) + others
        self._numbers = {name: number for number, name in enumerate(names)}
        self._namespace = self._digest(names)

    def _digest(self, names: Sequence[str]) -> str:
        extra = self._config.extra_config or {}
        facts: Dict[str, Any] = {"tag": extra.get("extra_backend_tag"), "server": _server(names)}
        for name in names:
            # With several stages, each has its own number of layers.
            known = _OF_A_POOL if self._config.pp_size > 1 else _OF_A_POOL + _OF_A_STAGE
            facts[name] = {each: str(getattr(self._pools.get(name), each, None)) for each in known}
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:12]


def pieces(pool: Any, indices: Any, pages: int, parts: int = 1) -> List[List[memoryview]]:
    """Returns where the objects of pages lie in the host pool, page by page.

    :param parts: how many objects a page has, with an equal share of the heads each
    """
    if parts > 1:
        addresses, sizes = pool.get_split_heads_page_buffer_meta(indices, parts)
    else:
        addresses, sizes = pool.get_page_buffer_meta(indices)
    flat = [buffers.at(address, size) for address, size in zip(_flat(addresses), _flat(sizes))]
    each, rest = divmod(len(flat), pages * parts)
    if rest or not each:
        raise ValueError(f"the host pool has '{len(flat)}' buffers for '{pages * parts}' objects of pages")
    return [flat[at : at + each] for at in range(0, len(flat), each)]


def spans(pool: Any, indices: Any, pages: int) -> bool:
    """Returns whether indices of a pool's tokens are those of a number of pages."""
    return indices is not None and len(indices) == pages * (getattr(pool, "page_size", 1) or 1)


def longest(present: Sequence[bool], trailing: Optional[int]) -> List[int]:
    """Returns the lengths of prefixes that one pool can serve.

    :param present: whether each page is there
    :param trailing: how many of the last pages of a prefix are needed, None if all are
    """
    lengths = []
    run = 0
    for page, here in enumerate(present):
        run = run + 1 if here else 0
        if run >= (page + 1 if trailing is None else min(trailing, page + 1)):
            lengths.append(page + 1)
    return lengths


def _flat(values: Sequence[Any]) -> List[int]:
    return [each for value in values for each in (value if isinstance(value, (list, tuple)) else [value])]


def _server(names: Sequence[str]) -> Dict[str, Any]:
    """Returns arguments of SGLang's server that change what it computes."""
    try:
        from sglang.srt.server_args import get_global_server_args

        arguments = get_global_server_args()
    except (ImportError, ValueError, AttributeError):
        return {}
    known = _OF_THE_SERVER if not set(names) & set(_DRAFTS) else _OF_THE_SERVER + ("speculative_draft_model_path",)
    return {each: _text(getattr(arguments, each, None)) for each in known}


def _text(value: Any) -> Any:
    """Returns the same text in each process: adapters are given an id at random."""
    if isinstance(value, dict):
        return sorted(f"{name}={path}" for name, path in value.items())
    if isinstance(value, (list, tuple)):
        return sorted(f"{getattr(e, 'lora_name', None)}={getattr(e, 'lora_path', e)}" for e in value)
    return None if value is None else str(value)
