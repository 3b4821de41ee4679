import dataclasses
import importlib
import os
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from ebb_kv import Ebb
from ebb_kv.chains import Chains
from ebb_kv.fronts import Fronts
from ebb_kv.lmcache_prompts import name_of
from tests import chunks, multiprocess
from tests.multiprocess import MIDDLE, NEWEST, OLDEST, Key, Lmcache, Memory, OldKey, kv_rank, value_of
from tests.running import Server, ServerTest

MODEL = "meta-llama/Llama-3.1-8B-Instruct"


def keys(digests, world=1, rank=0, group=0, salt=""):
    return [Key(bytes.fromhex(digest), MODEL, kv_rank(world, rank), group, salt) for digest in digests]


def prompt(name, length):
    return keys(chunks.chain([(name, i) for i in range(length)]))


@unittest.skipUnless(hasattr(os, "eventfd"), "Python 3.10 on Linux has event file descriptors")
class AdapterTest(ServerTest):
    def setUp(self):
        self.ebb = self.connect()

    def lmcache(self, version=NEWEST, url=None, memory=0, size=4096, **params):
        """Returns a server of LMCache with an adapter, until the end of the test."""
        # A busy machine may answer late.
        params = {"url": url or self.server.unix_url, "timeout": 60, **params}
        made = Lmcache(version, version.adapter(**params), memory, size)
        self.addCleanup(made.close)
        return made

    def looked_up(self, adapter, asked):
        task = adapter.submit_lookup_and_lock_task(asked)
        while True:
            found = adapter.query_lookup_and_lock_result(task)
            if found is not None:
                return found.bits
            time.sleep(0.01)

    def assert_values_are_right(self, *lmcaches):
        for each in lmcaches:
            self.assertEqual((0, 0), (each.counts["wrong"], each.counts["lost"]), each.counts)


class LmcacheMpTest(AdapterTest):
    def test_each_version_reads_what_it_stored_and_what_the_others_did(self):
        for url in (self.server.url, self.server.unix_url):
            for version in (MIDDLE, NEWEST):
                with self.subTest(url=url, version=version):
                    self.ebb.redis.flushall()
                    lmcache, other = self.lmcache(version, url), self.lmcache(MIDDLE)
                    self.assertEqual(0, lmcache.request([prompt("a", 5)]))
                    self.assertEqual(5, lmcache.request([prompt("a", 8)]))
                    self.assertEqual(8, other.request([prompt("a", 9)]))
                    self.assertEqual(2, lmcache.request([prompt("a", 2)]))
                    self.assert_values_are_right(lmcache, other)

    def test_the_oldest_version_has_keys_without_groups_and_results_without_bytes(self):
        lmcache = self.lmcache(OLDEST)
        asked = [OldKey(bytes([i]) * 8, MODEL, kv_rank(1, 0)) for i in range(4)]
        self.assertEqual([0, 4], [lmcache.request([asked]), lmcache.request([asked])])
        self.assertEqual({f"{MODEL}@01000100@{bytes([i]).hex() * 8}" for i in range(4)}, self.stored())
        self.assert_values_are_right(lmcache)

    def test_keys_are_those_of_the_resp_adapter(self):
        lmcache = self.lmcache()
        for group, salt, name in ((0, "", "0@ab"), (17, "acme", "11@ab@acme")):
            self.ebb.redis.flushall()
            lmcache.request([[Key(b"\xab", MODEL, kv_rank(2, 1), group, salt)]])
            self.assertEqual({f"{MODEL}@02010201@{name}"}, self.stored())

    def test_values_larger_than_a_part_are_copied_by_several_threads(self):
        lmcache = self.lmcache(size=1_000_001)
        with mock.patch.dict(type(lmcache.adapter)._split.__globals__, _PART_BYTES=3 << 20):
            with self.assertNoLogs("ebb_kv"):
                self.assertEqual([0, 10], [lmcache.request([prompt("a", 10)]) for _ in range(2)])
        self.assert_values_are_right(lmcache)

    def test_each_rank_and_group_is_looked_up_in_its_own_order(self):
        for version in (MIDDLE, NEWEST):
            with self.subTest(version=version):
                self.ebb.redis.flushall()
                lmcache = self.lmcache(version)
                digests = chunks.chain(range(12))
                rows = [keys(digests, 2, rank, group) for group in (0, 1) for rank in (1, 0)]
                self.assertEqual([0, 12], [lmcache.request(rows), lmcache.request(rows)])
                for missing in (rows[2][7], rows[1][5]):
                    self.ebb.delete(name_of(missing))
                    self.assertEqual(digests.index(missing.chunk_hash.hex()), lmcache.request(rows))
                self.assertEqual(12, lmcache.request(rows))
                self.assert_values_are_right(lmcache)

    def test_chunks_behind_a_missing_one_are_found(self):
        lmcache = self.lmcache()
        asked = prompt("a", 6)
        lmcache.request([asked])
        self.ebb.delete(name_of(asked[2]))
        self.assertEqual([True, True, False, True, True, True], self.looked_up(lmcache.adapter, asked))
        self.ebb.delete(name_of(asked[0]))
        self.assertEqual([False, True, False, True, True, True], self.looked_up(lmcache.adapter, asked))

    def test_what_the_engine_asks_for_in_vain_is_one_miss(self):
        lmcache = self.lmcache()
        before = self.ebb.redis.info()["keyspace_misses"]
        lmcache.request([prompt("unknown", 50)])
        self.assertEqual(1, self.ebb.redis.info()["keyspace_misses"] - before)

    def test_a_value_of_another_size_is_a_miss(self):
        lmcache = self.lmcache()
        asked = prompt("a", 3)
        lmcache.request([asked])
        self.ebb.set(name_of(asked[1]), b"short")
        self.assertEqual(1, lmcache.request([asked]))
        self.assertEqual(1, lmcache.counts["lost"])

    def test_deleted_chunks_are_reported_to_listeners(self):
        lmcache, asked = self.lmcache(), prompt("a", 3)
        listener = mock.Mock()
        lmcache.adapter._listeners.append(listener)
        lmcache.request([asked])
        lmcache.adapter.delete(asked[1:])
        listener.on_l2_keys_deleted.assert_called_once_with(asked[1:])
        self.assertEqual([True, False, False], self.looked_up(lmcache.adapter, asked))

    def test_a_result_is_returned_once_and_each_kind_has_its_own_event(self):
        adapter = NEWEST.adapter(url=self.server.url)
        self.addCleanup(adapter.close)
        fds = [adapter.get_store_event_fd(), adapter.get_lookup_and_lock_event_fd(), adapter.get_load_event_fd()]
        self.assertEqual(3, len(set(fds)))
        task = adapter.submit_store_task(prompt("a", 1), [Memory(b"12345")])
        self.wait(adapter.get_store_event_fd())
        self.assertEqual({task: 5}, adapter.pop_completed_store_tasks())
        self.assertEqual({}, adapter.pop_completed_store_tasks())
        task = adapter.submit_lookup_and_lock_task(prompt("a", 1), {})
        self.wait(adapter.get_lookup_and_lock_event_fd())
        self.assertEqual([True], adapter.query_lookup_and_lock_result(task).bits)
        self.assertIsNone(adapter.query_lookup_and_lock_result(task))

    def test_buffers_that_cannot_be_used_are_a_failed_task(self):
        adapter = NEWEST.adapter(url=self.server.url)
        self.addCleanup(adapter.close)
        task = adapter.submit_store_task(prompt("a", 1), [object()])
        self.wait(adapter.get_store_event_fd())
        self.assertEqual({task: -1}, adapter.pop_completed_store_tasks())
        task = adapter.submit_load_task(prompt("a", 2), [object(), object()])
        self.wait(adapter.get_load_event_fd())
        self.assertEqual([False, False], adapter.query_load_result(task).bits)

    def test_closing_ends_what_is_under_way(self):
        adapter = NEWEST.adapter(url=self.server.unix_url)
        for i in range(50):
            adapter.submit_store_task(prompt(i, 20), [Memory(bytes(100_000)) for _ in range(20)])
        adapter.close()
        adapter.close()

    def stored(self):
        return {name.decode() for name in self.ebb.redis.scan_iter()}

    def wait(self, fd):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                return os.eventfd_read(fd)
            except BlockingIOError:
                time.sleep(0.01)
        self.fail("no event")


class EvictionTest(AdapterTest):
    """Conversations of several times the pool's size, with a server that learns nothing from lookups."""

    SIZE = 60_000
    PROMPTS = chunks.conversations(seed=3, users=48, turns=6)

    @classmethod
    def setUpClass(cls):
        cls.server = Server(pool="8 MiB", chains="off")
        cls.addClassCleanup(cls.server.stop)

    def test_ebb_knows_the_chains_of_one_server(self):
        lmcache = self.lmcache(size=self.SIZE)
        self.replay([lmcache])
        self.assert_all_can_be_reached(lmcache)

    def test_ebb_knows_the_chains_of_two_servers(self):
        lmcaches = [self.lmcache(MIDDLE, size=self.SIZE, memory=40), self.lmcache(NEWEST, size=self.SIZE)]
        self.replay(lmcaches)
        self.assertGreater(lmcaches[0].counts["own hits"], 0)
        self.assert_all_can_be_reached(*lmcaches)

    def test_the_front_of_a_prompt_stays_while_lmcache_asks_only_for_the_rest(self):
        lmcache, asked = self.lmcache(MIDDLE, size=self.SIZE), prompt("hot", 20)
        lmcache.request([asked])
        for i in range(60):
            self.looked_up(lmcache.adapter, asked[10:])
            lmcache.request([prompt(i, 5)])
        self.assertEqual([True] * 20, self.looked_up(lmcache.adapter, asked))

    def replay(self, lmcaches):
        with ThreadPoolExecutor(4 * len(lmcaches)) as threads:
            for i, digests in enumerate(self.PROMPTS):
                threads.submit(lmcaches[i % len(lmcaches)].request, [keys(digests)])

    def assert_all_can_be_reached(self, *lmcaches):
        self.assert_values_are_right(*lmcaches)
        resident = {name.decode() for name in self.ebb.redis.scan_iter(count=1000)}
        reachable = set()
        for digests in self.PROMPTS:
            for key in keys(digests):
                if name_of(key) not in resident:
                    break
                reachable.add(name_of(key))
        hits, asked = (sum(each.counts[what] for each in lmcaches) for what in ("hits", "chunks"))
        print(f"hits={hits} of {asked} resident={len(resident)} unreachable={len(resident - reachable)}", flush=True)
        self.assertGreater(sum(len(digests) for digests in self.PROMPTS) - hits, 3 * len(resident))
        self.assertGreater(hits, 0)
        self.assertLessEqual(len(resident - reachable), len(resident) // 50)


class ServerAwayTest(AdapterTest):
    def setUp(self):
        super().setUp()
        self.server_to_kill()

    def test_the_engine_works_without_the_server_and_uses_it_when_it_is_back(self):
        self.kill()
        with self.assertLogs("ebb_kv", "WARNING") as logs:
            lmcache, asked = self.lmcache(), prompt("a", 20)
            self.assertEqual([0, 0], [lmcache.request([asked]) for _ in range(2)])
        self.assertEqual(1, len(logs.output), logs.output)
        self.assertFalse(lmcache.adapter.report_status()["is_healthy"])
        for _ in range(2):
            self.kill()
            self.assertEqual(0, lmcache.request([asked]))
            self.server.restart()
            self.assertEqual(20, self.until_hits(lmcache, asked))
            self.assertTrue(lmcache.adapter.report_status()["is_healthy"])
        self.assert_values_are_right(lmcache)

    def test_a_server_that_is_killed_at_work_costs_only_hits(self):
        lmcache = self.lmcache(size=50_000)
        stop = threading.Event()

        def work(name):
            while not stop.wait(0.02):
                lmcache.request([prompt(name, 30)])

        with ThreadPoolExecutor(4) as threads:
            working = [threads.submit(work, name) for name in range(4)]
            time.sleep(1)
            self.server.restart()
            time.sleep(1)
            stop.set()
            for each in working:
                each.result(60)
        self.assertGreater(lmcache.counts["hits"], 0)
        self.assertEqual(0, lmcache.counts["wrong"])

    def kill(self):
        self.server.kill()

    def until_hits(self, lmcache, asked):
        deadline = time.monotonic() + 30
        hits = 0
        while hits == 0 and time.monotonic() < deadline:
            hits = lmcache.request([asked])
        return hits


class SettingsTest(unittest.TestCase):
    def test_wrong_parameters_are_refused_with_the_remedy(self):
        for params, expected in (
            ({"hosts": "a"}, "unknown key 'hosts'.*allowed: url, shared_memory, tenant, threads, timeout"),
            ({"urls": "a"}, "unknown key 'urls'; did you mean 'url'"),
            ({"max_capacity_gb": 3}, "'max_capacity_gb'.*pool size and policy"),
            ({"url": "http://host"}, "url 'http://host'.*redis://127.0.0.1:6380"),
            ({"url": 7}, "url '7'"),
            ({"threads": 0}, "threads '0'.*1 to 64"),
            ({"threads": True}, "threads 'True'.*1 to 64"),
            ({"timeout": -1}, "timeout '-1'.*seconds"),
            ({"tenant": ""}, "tenant ''.*1 to 64"),
            ({"shared_memory": "no"}, "shared_memory 'no'.*true or false"),
        ):
            with self.subTest(params=params), self.assertRaisesRegex(ValueError, expected):
                NEWEST.adapter(**params)

    def test_an_interface_that_asks_for_more_is_refused(self):
        newer = dataclasses.replace(NEWEST, methods=[*multiprocess.METHODS, "submit_compaction"])
        with self.assertRaisesRegex(ImportError, "submit_compaction.*fits LMCache"):
            newer.adapter()

    def test_an_lmcache_without_l2_adapters_is_refused(self):
        with NEWEST.installed():
            del multiprocess.sys.modules["lmcache.v1.distributed.l2_adapters.base"]
            with self.assertRaisesRegex(ImportError, "no L2 adapters.*fits LMCache"):
                importlib.import_module("ebb_kv.lmcache_mp")

    def test_the_password_is_not_shown(self):
        adapter = NEWEST.adapter(url="redis://ann:secret@localhost:1")
        self.addCleanup(adapter.close)
        self.assertNotIn("secret", str(adapter.report_status()))
        self.assertIn("localhost:1", str(adapter.report_status()))


class FrontsTest(unittest.TestCase):
    def test_a_lookup_that_begins_in_the_middle_is_completed(self):
        fronts = Fronts()
        self.assertEqual(list("cd"), fronts.complete("cd"))
        self.assertEqual(list("abcd"), fronts.complete("abcd"))
        self.assertEqual(list("abce"), fronts.complete("ce"))
        self.assertEqual(list("abcef"), fronts.complete("f") if fronts.complete("ef") else None)

    def test_an_order_without_an_end_is_cut(self):
        fronts = Fronts()
        fronts.complete("ab")
        self.assertEqual(list("aba")[1:], fronts.complete("ba"))
        self.assertEqual(list("ba"), fronts.complete("a"))

    def test_the_least_recently_used_are_forgotten(self):
        with mock.patch.object(Fronts, "MOST", 3):
            fronts = Fronts()
            fronts.complete("abcd")
            fronts.complete("xyz")
            self.assertEqual(list("cd"), fronts.complete("d"))
            self.assertEqual(list("c"), fronts.complete("c"))
            self.assertEqual(list("xyz"), fronts.complete("z"))


class ChainsTest(ServerTest):
    def setUp(self):
        self.ebb = self.connect()
        self.ended = []
        end = self.ebb.end
        self.ebb.end = lambda id, *more: (self.ended.append(id), end(id, *more))
        self.chains = Chains(self.ebb)

    def test_a_request_ends_with_its_last_chunk_or_when_all_are_stored(self):
        self.chains.look_up(["a", "b", "c", "d"])
        self.chains.stored(["a", "b"])
        self.assertEqual(0, len(self.ended))
        self.chains.stored(["d"])
        self.assertEqual(1, len(self.ended))
        self.chains.look_up(["x", "y"])
        self.chains.stored(["y", "x"])
        self.assertEqual(2, len(self.ended))
        self.assertEqual({}, self.chains._waiting)

    def test_a_request_ends_at_the_next_lookup_of_its_last_chunk(self):
        self.chains.look_up(["a", "b", "c"])
        self.chains.look_up(["a", "b"])
        self.assertEqual(0, len(self.ended))
        self.chains.look_up(["a", "b", "c"])
        self.assertEqual(2, len(self.ended))
        self.chains.stored(["c"])
        self.assertEqual(3, len(self.ended))
        self.assertEqual({}, self.chains._waiting)

    def test_a_request_whose_chunks_do_not_come_ends(self):
        with mock.patch.object(Chains, "IDLE_SECONDS", 0):
            for i in range(5):
                self.chains.look_up([f"k{i}", f"l{i}"])
        self.assertEqual(4, len(self.ended))
        with mock.patch.object(Chains, "MOST", 3):
            for i in range(5, 10):
                self.chains.look_up([f"k{i}", f"l{i}"])
        self.assertEqual(7, len(self.ended))


class RealInterfaceTest(AdapterTest):
    """LMCache's own factory makes the adapter, if LMCache is installed."""

    def setUp(self):
        try:
            from lmcache.v1.distributed.l2_adapters import config, factory, plugin_l2_adapter  # noqa: F401
        except ImportError as missing:
            self.skipTest(f"LMCache with its compiled code is not installed: {missing}")
        super().setUp()

    def test_the_factory_makes_the_adapter_from_its_configuration(self):
        from lmcache.v1.distributed.api import ObjectKey
        from lmcache.v1.distributed.l2_adapters.factory import create_l2_adapter_from_registry
        from lmcache.v1.distributed.l2_adapters.plugin_l2_adapter import PluginL2AdapterConfig

        given = {"module_path": "ebb_kv.lmcache_mp", "class_name": "EbbL2Adapter"}
        given["adapter_params"] = {"url": self.server.unix_url}
        adapter = create_l2_adapter_from_registry(PluginL2AdapterConfig.from_dict(given))
        self.addCleanup(adapter.close)
        asked = [ObjectKey(chunk_hash=bytes([i]) * 8, model_name="m", kv_rank=0) for i in range(3)]
        adapter.submit_store_task(asked[:2], [Memory(b"12"), Memory(b"34")])
        while not adapter.pop_completed_store_tasks():
            time.sleep(0.01)
        task, found = adapter.submit_lookup_and_lock_task(asked, {}), None
        while found is None:
            found = adapter.query_lookup_and_lock_result(task)
        self.assertEqual([0, 1], found.get_indices_list())


if __name__ == "__main__":
    unittest.main()
