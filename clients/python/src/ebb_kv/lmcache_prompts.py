"""Lookups of LMCache's multiprocess mode: all keys of a prompt, of all ranks and groups of layers."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import redis

from ebb_kv.chains import Chains
from ebb_kv.client import Ebb
from ebb_kv.fronts import Fronts

_MISSING = -2


class Prompts:
    """States each prompt that is looked up as a request, so that Ebb knows which chunk follows which.

    The keys of one rank and group of layers are in the order of the prompt, whatever keys are between them. Ebb treats
    the parts of a chunk that several ranks have as one entry, so only those of the lowest rank are stated.
    """

    def __init__(self, ebb: Ebb, tenant: Optional[str] = None) -> None:
        self._ebb = ebb
        self._chains = Chains(ebb, tenant)
        self._fronts = Fronts()

    def look_up(self, keys: Sequence[Any]) -> List[bool]:
        """Returns for each key whether it exists. The keys are LMCache's. Not to be called by two threads at a time."""
        found = [False] * len(keys)
        for rows in _prompts(keys).values():
            stated = min(rows)
            for rank, row in rows.items():
                names = [name_of(keys[i]) for i in row]
                for i, exists in zip(row, self._found(names, rank == stated)):
                    found[i] = exists
        return found

    def stored(self, names: Sequence[str]) -> None:
        """Ends the requests whose missing chunks have all been stored."""
        self._chains.stored(names)

    def _found(self, names: List[str], stated: bool) -> List[bool]:
        leading = self._stated(names) if stated else self._ebb.match(names)
        # The one after these is missing. LMCache itself may have it.
        rest = names[leading + 1 :] if leading >= 0 else names
        found = [True] * max(0, leading) + [False]
        return found[: len(names) - len(rest)] + self._exist(rest)

    def _stated(self, names: List[str]) -> int:
        """Returns how many of the leading keys exist, or a negative number if that is not known."""
        whole = self._fronts.complete(names)
        try:
            return self._chains.look_up(whole) - (len(whole) - len(names))
        except redis.ResponseError:
            # Too many keys, for example, or those of two partitions.
            return -1

    def _exist(self, names: Sequence[str]) -> List[bool]:
        """Looks keys up one by one. ``TTL`` counts neither as a use nor as a miss."""
        if not names:
            return []
        pipeline = self._ebb.redis.pipeline(transaction=False)
        for name in names:
            pipeline.ttl(name)
        return [seconds != _MISSING for seconds in pipeline.execute()]


def name_of(key: Any) -> str:
    """Returns the key under which LMCache's RESP adapter stores a chunk."""
    fields = [key.model_name, f"{key.kv_rank:08x}"]
    if hasattr(key, "object_group_id"):
        fields.append(f"{key.object_group_id:x}")
    fields.append(key.chunk_hash.hex())
    if getattr(key, "cache_salt", ""):
        fields.append(key.cache_salt)
    return "@".join(fields)


def _prompts(keys: Sequence[Any]) -> Dict[Tuple[Any, ...], Dict[int, List[int]]]:
    """Returns the indexes of each prompt's keys by rank, front to back."""
    prompts: Dict[Tuple[Any, ...], Dict[int, List[int]]] = {}
    for i, key in enumerate(keys):
        prompt = (key.model_name, getattr(key, "object_group_id", 0), getattr(key, "cache_salt", ""))
        prompts.setdefault(prompt, {}).setdefault(key.kv_rank, []).append(i)
    return prompts
