"""Tests of engines whose memory is on a GPU. test_engine_cuda.py runs them where the test driver is loaded."""

import random
import unittest

import numpy as np

from ebb_kv.engine import EbbError
from tests import test_engine
from tests.running import Server


class Lane:
    """A head's blocks on the GPU, with NumPy's indices. Each access copies."""

    def __init__(self, engine, layer, head):
        self._memory = engine.gpu_memory
        # [block, lane, K or V, token, dimension]
        lanes = engine.layers * engine.kv_heads // engine.lane_groups
        self._shape = (engine.block_count, lanes, 2, engine.block_tokens, engine.head_dim)
        self._lane = (layer * engine.kv_heads + head) % lanes

    def _at(self, block, *rest):
        return 4 * int(np.ravel_multi_index((block, self._lane, *rest, 0), self._shape))

    def __setitem__(self, index, rows):
        blocks, kind, offsets = index
        for block, offset, row in zip(blocks, offsets, rows):
            self._memory.write(self._at(block, kind, offset), row.astype("<f4").tobytes())

    def __getitem__(self, index):
        blocks, kind = index
        shape = self._shape[3:]
        read = [self._memory.read(self._at(block, kind, 0), 4 * shape[0] * shape[1]) for block in blocks]
        return np.frombuffer(b"".join(read), "<f4").reshape(-1, *shape)


class OnGpu:
    """An engine whose lanes can be used without PyTorch."""

    def __init__(self, engine):
        self._engine = engine

    def lane(self, layer, head):
        return Lane(self._engine, layer, head)

    def __getattr__(self, name):
        return getattr(self._engine, name)


class CudaEngineTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = test_engine.Model()
        more = test_engine.SETTINGS + "ebb.pool.device = cuda"
        cls.server = Server(shared=False, more=more)
        cls.addClassCleanup(cls.server.stop)

    api = test_engine.EngineTest.api

    def setUp(self):
        connected = test_engine.connect(str(self.server.socket), self.model, queries=True, attention=True)
        self.addCleanup(connected.close)
        self.engine = OnGpu(connected)

    def test_answers_equal_those_of_plain_arrays_with_and_without_prefix_reuse(self):
        shuffled = random.Random(5)
        system = [shuffled.randrange(256) for _ in range(70)]
        matched = 0
        for number in range(20):
            prompt = system[: shuffled.randint(20, 70)] + [shuffled.randrange(256) for _ in range(shuffled.randint(0, 10))]
            expected = test_engine.generate(self.model, test_engine.ArrayCache(self.model, 100), prompt, 6)
            for salt in (None, f"alone-{number}"):
                cache = test_engine.EbbCache(self.engine, prompt, salt=salt)
                self.assertEqual(expected, test_engine.generate(self.model, cache, prompt, 6), prompt)
                matched += cache.sequence.matched
        self.assertGreater(matched, 500)

    def test_pruned_answers_equal_those_of_the_policies(self):
        shuffled = random.Random(6)
        for policy, observes in (("sliding-window", ""), ("snapkv", "queries"), ("snapkv", "attention"), ("h2o", "attention")):
            test_engine.EngineTest.use_token_policy(self, policy)
            for _ in range(2):
                prompt = [shuffled.randrange(256) for _ in range(60)]
                cache = test_engine.EbbCache(self.engine, prompt, observes)
                plain = test_engine.PolicyCache(self.model, 100, policy)
                answer = test_engine.generate(self.model, test_engine.Unfinished(cache), prompt, 6, 30)
                self.assertEqual(test_engine.generate(self.model, plain, prompt, 6, 30), answer, policy)
                for layer in range(self.model.layers):
                    for head in range(self.model.kv_heads):
                        kept = cache.sequence.positions(layer, head)
                        self.assertEqual(sorted(plain.positions[layer][head]), sorted(kept), policy)
                cache.finish(65)
        test_engine.EngineTest.use_token_policy(self, "none")

    def test_blocks_are_an_array_of_the_cuda_array_interface(self):
        memory = self.engine.gpu_memory
        self.assertEqual(self.engine.block_count * 4 * self.model.layers * self.model.kv_heads * 2 * 16 * self.model.head_dim,
                         memory.size)
        interface = memory.array((memory.size // 4,), "<f4").__cuda_array_interface__
        self.assertEqual((memory.address, False), interface["data"])
        with self.engine.open(list(range(16))) as sequence:
            memory.write(sequence.table[0] * (memory.size // self.engine.block_count), b"K and V")
            self.assertEqual(b"K and V", memory.read(sequence.table[0] * (memory.size // self.engine.block_count), 7))
        with self.assertRaisesRegex(EbbError, "outside the memory"):
            memory.read(memory.size - 1, 2)
        memory.close()
        with self.assertRaisesRegex(EbbError, "closed"):
            memory.read(0, 1)

    def test_a_gpu_that_this_process_does_not_have_is_refused(self):
        with self.assertRaisesRegex(EbbError, "cuDeviceGet failed on GPU 7"):
            test_engine.connect(str(self.server.socket), self.model, queries=True, attention=True, gpu=7)
        # The connection has ended, and nobody else noticed.
        with self.engine.open(list(range(16))) as sequence:
            self.assertEqual(1, len(sequence.table))
