import random
import unittest
from unittest import mock

from ebb_kv import Ebb, hicache_pages
from tests import hicache_engine
from tests.hicache_engine import Engine, KvPool, StatePool, config, hashes
from tests.running import Server, ServerTest

HYBRID = {"mamba": 1, "swa": 3, "indexer": None}


def usable(prompt, stored, windows):
    """Returns the lengths of prefixes that can be used, found by trying each of them."""
    lengths = []
    for length in range(1, len(prompt) + 1):
        needed = {("kv", key) for key in prompt[:length]}
        for name, window in windows.items():
            needed |= {(name, key) for key in prompt[0 if window is None else max(0, length - window) : length]}
        if needed <= stored:
            lengths.append(length)
    return lengths


class PoolsTest(ServerTest):
    def setUp(self):
        self.ebb = self.connect()

    def backend(self, url=None, extra=None, **changed):
        hicache_engine.storage()
        from ebb_kv.hicache import EbbHiCache

        options = {"url": url or self.server.url, "timeout": 60, **(extra or {})}
        backend = EbbHiCache(config(extra_config=options, **changed), {})
        self.addCleanup(backend.close)
        return backend

    def engine(self, windows, url=None, **options):
        # The server knows the pools of a model by its name.
        model = "qwen/" + "-".join(f"{name}{window or ''}" for name, window in windows.items())
        return Engine(self.backend(url, **{"model_name": model, **options}), windows)

    def stored(self, engine, prompt):
        """Returns the objects of a prompt that exist, asking for each of them."""
        keys = engine.backend._keys
        every = [(name, key) for name in engine.pools for key in prompt]
        return {(name, key) for name, key in every if all(self.ebb.exists(each) for each in keys.of(name, key))}

    def test_all_pools_of_a_hybrid_model_come_back_byte_for_byte(self):
        for url in (self.server.url, self.server.unix_url):
            for windows in ({"mamba": 1}, {"swa": 3}, {"indexer": None}, HYBRID):
                self.ebb.redis.flushall()
                writer, reader = self.engine(windows, url), self.engine(windows, url)
                prompt = hashes(range(150))
                writer.backup(prompt, [len(prompt)])
                self.assertEqual(150, reader.prefetch(prompt))
                other = prompt[:100] + hashes(range(1000, 1050))
                self.assertEqual(100 if windows == {"indexer": None} else 0, reader.prefetch(other))
                writer.backup(other, [100, 150])
                self.assertEqual(150, reader.prefetch(other))

    def test_the_usable_prefix_is_that_of_a_search_through_all_prefixes(self):
        generator = random.Random(7)
        for round in range(60):
            self.ebb.redis.flushall()
            names = generator.sample(sorted(HYBRID), generator.randint(1, 3))
            windows = {name: HYBRID[name] and generator.randint(1, 4) for name in names}
            engine = self.engine(windows, generator.choice([self.server.url, self.server.unix_url]))
            prompt = hashes([(round, i) for i in range(generator.randint(1, 24))])
            states = sorted(generator.sample(range(1, len(prompt) + 1), generator.randint(1, min(4, len(prompt)))))
            engine.backup(prompt, states)
            keys = engine.backend._keys
            for name, key in generator.sample(sorted(self.stored(engine, prompt)), generator.randint(0, 2)):
                self.ebb.delete(*keys.of(name, key))
            lengths = usable(prompt, self.stored(engine, prompt), windows)
            found = engine.usable(prompt)
            self.assertEqual(max(lengths, default=0), found.kv_hit_pages, (windows, states))
            if hasattr(found, "restorable_prefix_pages"):
                self.assertEqual(lengths, found.restorable_prefix_pages)
            self.assertEqual(max(lengths, default=0), engine.prefetch(prompt))

    def test_lookups_may_start_behind_pages_that_the_engine_has(self):
        engine = self.engine({"mamba": 1})
        prompt = hashes(range(20))
        engine.backup(prompt, [12, 20])
        self.assertEqual(15, engine.usable(prompt, before=5).kv_hit_pages)
        self.ebb.delete(*engine.backend._keys.of("kv", prompt[2]))
        self.assertEqual(15, engine.usable(prompt, before=5).kv_hit_pages)
        self.ebb.delete(*engine.backend._keys.of("kv", prompt[17]))
        self.assertEqual(7, engine.usable(prompt, before=5).kv_hit_pages)

    def test_a_lookup_of_all_pools_is_one_round_trip(self):
        engine = self.engine(HYBRID)
        prompt = hashes(range(30))
        engine.backup(prompt, [30])
        engine.usable(prompt)
        sent = []
        connection = engine.backend._ebb._requests.connection
        with mock.patch.object(connection, "send_packed_command", side_effect=connection.send_packed_command) as send:
            with mock.patch.object(engine.backend._ebb.redis, "execute_command", side_effect=sent.append):
                self.assertEqual(30, engine.usable(prompt).kv_hit_pages)
        # The other one ends the request.
        self.assertEqual((2, []), (send.call_count, sent))

    def test_the_server_evicts_states_that_no_prompt_needs(self):
        server = Server(pool="8 MiB")
        self.addCleanup(server.stop)
        big = mock.patch.multiple(KvPool, page_bytes=8192), mock.patch.multiple(StatePool, sizes=(40_000, 9_000))
        for patched in big:
            patched.start()
            self.addCleanup(patched.stop)
        self.ebb = Ebb(server.url, socket_timeout=60)
        self.addCleanup(self.ebb.close)
        engine = Engine(self.backend(server.unix_url), {"mamba": 1}, pages=64)
        prompts = [hashes([(i, j) for j in range(24)]) for i in range(6)]
        for prompt in prompts:
            # States of all pages take more than the pool, those at the ends of the prompts do not.
            engine.usable(prompt)
            engine.backup(prompt, range(1, 25))
        # The oldest prompt makes room for states that are not spare yet.
        self.assertEqual([24] * 5, [engine.prefetch(prompt) for prompt in prompts[1:]])

    def test_a_server_that_is_away_costs_hits_only(self):
        server = self.server_to_kill()
        engine = Engine(self.backend(server.unix_url, {}), HYBRID)
        prompt = hashes(range(10))
        engine.backup(prompt, [10])
        self.assertEqual(10, engine.prefetch(prompt))
        server.kill()
        self.assertEqual(0, engine.usable(prompt).kv_hit_pages)
        backend = engine.backend
        indices = engine.pools["kv"].indices([0, 1])
        self.assertEqual([False, False], backend.batch_get_v1(prompt[:2], indices))
        self.assertEqual([False, False], backend.batch_set_v1(prompt[:2], indices))
        self.assertFalse(backend.exists(prompt[0]))
        server.restart()
        backend._server._away_until = 0.0
        self.assertEqual(0, engine.prefetch(prompt))
        engine.backup(prompt, [10])
        self.assertEqual(10, engine.prefetch(prompt))

    def test_heads_are_shared_by_deployments_with_other_numbers_of_ranks(self):
        prompt = hashes(range(6))
        split = dict(tp_size=2, tp_lcm_size=4, should_split_heads=True)
        with self.assertRaisesRegex(ValueError, "interface_v1"):
            self.engine({}, tp_rank=0, **split)
        split["extra"] = {"interface_v1": 1}
        writers = [self.engine({}, tp_rank=rank, **split) for rank in (0, 1)]
        for writer in writers:
            writer.backup(prompt, [])
        for rank in range(4):
            engine = self.engine({}, tp_rank=rank, tp_size=4, tp_lcm_size=4)
            self.assertEqual(6, engine.usable(prompt).kv_hit_pages)
        self.assertEqual(6, writers[1].prefetch(prompt))
        self.ebb.delete(writers[1].backend._keys.of("kv", prompt[4])[1])
        self.assertEqual(6, writers[0].prefetch(prompt))
        self.assertEqual(4, writers[1].prefetch(prompt))

    def test_deployments_that_differ_share_no_page(self):
        prompt = hashes(range(3))
        first = self.engine({"mamba": 1})
        first.backup(prompt, [3])
        others = [
            dict(extra={"extra_backend_tag": "blue"}),
            dict(model_name="qwen/other"),
            dict(tp_rank=1, tp_size=2),
            dict(tp_rank=0, tp_size=2),
            dict(pp_rank=0, pp_size=2),
            dict(attn_cp_rank=1, attn_cp_size=2),
        ]
        for other in others:
            self.assertEqual(0, self.engine({"mamba": 1}, **other).usable(prompt).kv_hit_pages, other)
        for pool, attribute, changed in (
            (KvPool, "dtype", "float8_e4m3fn"),
            (KvPool, "layout", "page_first"),
            (KvPool, "head_dim", 16),
            (KvPool, "layer_num", 3),
            (StatePool, "dtype", "bfloat16"),
        ):
            with mock.patch.object(pool, attribute, changed):
                self.assertEqual(0, self.engine({"mamba": 1}).usable(prompt).kv_hit_pages, attribute)
        self.assertEqual(3, self.engine({"mamba": 1}, dp_rank=1, dp_size=2).usable(prompt).kv_hit_pages)

    def test_another_stage_of_the_pipeline_can_be_asked_for(self):
        prompt = hashes(range(3))
        self.engine({}, pp_rank=1, pp_size=2).backup(prompt, [])
        backend = self.engine({}, pp_rank=0, pp_size=2).backend
        info = hicache_engine.storage().HiCacheStorageExtraInfo(extra_info={"pp_rank": 1})
        self.assertEqual((0, 3), (backend.batch_exists(prompt), backend.batch_exists(prompt, info)))

    def test_ranks_share_latent_attention_but_not_states(self):
        prompt = hashes(range(3))
        self.engine({"mamba": 1}, is_mla_model=True, tp_rank=0, tp_size=2).backup(prompt, [3])
        other = self.engine({"mamba": 1}, is_mla_model=True, tp_rank=1, tp_size=2)
        self.assertEqual(3, other.backend.batch_exists(prompt))
        self.assertEqual(0, other.usable(prompt).kv_hit_pages)

    def test_pages_for_a_draft_model_are_apart(self):
        engine = self.engine({"mamba": 1})
        prompt = hashes(range(3))
        engine.backup(prompt, [3])
        draft = engine.pools["draft"] = KvPool(16)
        engine.backend.register_mem_host_pool_v2(draft, "draft")
        self.assertEqual(3, engine.usable(prompt).kv_hit_pages)
        self.assertEqual({"draft": [False] * 3}, engine.backend.batch_get_v2([engine._transfer("draft", prompt)]))
        self.assertEqual({"draft": [True] * 3}, engine.backend.batch_set_v2([engine._transfer("draft", prompt)]))
        self.assertEqual({"draft": [True] * 3}, engine.backend.batch_get_v2([engine._transfer("draft", prompt)]))

    def test_wrong_indices_and_unknown_pools_are_misses(self):
        engine = self.engine({"mamba": 1})
        prompt = hashes(range(3))
        transfer = engine._transfer("mamba", prompt)
        transfer.host_indices = transfer.host_indices[:2]
        self.assertEqual({"mamba": [False] * 3}, engine.backend.batch_set_v2([transfer]))
        self.assertEqual({"mamba": [False] * 3}, engine.backend.batch_get_v2([transfer]))
        engine.windows = {"other": 1}
        self.assertEqual(0, engine.usable(prompt).kv_hit_pages)

    def test_a_pool_without_keys_and_values_counts_those_beside_it(self):
        engine = self.engine({"indexer": None, "swa": 2})
        engine.pools["kv"].kv_buffer = None
        engine.backend.register_mem_pool_host(engine.pools["kv"])
        prompt = hashes(range(5))
        for name, keys in (("indexer", prompt[:4]), ("swa", prompt[1:3])):
            self.assertEqual({name: [True] * len(keys)}, engine.backend.batch_set_v2([engine._transfer(name, keys)]))
        self.assertEqual(3, engine.usable(prompt).kv_hit_pages)

    def test_the_kinds_of_the_pools_are_stated(self):
        engine = self.engine(HYBRID)
        for pages in (2, 9, 4):
            engine.usable(hashes(range(pages)))
        self.assertEqual("full,full,state,window=3", engine.backend._kinds())
        self.assertIsNone(self.engine({"indexer": None}).backend._kinds())

    def test_clearing_removes_the_pages_of_one_deployment(self):
        engine, other = self.engine({"mamba": 1}), self.engine({"mamba": 1}, extra={"extra_backend_tag": "blue"})
        prompt = hashes(range(5))
        engine.backup(prompt, [5])
        other.backup(prompt, [5])
        engine.backend.clear()
        self.assertEqual((0, 5), (engine.prefetch(prompt), other.prefetch(prompt)))
        self.assertEqual(6, self.ebb.redis.dbsize())


class LongestTest(unittest.TestCase):
    def test_prefixes_end_where_the_window_is_whole(self):
        present = [bool(int(bit)) for bit in "1101110011"]
        self.assertEqual([1, 2], hicache_pages.longest(present, None))
        self.assertEqual([1, 2, 4, 5, 6, 9, 10], hicache_pages.longest(present, 1))
        self.assertEqual([1, 2, 5, 6, 10], hicache_pages.longest(present, 2))
        self.assertEqual([1, 2, 6], hicache_pages.longest(present, 3))
        self.assertEqual([], hicache_pages.longest([], 2))
