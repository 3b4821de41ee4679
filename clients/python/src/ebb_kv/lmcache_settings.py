"""The ``adapter_params`` of the L2 adapter for LMCache."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields
from typing import Any, Dict, Mapping, Optional
from urllib.parse import urlsplit

_SCHEMES = ("redis", "rediss", "unix")


@dataclass(frozen=True)
class Settings:
    """Where the server is, and how to use it.

    :param url: ``redis://``, ``rediss://`` or ``unix://``, as for :class:`ebb_kv.Ebb`
    :param shared_memory: False to send values through a Unix socket too
    :param tenant: the tenant of the requests; by default the cache salt
    :param threads: how many threads read values; as many write
    :param timeout: how many seconds to wait for a reply of the server
    """

    url: str = "redis://127.0.0.1:6380"
    shared_memory: bool = True
    tenant: Optional[str] = None
    threads: int = 4
    timeout: float = 10.0

    @staticmethod
    def of(params: Any) -> Settings:
        """Checks what LMCache passes from its configuration."""
        if not isinstance(params, Mapping):
            raise ValueError(f"adapter_params is '{params}'; make it an object such as {{\"url\": \"{Settings.url}\"}}")
        allowed = [field.name for field in fields(Settings)]
        for name in params:
            if name not in allowed:
                raise ValueError(f"adapter_params has the unknown key '{name}'{_hint(name, allowed)}")
        settings = Settings(**params)
        settings._check()
        return settings

    @property
    def address(self) -> str:
        """The URL without its password."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def options(self) -> Dict[str, Any]:
        """Returns the options for redis-py."""
        options: Dict[str, Any] = {"socket_timeout": self.timeout}
        if not self.url.startswith("unix:"):
            options["socket_connect_timeout"] = min(self.timeout, 2.0)
        return options

    def _check(self) -> None:
        text = isinstance(self.url, str) and urlsplit(self.url).scheme in _SCHEMES
        _require(text, "url", self.url, "a URL such as redis://127.0.0.1:6380 or unix:///run/ebb/ebb.sock")
        _require(isinstance(self.shared_memory, bool), "shared_memory", self.shared_memory, "true or false")
        named = self.tenant is None or (isinstance(self.tenant, str) and 1 <= len(self.tenant.encode()) <= 64)
        _require(named, "tenant", self.tenant, "a name of 1 to 64 bytes")
        counted = type(self.threads) is int and 1 <= self.threads <= 64
        _require(counted, "threads", self.threads, "a whole number from 1 to 64")
        timed = type(self.timeout) in (int, float) and 0 < self.timeout <= 3600
        _require(timed, "timeout", self.timeout, "a number of seconds, at most 3600")


def _require(right: bool, name: str, value: Any, allowed: str) -> None:
    if not right:
        raise ValueError(f"adapter_params has {name} '{value}'; it must be {allowed}")


def _hint(name: Any, allowed: Any) -> str:
    if name in ("max_capacity_gb", "max_size_gb", "eviction"):
        return ": Ebb evicts by its own policy; set its pool size and policy instead"
    similar = difflib.get_close_matches(str(name), allowed, 1)
    did_you_mean = f"; did you mean '{similar[0]}'?" if similar else ""
    return f"{did_you_mean}; allowed: {', '.join(allowed)}"
