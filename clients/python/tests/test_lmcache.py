import asyncio
import types

from tests import chunks
from tests.peers import require_lmcache
from tests.running import ServerTest

PLUGIN = {
    "remote_storage_plugin.ebb.module_path": "ebb_kv.lmcache",
    "remote_storage_plugin.ebb.class_name": "EbbConnectorAdapter",
}


class ConnectorTest(ServerTest):
    """Connectors as LMCache makes them, in a loop of another thread."""

    def setUp(self):
        require_lmcache()
        self.ebb = self.connect()
        self.loop = chunks.Loop()
        self.addCleanup(self.loop.stop)

    def connectors(self):
        """Returns LMCache's own Redis connector, and Ebb's over TCP and through shared memory."""
        from lmcache.v1.storage_backend.connector.redis_connector import RedisConnector
        from lmcache.v1.storage_backend.local_cpu_backend import LocalCPUBackend

        async def redis():
            return RedisConnector(self.server.url, self.loop.loop, LocalCPUBackend())

        made = self.loop.run(redis())
        self.addCleanup(lambda: self.loop.run(made.connection.close()))
        return {
            "redis": made,
            "ebb": self.plugin(self.server.url.replace("redis://", "ebb://")),
            "ebb+unix": self.plugin(self.server.unix_url.replace("unix://", "ebb+unix://")),
        }

    def plugin(self, url):
        from lmcache.v1.storage_backend.connector import ConnectorManager
        from lmcache.v1.storage_backend.local_cpu_backend import LocalCPUBackend

        config = types.SimpleNamespace(remote_storage_plugins=["ebb"], extra_config=PLUGIN)
        made = ConnectorManager(url, self.loop.loop, LocalCPUBackend(), config).create_connector()
        self.assertEqual("EbbConnector", type(made).__name__)
        self.addCleanup(lambda: self.loop.run(made.close()))
        return made


class LmcacheTest(ConnectorTest):
    def test_each_connector_reads_what_another_stored(self):
        connectors = self.connectors()
        for writer, writing in connectors.items():
            for reader, reading in connectors.items():
                with self.subTest(writer=writer, reader=reader):
                    self.ebb.redis.flushall()
                    keys = [chunks.key(digest) for digest in chunks.chain(range(5))]
                    self.loop.run(writing.batched_put(keys[:4], [chunks.chunk(key) for key in keys[:4]]))
                    self.assertEqual(4, self.loop.run(reading.batched_async_contains("id", keys)))
                    self.assertTrue(self.loop.run(reading.exists(keys[0])))
                    self.assertFalse(self.loop.run(reading.exists(keys[4])))
                    read = self.loop.run(reading.batched_get_non_blocking("id", keys))
                    self.assertEqual(4, len(read))
                    for key, got in zip(keys, read):
                        self.assertTrue(chunks.same(chunks.chunk(key), got))
                    self.assertIsNone(self.loop.run(reading.get(keys[4])))

    def test_a_chunk_without_metadata_or_without_bytes_is_missing(self):
        for name, connector in self.connectors().items():
            for part in ("metadata", "kv_bytes"):
                with self.subTest(connector=name, part=part):
                    key = chunks.key("abc")
                    self.loop.run(connector.put(key, chunks.chunk(key)))
                    self.ebb.delete(key.to_string() + part)
                    self.assertIsNone(self.loop.run(connector.get(key)))

    def test_the_plugin_lists_and_removes_chunks(self):
        connector = self.connectors()["ebb"]
        key = chunks.key("abc")
        self.loop.run(connector.put(key, chunks.chunk(key)))
        self.assertIn(key.to_string() + "kv_bytes", self.loop.run(connector.list()))
        self.assertTrue(connector.remove_sync(key))
        self.assertFalse(connector.remove_sync(key))
        self.assertEqual(0, self.ebb.redis.dbsize())


class EvictionTest(ConnectorTest):
    """Conversations of five times the pool's size, four requests at a time."""

    PROMPTS = chunks.conversations(seed=1, users=128, turns=8)

    def test_no_connector_reads_a_wrong_byte(self):
        for name, connector in self.connectors().items():
            with self.subTest(connector=name):
                self.ebb.redis.flushall()
                counts = self.loop.run(self.replay(connector))
                resident, unreachable = self.unreachable()
                print(f"{name}: {counts} resident={resident} unreachable={unreachable}", flush=True)
                self.assertGreater(counts["hits"], 0)
                self.assertGreater(counts["stored"], 4 * resident)
                self.assertEqual(0, counts["wrong"])
                self.assertEqual(0, counts["promised but missing"])

    async def replay(self, connector):
        counts = dict.fromkeys(("requests", "chunks", "hits", "stored", "wrong", "promised but missing"), 0)
        turns = asyncio.Semaphore(4)

        async def request(number, prompt):
            keys = [chunks.key(digest) for digest in prompt]
            async with turns:
                found = await connector.batched_async_contains(str(number), keys)
                read = [await connector.get(key) for key in keys[:found]]
                counts["promised but missing"] += read.count(None)
                counts["wrong"] += sum(
                    got is not None and not chunks.same(chunks.chunk(key), got) for key, got in zip(keys, read)
                )
                await connector.batched_put(keys[found:], [chunks.chunk(key) for key in keys[found:]])
            counts["requests"] += 1
            counts["chunks"] += len(keys)
            counts["hits"] += found
            counts["stored"] += len(keys) - found

        await asyncio.gather(*(request(*each) for each in enumerate(self.PROMPTS)))
        return counts

    def unreachable(self):
        """Returns how many chunks are resident, and how many of these lack an earlier chunk of their prompt."""
        resident = {
            name.decode().split("@")[3] for name in self.ebb.redis.scan_iter(count=1000) if name.endswith(b"kv_bytes")
        }
        reachable = set()
        for prompt in self.PROMPTS:
            for digest in prompt:
                if digest.lstrip("0") not in resident:
                    break
                reachable.add(digest.lstrip("0"))
        return len(resident), len(resident - reachable)
