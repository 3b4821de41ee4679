import abc
import enum
import importlib
import random
import sys
import time
import types
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from ebb_kv import Ebb
from ebb_kv.vllm_keys import ChunkKeys
from ebb_kv.vllm_lookups import Lookups
from tests import vllm_engine
from tests.running import Server, ServerTest, retain
from tests.vllm_engine import SIZE, LookupResult, Manager, key, serve, spec, value


def request(id="r", lora=None):
    return types.SimpleNamespace(req_id=id, kv_transfer_params={"ebb.lora": lora} if lora else None)


class VllmTest(ServerTest):
    def setUp(self):
        self.ebb = self.connect()
        self.tier = vllm_engine.install().EbbSecondaryTier

    def manager(self, url=None, rows=64, size=SIZE, newer=True, of=None, **settings):
        settings = {"url": url or self.server.unix_url, "timeout": 60, **settings}
        make = lambda view: self.tier(of or spec(), view, "ebb", **settings)  # noqa: E731
        manager = Manager(make, rows, size, newer)
        self.addCleanup(lambda: manager.view.nbytes and manager.shutdown())
        return manager

    def looked_up(self, manager, keys, id="r", lora=None):
        """Asks for keys until none is pending, as requests do step by step."""
        asking = request(id, lora)
        if lora:
            manager.tier.on_new_request(asking)
        while True:
            results = [manager.lookup(each, asking) for each in keys]
            if not {LookupResult.RETRY, LookupResult.HIT_PENDING} & set(results):
                manager.tier.on_request_finished(asking)
                return results
            manager.end_step()
            manager.tier.drain_jobs()

    def test_chunks_come_back_byte_for_byte(self):
        for url in (self.server.unix_url, self.server.url):
            for shared in (True, False):
                for newer in (True, False):
                    self.ebb.redis.flushall()
                    manager = self.manager(url, newer=newer, shared_memory=shared)
                    keys = [key("a", i) for i in range(40)]
                    manager.store(keys, request())
                    manager.drain()
                    manager.evict()
                    self.assertEqual([LookupResult.HIT] * 40, self.looked_up(manager, keys))
                    manager.read(keys)
                    self.assertEqual([LookupResult.MISS], self.looked_up(manager, [key("b")]))

    def test_the_hints_of_a_request_reach_the_server(self):
        server = Server(policy="retention")
        self.addCleanup(server.stop)
        ebb = Ebb(server.url)
        self.addCleanup(ebb.close)
        manager = self.manager(server.unix_url)
        keys = [key("a", i) for i in range(4)]
        manager.store(keys, request())
        manager.drain()
        manager.evict()
        tokens = manager.tier._keys.chunk_tokens
        hinted = types.SimpleNamespace(req_id="h", kv_hints=retain(50, end=2 * tokens))
        manager.tier.on_new_request(hinted)
        self.assertEqual([LookupResult.HIT] * 4, self.looked_up(manager, keys, "h"))
        explained = [ebb.explain(manager.tier._keys.of(each)) for each in keys]
        self.assertEqual([True, True, False, False], ["priority 51" in each for each in explained])

    def test_adapters_of_one_prompt_have_chunks_of_their_own_and_are_dropped_by_name(self):
        keys = [key("a", i) for i in range(8)]
        adapters = {None: 5, "sql": 3, "sql@2": 8}
        for name, stored in adapters.items():
            # vLLM's hashes differ too. Here they do not, so that only the name separates the adapters.
            manager = self.manager()
            manager.store(keys[:stored], request(lora=name))
            manager.drain()
        for name, stored in adapters.items():
            manager = self.manager()
            found = self.looked_up(manager, keys, lora=name)
            self.assertEqual(stored, found.count(LookupResult.HIT))
            manager.read(keys[:stored])
        self.assertEqual(8, self.ebb.drop_lora("sql%402"))
        self.assertEqual(3, self.ebb.drop_lora("sql"))
        self.assertEqual(0, self.ebb.drop_lora("sql"))
        self.assertEqual(5, self.ebb.redis.dbsize())

    def test_a_lookup_does_not_wait(self):
        manager = self.manager()
        asking = request()
        self.assertEqual(LookupResult.RETRY, manager.lookup(key("a"), asking))
        self.assertEqual(LookupResult.RETRY, manager.lookup(key("a"), request("other")))
        manager.tier.on_request_finished(asking)
        self.assertEqual(LookupResult.RETRY, manager.lookup(key("a"), request("other")))
        manager.end_step()
        self.assertEqual([LookupResult.MISS], self.looked_up(manager, [key("a")], "other"))

    def test_a_load_of_a_missing_chunk_fails_and_is_not_tried_again(self):
        manager = self.manager()
        keys = [key("a", i) for i in range(3)]
        manager.store(keys, request())
        manager.drain()
        manager.evict()
        asking = request()
        # Of the tier alone: the manager would load what is found before the rest.
        while LookupResult.RETRY in [manager.tier.lookup(each, asking) for each in keys]:
            manager.tier.on_schedule_end(None)
        self.assertEqual({LookupResult.HIT_PENDING}, {manager.lookup(each, asking) for each in keys})
        self.ebb.delete(ChunkKeys(spec(), SIZE).of(keys[1]))
        manager.end_step()
        manager.drain()
        self.assertEqual(1, manager.failed)
        self.assertEqual(
            [LookupResult.HIT, LookupResult.MISS, LookupResult.HIT], [manager.lookup(each, asking) for each in keys]
        )
        manager.read(keys)

    def test_random_schedules_see_right_bytes_and_find_what_was_stored(self):
        generator = random.Random(11)
        prompts = [[key(i // 5, j) if j < 4 else key(i, j) for j in range(12)] for i in range(60)]
        for url in (self.server.unix_url, self.server.url):
            self.ebb.redis.flushall()
            manager = self.manager(url, rows=40)
            counts = serve(manager, generator, 1500, prompts)
            self.assertGreater(counts["aborted"], 10)
            self.assertGreater(counts["preempted"], 10)
            manager.drain()
            stored = {each for prompt in prompts for each in prompt if self.ebb.exists(ChunkKeys(spec(), SIZE).of(each))}
            manager.evict()
            for prompt in prompts:
                expected = next((i for i, each in enumerate(prompt) if each not in stored), len(prompt))
                results = self.looked_up(manager, prompt[: expected + 1])
                self.assertEqual([LookupResult.HIT] * expected, results[:expected])
                self.assertNotIn(LookupResult.HIT, results[expected:])
                manager.read(prompt)
                manager.evict()
            self.assertGreater(counts["hits"], counts["chunks"] / 2)

    def test_schedules_of_a_server_that_evicts_see_right_bytes(self):
        server = Server(pool="1 MiB")
        self.addCleanup(server.stop)
        manager = self.manager(server.unix_url, rows=40)
        prompts = [[key(i // 5, j) if j < 4 else key(i, j) for j in range(12)] for i in range(60)]
        counts = serve(manager, random.Random(5), 1000, prompts)
        self.assertGreater(counts["hits"], 0)
        self.assertLess(counts["hits"], counts["chunks"])

    def test_a_killed_server_costs_hits_only(self):
        server = self.server_to_kill()
        manager = self.manager(server.unix_url)
        prompts = [[key(i, j) for j in range(6)] for i in range(5)]
        serve(manager, random.Random(1), 50, prompts)
        server.kill()
        manager.drain()
        manager.evict()
        self.assertEqual([LookupResult.MISS], self.looked_up(manager, [key(0, 0)]))
        serve(manager, random.Random(2), 50, prompts)
        manager.drain()
        server.restart()
        manager.evict()
        for seed in range(100):
            # The tier connects again by itself, and stores what is computed after that.
            serve(manager, random.Random(seed), 20, prompts)
            manager.drain()
            manager.evict()
            if self.looked_up(manager, prompts[0]) == [LookupResult.HIT] * 6:
                break
            time.sleep(0.1)
        manager.evict()
        self.assertEqual([LookupResult.HIT] * 6, self.looked_up(manager, prompts[0]))
        manager.read(prompts[0])

    def test_stores_that_wait_pin_a_part_of_host_memory_only(self):
        manager = self.manager(rows=40)
        manager.tier._waiting = 10 * SIZE
        manager.store([key("a")], request())
        self.assertEqual(1, len(manager.tier._refused))
        manager.poll()
        self.assertEqual(1, manager.failed)

    def test_groups_of_a_hybrid_model_are_objects_of_one_chunk(self):
        manager = self.manager(of=spec(groups=2))
        chunks = [[key("a", i, group=group) for i in range(5)] for group in (0, 1)]
        manager.store(chunks[0], request())
        manager.store(chunks[1], request())
        manager.drain()
        manager.evict()
        self.assertEqual([LookupResult.HIT] * 10, self.looked_up(manager, chunks[0] + chunks[1]))
        manager.read(chunks[0] + chunks[1])
        self.assertNotEqual(value(chunks[0][0]), value(chunks[1][0]))
        self.assertEqual([], [name for name in self.ebb.redis.scan_iter() if b".0_" not in name and b".1_" not in name])

    def test_unknown_settings_are_named(self):
        with self.assertRaisesRegex(ValueError, "'urll'.*url, shared_memory"):
            self.manager(urll="x")

    def test_the_scheduler_learns_how_long_transfers_took(self):
        manager = self.manager()
        manager.store([key("a")], request())
        manager.tier.drain_jobs()
        result = manager.tier.get_finished_jobs()[0]
        self.assertEqual((True, SIZE), (result.success, result.transfer_size))
        self.assertGreater(result.transfer_time, 0)
        manager.tier._jobs.clear()


class VersionTest(unittest.TestCase):
    def refused(self, module, **members):
        """Returns why the tier refuses a vLLM whose module has other members."""
        vllm_engine.install()
        other = types.ModuleType(module)
        vars(other).update(members)
        parent, _, own = module.rpartition(".")
        with mock.patch.dict(sys.modules, {module: other}), mock.patch.object(sys.modules[parent], own, other):
            del sys.modules["ebb_kv.vllm"]
            with self.assertRaises(ImportError) as refused:
                importlib.import_module("ebb_kv.vllm")
        return str(refused.exception)

    def test_a_vllm_that_does_not_fit_is_refused_with_those_that_do(self):
        self.assertRegex(self.refused("vllm.v1.kv_offload.base"), "LookupResult.*fits vLLM 0.25 to 0.32")

        class Newer(vllm_engine.SecondaryTier):
            @abc.abstractmethod
            def pin(self): ...

        members = {"JobResult": vllm_engine.JobResult, "SecondaryTierManager": Newer}
        reason = self.refused("vllm.v1.kv_offload.tiering.base", **members)
        self.assertRegex(reason, "asks secondary tiers for pin, .*fits vLLM 0.25 to 0.32")


    def test_a_vllm_that_passes_a_detector_of_slow_tiers_keeps_it(self):
        class Newer(vllm_engine.SecondaryTier):
            def __init__(self, offloading_spec, primary_kv_view, tier_type, backpressure_detector=None):
                super().__init__(offloading_spec, primary_kv_view, tier_type)
                self._bp_detector = backpressure_detector

            @property
            def bp_detector(self):
                return self._bp_detector

        vllm_engine.install()
        base, tiering = (sys.modules[f"vllm.v1.kv_offload.{name}"] for name in ("base", "tiering.base"))
        locality = enum.Enum("Locality", {"REMOTE": "REMOTE"})
        with mock.patch.object(tiering, "SecondaryTierManager", Newer):
            with mock.patch.object(base, "Locality", locality, create=True):
                del sys.modules["ebb_kv.vllm"]
                module = importlib.import_module("ebb_kv.vllm")
                view = memoryview(bytearray(SIZE)).cast("B", (1, SIZE))
                for detector in (None, object()):
                    tier = module.EbbSecondaryTier(
                        spec(), view, "ebb", backpressure_detector=detector, locality="REMOTE"
                    )
                    self.assertIs(detector, tier.bp_detector)
                    self.assertIs(locality.REMOTE, tier.locality)
                    tier.shutdown()
        del sys.modules["ebb_kv.vllm"]


class ChunkKeysTest(unittest.TestCase):
    def test_deployments_that_differ_have_other_keys(self):
        first = ChunkKeys(spec(), SIZE).of(key("a"))
        self.assertEqual(first, ChunkKeys(spec(), SIZE).of(key("a")))
        self.assertRegex(first, "^[0-9a-f]{64}_meta-llama/Llama-3.1-8B_0_1@[0-9a-f]{12}$")
        for changed in ({"model": "other"}, {"dtype": "fp8"}, {"tokens": 32}, {"blocks": 2}, {"tp": 2}, {"groups": 2}):
            self.assertNotEqual(first, ChunkKeys(spec(**changed), SIZE).of(key("a")), changed)
        self.assertNotEqual(first, ChunkKeys(spec(), 2 * SIZE).of(key("a")))
        self.assertNotEqual(first, ChunkKeys(spec(), SIZE, "blue").of(key("a")))
        both = [ChunkKeys(spec(tp=tp, agnostic=True), SIZE).of(key("a")) for tp in (1, 2)]
        self.assertEqual(both[0], both[1])

    def test_groups_and_short_hashes_have_names(self):
        keys = ChunkKeys(spec(groups=20), SIZE)
        self.assertRegex(keys.of(key("a", group=17)), r"^[0-9a-f]{64}\.11_")
        self.assertRegex(keys.of(b"12345678" + bytes(4)), r"^[0-9a-f]{64}\.0_")


class LookupsTest(unittest.TestCase):
    def test_random_requests_get_the_answers_of_a_plain_set(self):
        generator = random.Random(2)
        present = {i.to_bytes(4, "big") for i in range(50) if i % 3}
        with ThreadPoolExecutor(1) as executor:
            lookups = Lookups(executor, lambda _, asked: [each in present for each, _ in asked])
            asking = {}
            answered = 0
            for _ in range(5000):
                id, each = f"r{generator.randrange(8)}", generator.randrange(50).to_bytes(4, "big")
                lot = generator.random()
                if lot < 0.7:
                    found = lookups.look_up(each, id)
                    asking.setdefault(id, set()).add(each)
                    self.assertIn(found, (None, each in present))
                    answered += found is not None
                elif lot < 0.85:
                    lookups.flush()
                    executor.submit(lambda: None).result()
                else:
                    lookups.forget(id)
                    asking.pop(id, None)
                wanted = set().union(*asking.values()) if asking else set()
                self.assertEqual(wanted, set(lookups._known))
            self.assertGreater(answered, 500)
            for id in list(asking):
                lookups.forget(id)
            self.assertEqual(({}, {}, {}, {}), (lookups._known, lookups._requests, lookups._keys, lookups._batch))

    def test_answers_can_be_corrected(self):
        with ThreadPoolExecutor(1) as executor:
            lookups = Lookups(executor, lambda _, asked: [True] * len(asked))
            lookups.look_up(b"a", "r")
            lookups.learn([b"a", b"b"], False)
            self.assertIsNone(lookups.look_up(b"a", "r"))
            lookups.flush()
            executor.submit(lambda: None).result()
            self.assertTrue(lookups.look_up(b"a", "r"))
            lookups.learn([b"a"], False)
            self.assertFalse(lookups.look_up(b"a", "r"))
