"""A plugin of pytest that runs vLLM's own tests of its tiers with Ebb's tier in place of vLLM's.

VLLM_SOURCE names a checkout of vLLM, EBB_URL a running server. Ebb's tier does all that the tests check; the members
here only give it the constructors of vLLM's tiers, and where a test wants it, make it wait.
"""

from __future__ import annotations

import importlib
import itertools
import os
import types
from typing import Any, Iterable

import numpy as np
import torch

from tests import vllm_source
from tests.vllm_engine import spec

vllm_source.install()
# Newer versions of torch have it.
vars(torch).setdefault("Event", object)

from ebb_kv.vllm import EbbSecondaryTier  # noqa: E402
from vllm.v1.kv_offload.base import LookupResult, Medium  # noqa: E402

_numbers = itertools.count()


class _Tier(EbbSecondaryTier):
    """A tier with values of its own."""

    def __init__(self, offloading_spec: Any, primary_kv_view: memoryview, tier_type: str, **_: Any) -> None:
        tag = f"{os.getpid()}-{next(_numbers)}"
        url = os.environ["EBB_URL"]
        super().__init__(spec(), primary_kv_view, tier_type, url=url, tag=tag, timeout=60)


class EbbAsExample(_Tier):
    """Has the members of vLLM's example, which completes each transfer before it returns."""

    medium = Medium.CPU

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.completed_jobs: list = []
        self.blocks = _Blocks(self)

    def lookup(self, key: bytes, req_context: Any) -> LookupResult:
        found = super().lookup(key, req_context)
        if found is LookupResult.RETRY:
            self._lookups.flush()
            self._asking.submit(lambda: None).result()
            found = super().lookup(key, req_context)
        return found

    def submit_store(self, job_metadata: Any) -> None:
        super().submit_store(job_metadata)
        self._complete()

    def submit_load(self, job_metadata: Any) -> None:
        super().submit_load(job_metadata)
        self._complete()

    def _complete(self) -> None:
        super().drain_jobs()
        self.completed_jobs += super().get_finished_jobs()

    def get_finished_jobs(self) -> Iterable[Any]:
        finished, self.completed_jobs = self.completed_jobs, []
        return finished

    def get_num_blocks(self) -> int:
        suffix = self._keys.of(bytes(36))[64:]
        return sum(1 for _ in self._ebb.redis.scan_iter(match="*" + suffix, count=1000))


class _Blocks:
    """The blocks in a tier."""

    def __init__(self, tier: EbbAsExample) -> None:
        self._tier = tier

    def __setitem__(self, key: bytes, value: bool) -> None:
        tier = self._tier
        tier._ebb.set_many([(tier._keys.of(key), [np.zeros(tier._row_bytes, np.uint8)])])
        # A lookup may have found nothing before.
        tier._lookups.learn([key], True)

    def __contains__(self, key: bytes) -> bool:
        return bool(self._tier._ebb.exists(self._tier._keys.of(key)))

    def clear(self) -> None:
        self._tier._ebb.redis.flushall()


class EbbAsFiles(_Tier):
    """Has the members of vLLM's tier of files that its tests use."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.file_mapper = types.SimpleNamespace(get_file_name=self._path)
        self._lookup_manager = types.SimpleNamespace(_pending_results=self._lookups._answers)

    def _path(self, key: bytes) -> str:
        """Returns a path that exists if the key does."""
        return "/" if self._ebb.exists(self._keys.of(key)) else "/nothing/here"


for _name, _tier in (("example", EbbAsExample), ("fs", EbbAsFiles)):
    _module = importlib.import_module(f"vllm.v1.kv_offload.tiering.{_name}.manager")
    vars(_module)["ExampleSecondaryTierManager" if _name == "example" else "FileSystemTierManager"] = _tier
