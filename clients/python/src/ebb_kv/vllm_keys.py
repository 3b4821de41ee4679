"""The keys of vLLM's offloaded chunks in Ebb."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Dict, Optional

_GROUP_BYTES = 4
_HASH_BYTES = 32


class ChunkKeys:
    """Names chunks in the format of SGLang's pages, whose objects of several groups belong together.

    A key ends in a namespace: a hash of all that makes the bytes of two deployments of one model different, and the
    LoRA adapter if the request names it. vLLM's hash covers the adapter and the cache salt anyway.
    """

    def __init__(self, spec: Any, row_bytes: int, tag: Optional[str] = None) -> None:
        config = spec.config
        self.model = config.model.name
        self.chunk_tokens = int(config.cache.tokens_per_hash * config.cache.blocks_per_chunk)
        self._grouped = len(config.groups) > 1
        self._suffix = f"_{self.model}_0_1@{_digest(spec, row_bytes, tag)}"

    def of(self, key: bytes, adapter: str = "") -> str:
        """Returns the name of a chunk's object. vLLM's key is a block hash and the number of its KV cache group.

        :param adapter: of :func:`adapter_of`
        """
        hash, group = key[:-_GROUP_BYTES], int.from_bytes(key[-_GROUP_BYTES:], "big")
        if len(hash) != _HASH_BYTES:
            hash = hashlib.sha256(hash).digest()
        return (f"{hash.hex()}.{group:x}" if self._grouped else hash.hex()) + self._suffix + adapter


def adapter_of(req_context: Any) -> str:
    """Returns the end of the keys of a request's LoRA adapter, which its ``kv_transfer_params`` name; "" if none."""
    name = (getattr(req_context, "kv_transfer_params", None) or {}).get("ebb.lora")
    return "" if not name else "@lora%" + str(name).replace("@", "%40")


def group_of(key: bytes) -> bytes:
    """Returns what names the KV cache group in a key of vLLM."""
    return key[-_GROUP_BYTES:]


def _digest(spec: Any, row_bytes: int, tag: Optional[str]) -> str:
    config, parallel = spec.config, spec.config.parallel
    facts: Dict[str, Any] = {
        "tag": tag,
        "dtype": str(config.model.dtype),
        "row": row_bytes,
        "tokens": config.cache.tokens_per_hash,
        "blocks": config.cache.blocks_per_chunk,
        "groups": [[group.tokens_per_block, list(group.layer_names)] for group in config.groups],
        "layout": [str(getattr(config, each, None)) for each in ("canonical_layout", "kv_cache_layout")],
        "format": str(getattr(spec, "storage_format", None)),
    }
    if not (parallel.is_parallelism_agnostic or getattr(config, "replicated_layout", False)):
        facts["ranks"] = [parallel.tp_size, parallel.pp_size, parallel.pcp_size, parallel.dcp_size]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:12]
