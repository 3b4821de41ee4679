from tests.peers import require_sglang
from tests.running import ServerTest

MODEL = "meta-llama/Llama-3.1-8B-Instruct"
PAGE = 16


def pages(count, seed=0):
    import torch

    return [torch.randn(2, 4, PAGE, 128, generator=torch.Generator().manual_seed(seed + i)) for i in range(count)]


class HostPool:
    """Host memory in SGLang's layout 'page_first': K and V of a page are two buffers."""

    page_size = PAGE

    def __init__(self, page_count):
        import torch

        self.kv_buffer = torch.zeros(2, page_count * PAGE, 4, 128, dtype=torch.bfloat16)

    def get_page_buffer_meta(self, indices):
        token = 4 * 128 * 2
        starts = [int(i) for i in indices[::PAGE]]
        addresses = [self.kv_buffer[half].data_ptr() + i * token for i in starts for half in (0, 1)]
        return addresses, [PAGE * token] * len(addresses)


class HiCacheTest(ServerTest):
    def setUp(self):
        self.storage = require_sglang()
        self.ebb = self.connect()

    def config(self, **changed):
        options = dict(tp_rank=0, tp_size=2, pp_rank=0, pp_size=1, attn_cp_rank=0, attn_cp_size=1, is_mla_model=False)
        options.update(enable_storage_metrics=False, is_page_first_layout=True, model_name=MODEL)
        return self.storage.HiCacheStorageConfig(**{**options, **changed})

    def backend(self, url=None, **changed):
        from ebb_kv.hicache import EbbHiCache

        backend = EbbHiCache(self.config(extra_config={"url": url or self.server.url}, **changed), {})
        self.addCleanup(backend._ebb.close)
        return backend

    def test_pages_come_back_as_they_were_stored(self):
        import torch

        for url in (self.server.url, self.server.unix_url):
            backend = self.backend(url)
            for dtype in (torch.bfloat16, torch.float16, torch.uint8):
                stored = [page.to(dtype) for page in pages(5)]
                keys = [f"{i:064x}" for i in range(5)]
                self.assertTrue(backend.batch_set(keys, stored))
                targets = [torch.zeros_like(page).reshape(-1) for page in stored]
                read = backend.batch_get(keys, targets)
                for page, target, got in zip(stored, targets, read):
                    self.assertIs(target, got)
                    self.assertTrue(torch.equal(page.reshape(-1), target))
            self.assertEqual([None], backend.batch_get(["missing"], [torch.zeros(4)]))
            self.assertIsNone(backend.get("missing", torch.zeros(4)))

    def test_lookups_count_the_leading_pages(self):
        backend = self.backend()
        keys = [f"{i:064x}" for i in range(6)]
        backend.batch_set(keys[:3] + keys[4:], pages(5))
        self.assertEqual(3, backend.batch_exists(keys))
        self.assertTrue(backend.exists(keys[5]))
        self.assertFalse(backend.exists(keys[3]))
        info = self.storage.HiCacheStorageExtraInfo(prefix_keys=keys[:2])
        self.assertEqual(1, backend.batch_exists(keys[2:], info))
        absent = self.storage.HiCacheStorageExtraInfo(prefix_keys=["absent"])
        self.assertEqual(3, backend.batch_exists(keys, absent))

    def test_ranks_have_their_own_pages_except_with_mla(self):
        self.backend(tp_rank=0).set("page", pages(1)[0])
        self.assertFalse(self.backend(tp_rank=1).exists("page"))
        keys = list(self.ebb.redis.scan_iter(match="page_meta-llama-Llama-3.1-8B-Instruct_0_2@????????????"))
        self.assertEqual(1, len(keys))
        self.backend(is_mla_model=True, tp_rank=0).set("page", pages(1)[0])
        self.assertTrue(self.backend(is_mla_model=True, tp_rank=1).exists("page"))

    def test_pages_pass_between_the_host_pool_and_ebb(self):
        import torch

        for url in (self.server.url, self.server.unix_url):
            backend = self.backend(url)
            source, target = HostPool(8), HostPool(8)
            source.kv_buffer.normal_(generator=torch.Generator().manual_seed(7))
            keys = [f"{i:064x}" for i in range(8)]
            indices = torch.arange(8 * PAGE)
            backend.register_mem_pool_host(source)
            self.assertEqual([True] * 8, backend.batch_set_v1(keys, indices))
            backend.register_mem_pool_host(target)
            shifted = torch.cat([indices[PAGE:], indices[:PAGE]])
            self.assertEqual([True] * 8, backend.batch_get_v1(keys, shifted))
            self.assertTrue(torch.equal(torch.roll(source.kv_buffer, PAGE, dims=1), target.kv_buffer))
            self.assertEqual([True, False], backend.batch_get_v1([keys[0], "missing"], indices[: 2 * PAGE]))

    def test_clearing_removes_only_the_pages_of_the_same_rank(self):
        for rank in (0, 1):
            self.backend(tp_rank=rank).batch_set([f"{i:064x}" for i in range(10)], pages(10))
        self.backend(tp_rank=1).clear()
        self.assertEqual(10, self.ebb.redis.dbsize())

    def test_sglang_loads_the_backend_by_name(self):
        from sglang.srt.mem_cache.storage.backend_factory import StorageBackendFactory

        extra = {"backend_name": "ebb", "module_path": "ebb_kv.hicache", "class_name": "EbbHiCache"}
        config = self.config(extra_config={**extra, "url": self.server.url})
        backend = StorageBackendFactory.create_backend("dynamic", config, HostPool(1))
        self.addCleanup(backend._ebb.close)
        self.assertTrue(backend.set("page", pages(1)[0]))
        self.assertTrue(backend.exists("page"))
