"""The real base classes of SGLang and LMCache, from folders that environment variables name."""

from __future__ import annotations

import importlib
import os
import pathlib
import sys
import types
import unittest


def require_sglang() -> types.ModuleType:
    """Imports SGLang's storage interface, or skips. SGLang's packages would import the whole engine."""
    python = _folder("SGLANG_SOURCE", "sglang/srt/mem_cache/hicache_storage.py", "SGLang's folder 'python'")
    for name in ("sglang", "sglang.srt", "sglang.srt.mem_cache"):
        package = types.ModuleType(name)
        package.__path__ = [str(python / name.replace(".", "/"))]
        sys.modules.setdefault(name, package)
    return importlib.import_module("sglang.srt.mem_cache.hicache_storage")


def require_lmcache() -> None:
    """Makes LMCache importable, or skips."""
    folder = _folder("LMCACHE_SOURCE", "lmcache/v1/storage_backend/connector/redis_connector.py", "LMCache's sources")
    import torch

    if not hasattr(torch, "float8_e4m3fn"):
        raise unittest.SkipTest(f"LMCache needs torch 2.1, and '{torch.__version__}' is installed")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    importlib.import_module("lmcache.v1.storage_backend.connector.redis_connector")


def _folder(variable: str, file: str, what: str) -> pathlib.Path:
    try:
        import torch  # noqa: F401
    except ImportError:
        raise unittest.SkipTest("torch is not installed") from None
    folder = os.environ.get(variable)
    if not folder:
        raise unittest.SkipTest(f"{variable} is not set; set it to {what}")
    if not (pathlib.Path(folder) / file).exists():
        raise AssertionError(f"{variable} is '{folder}', which lacks '{file}'; set it to {what}")
    return pathlib.Path(folder)
