"""Remote storage of LMCache in Ebb, as a plugin that LMCache loads by this module's name."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, List, Optional, Tuple

from lmcache.v1.protocol import RemoteMetadata
from lmcache.v1.storage_backend.connector import ConnectorAdapter, ConnectorContext
from lmcache.v1.storage_backend.connector.base_connector import RemoteConnector

from ebb_kv.chains import Chains
from ebb_kv.client import Ebb

SCHEME = "ebb://"
_THREADS = 8


class EbbConnectorAdapter(ConnectorAdapter):
    """Makes connectors for ``ebb://host:port`` and ``ebb+unix:///path``."""

    def __init__(self) -> None:
        super().__init__(SCHEME)

    def can_parse(self, url: str) -> bool:
        return url.startswith((SCHEME, "ebb+unix://"))

    def create_connector(self, context: ConnectorContext) -> RemoteConnector:
        scheme, rest = context.url.split("://", 1)
        ebb = Ebb(f"{'unix' if scheme == 'ebb+unix' else 'redis'}://{rest}")
        return EbbConnector(ebb, context.loop, context.local_cpu_backend)


class EbbConnector(RemoteConnector):
    """Stores a chunk as LMCache's Redis connector does, so that both find the other's chunks.

    A lookup is one round trip, which reports to Ebb the chunks of a prompt.
    """

    def __init__(self, ebb: Ebb, loop: asyncio.AbstractEventLoop, local_cpu_backend: Any) -> None:
        try:
            super().__init__(local_cpu_backend.config, local_cpu_backend.metadata)
        except TypeError:
            super().__init__()
        self._ebb = ebb
        self._chains = Chains(ebb)
        self._loop = loop
        self._memory = local_cpu_backend
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="ebb")

    async def exists(self, key: Any) -> bool:
        return await self._run(self.exists_sync, key)

    def exists_sync(self, key: Any) -> bool:
        return self._ebb.exists(key.to_string() + "kv_bytes")

    def support_batched_contains(self) -> bool:
        return True

    def batched_contains(self, keys: List[Any]) -> int:
        return self._chains.look_up([key.to_string() + "kv_bytes" for key in keys])

    def support_batched_async_contains(self) -> bool:
        return True

    async def batched_async_contains(self, lookup_id: str, keys: List[Any], pin: bool = False) -> int:
        return await self._run(self.batched_contains, keys)

    async def get(self, key: Any) -> Optional[Any]:
        return (await self.batched_get([key]))[0]

    def support_batched_get(self) -> bool:
        return True

    async def batched_get(self, keys: List[Any]) -> List[Optional[Any]]:
        return await self._run(self._read, keys)

    def support_batched_get_non_blocking(self) -> bool:
        return True

    async def batched_get_non_blocking(self, lookup_id: str, keys: List[Any]) -> List[Any]:
        return [chunk for chunk in await self.batched_get(keys) if chunk is not None]

    async def put(self, key: Any, memory_obj: Any) -> None:
        await self.batched_put([key], [memory_obj])

    def support_batched_put(self) -> bool:
        return True

    async def batched_put(self, keys: List[Any], memory_objs: List[Any]) -> None:
        await self._run(self._write, keys, memory_objs)

    async def list(self) -> List[str]:
        return await self._run(self._names)

    def remove_sync(self, key: Any) -> bool:
        name = key.to_string()
        return self._ebb.delete(name + "kv_bytes", name + "metadata") > 0

    async def close(self) -> None:
        await self._run(self._ebb.close)
        self._threads.shutdown(wait=False)

    async def _run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return await self._loop.run_in_executor(self._threads, function, *arguments)

    def _write(self, keys: List[Any], memory_objs: List[Any]) -> None:
        names = [key.to_string() for key in keys]
        values = [memory_obj.byte_array for memory_obj in memory_objs]
        self._ebb.set_many([(name + "kv_bytes", [value]) for name, value in zip(names, values)])
        # The bytes first: metadata promises that they are there.
        pipeline = self._ebb.redis.pipeline(transaction=False)
        for name, memory_obj, value in zip(names, memory_objs, values):
            pipeline.set(name + "metadata", _metadata(memory_obj, memoryview(value).nbytes))
        pipeline.execute()
        self._chains.stored([name + "kv_bytes" for name in names])

    def _read(self, keys: List[Any]) -> List[Optional[Any]]:
        names = [key.to_string() for key in keys]
        metadata: List[Any] = self._ebb.redis.mget([name + "metadata" for name in names])
        chunks = [self._allocated(data) for data in metadata]
        found = [(i, *chunk) for i, chunk in enumerate(chunks) if chunk is not None]
        read = self._ebb.get_many_into([(names[i] + "kv_bytes", [view]) for i, _, view in found])
        objects: List[Optional[Any]] = [None] * len(keys)
        for (i, memory_obj, _), ok in zip(found, read):
            if ok:
                objects[i] = memory_obj
            else:
                memory_obj.ref_count_down()
        return objects

    def _allocated(self, data: Optional[bytes]) -> Optional[Tuple[Any, memoryview]]:
        if data is None:
            return None
        metadata = RemoteMetadata.deserialize(memoryview(data))
        shape = getattr(metadata, "shapes", None) or metadata.shape
        dtype = getattr(metadata, "dtypes", None) or metadata.dtype
        memory_obj = self._memory.allocate(shape, dtype, metadata.fmt)
        if memory_obj is None:
            return None
        return memory_obj, memoryview(memory_obj.byte_array).cast("B")[: metadata.length]

    def _names(self) -> List[str]:
        return [key.decode() for key in self._ebb.redis.scan_iter(match="*@*", count=1000)]


def _metadata(memory_obj: Any, length: int) -> bytes:
    """Returns a chunk's metadata. LMCache's newer versions allow several tensors in a chunk."""
    if hasattr(memory_obj, "get_shapes"):
        shapes, dtypes = memory_obj.get_shapes(), memory_obj.get_dtypes()
    else:
        shapes, dtypes = memory_obj.get_shape(), memory_obj.get_dtype()
    return RemoteMetadata(length, shapes, dtypes, memory_obj.get_memory_format()).serialize()
