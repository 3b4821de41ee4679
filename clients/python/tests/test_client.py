import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ebb_kv import Ebb, UnsupportedCommand
from tests.running import Server, ServerTest, retain

try:
    import torch
except ImportError:
    torch = None


class ClientTest(ServerTest):
    def setUp(self):
        self.ebb = self.open()

    def open(self):
        return self.connect()

    def test_a_value_comes_back_as_it_was_stored(self):
        self.ebb.set("a", b"12", b"345")
        self.assertEqual(b"12345", self.ebb.get("a"))
        self.assertTrue(self.ebb.exists("a"))
        self.assertIsNone(self.ebb.get("b"))
        self.assertFalse(self.ebb.exists("b"))
        self.assertEqual(1, self.ebb.delete("a", "b"))

    def test_arrays_of_any_type_are_values(self):
        for dtype in (np.uint8, np.float16, np.int64):
            value = np.arange(3000, dtype=dtype).reshape(3, 1000)
            target = np.zeros_like(value)
            self.ebb.set("array", value)
            self.assertEqual([True], self.ebb.get_many_into([("array", [target])]))
            np.testing.assert_array_equal(value, target)

    @unittest.skipIf(torch is None, "torch is not installed")
    def test_tensors_are_values(self):
        for dtype in (torch.bfloat16, torch.float16, torch.float32):
            value = torch.arange(4096).to(dtype).reshape(2, 2, 1024)
            target = torch.zeros_like(value)
            self.ebb.set("tensor", value)
            self.assertEqual([True], self.ebb.get_many_into([("tensor", [target])]))
            self.assertTrue(torch.equal(value, target))

    def test_a_value_may_come_from_several_buffers_and_go_to_others(self):
        value = np.random.default_rng(1).integers(0, 256, 400_000, np.uint8)
        self.ebb.set("k", value[:7], value[7:100_001], value[100_001:])
        parts = [np.zeros(200_000, np.uint8), np.zeros(0, np.uint8), np.zeros(200_000, np.uint8)]
        self.assertEqual([True], self.ebb.get_many_into([("k", parts)]))
        np.testing.assert_array_equal(value, np.concatenate(parts))

    def test_reading_does_not_change_the_buffer_if_the_key_is_missing_or_has_another_size(self):
        self.ebb.set_many([(f"k{i}", [bytes([i]) * 1000]) for i in range(150)])
        targets = [np.full(1000, 255, np.uint8) for _ in range(150)]
        targets[3] = np.full(999, 255, np.uint8)
        items = [(f"k{i}", [target]) for i, target in enumerate(targets)] + [("missing", [np.zeros(1)])]
        self.assertEqual([i != 3 for i in range(150)] + [False], self.ebb.get_many_into(items))
        for i, target in enumerate(targets):
            self.assertEqual({255 if i == 3 else i}, set(target))

    def test_the_last_value_of_a_repeated_key_stays(self):
        self.ebb.set_many([("k", [b"first"]), ("k", [b"second"])])
        self.assertEqual(b"second", self.ebb.get("k"))

    def test_a_time_to_live_is_set(self):
        self.ebb.set("k", b"value", seconds=100)
        self.assertIn(self.ebb.redis.ttl("k"), range(1, 101))

    def test_an_array_that_is_not_contiguous_is_refused(self):
        with self.assertRaisesRegex(ValueError, "not contiguous"):
            self.ebb.set("k", np.zeros((10, 10))[:, ::2])

    def test_match_counts_the_leading_keys(self):
        keys = [f"chunk-{i}" for i in range(200)]
        self.ebb.set_many([(key, [b"x"]) for i, key in enumerate(keys) if i != 130])
        self.assertEqual(130, self.ebb.match(keys))
        self.assertEqual(0, self.ebb.match(keys[130:]))
        self.assertEqual(69, self.ebb.match(keys[131:]))
        self.assertEqual(0, self.ebb.match([]))

    def test_ranges_of_several_values(self):
        self.ebb.set_many([("a", [b"0123456789"]), ("b", [b"abc"])])
        keys = ["a", "missing", "b"]
        self.assertEqual([b"234", None, b"c"], self.ebb.get_range_many(keys, 2, 3))
        self.assertEqual([b"89", None, b"bc"], self.ebb.get_range_many(keys, -2, 2))
        self.assertEqual([b"8", None, b"b"], self.ebb.get_range_many(keys, -2, 1))
        self.assertEqual([b"", None, b""], self.ebb.get_range_many(keys, 0, 0))
        self.assertEqual([], self.ebb.get_range_many([], 0, 1))

    def test_a_request_answers_how_many_leading_chunks_exist(self):
        self.ebb.set_many([(f"chunk-{i}", [b"x"]) for i in range(3)])
        keys = [f"chunk-{i}" for i in range(5)]
        options = {"tenant": "acme", "priority": 2, "label": "agent", "hint": 3}
        with self.ebb.request("request-1", keys, **options) as request:
            self.assertEqual(3, request.resident)
            request.output = 250
            request.lifetime = 1e-5
            request.cost = 12.5
            request.hint = 4
            request.finish = "tool_calls"
            request.model = "small"
            request.return_after = 2.5
        context = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        self.assertEqual(3, self.ebb.begin("request-2", keys, lifetime=3600, cost=0.25, traceparent=context))
        self.ebb.end("request-2")

    def test_threads_end_requests_that_others_began(self):
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda i: self.ebb.begin(f"r{i}", [f"k{i}"]), range(64)))
            list(threads.map(lambda i: self.ebb.set_many([(f"k{i}", [b"x"])]), range(64)))
            list(threads.map(lambda i: self.ebb.end(f"r{i}", 5), range(64)))
        self.ebb.end("unknown")
        self.assertEqual(64, sum(self.ebb.match([f"k{i}"]) for i in range(64)))


class Struct:
    """As msgspec's structs are."""

    def __init__(self, **fields):
        self.__struct_fields__ = tuple(fields)
        for name, value in fields.items():
            setattr(self, name, value)


class HintsTest(ServerTest):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(policy="retention")
        cls.addClassCleanup(cls.server.stop)

    def test_chunks_are_retained_until_a_later_hint_of_the_scope(self):
        ebb = self.connect()
        keys = ["k0", "k1", "k2"]
        ebb.set_many([(key, [b"x"]) for key in keys])
        with ebb.request("r1", keys) as request:
            done = request.hints(retain(90, end=20, duration=60), chunk_tokens=10)
            self.assertEqual([("a", "applied", "")], [tuple(each) for each in done])
        self.assertIn("priority 91 for", ebb.explain("k1"))
        self.assertIn("priority 1,", ebb.explain("k2"))
        with ebb.request("r2", keys) as request:
            request.hints(retain(0), 10)
        self.assertIn("priority 1,", ebb.explain("k1"))

    def test_envelopes_of_engines_are_structs(self):
        ebb = self.connect()
        envelope = retain(200)
        envelope["actions"] = [Struct(**action) for action in envelope["actions"]]
        with ebb.request("r", ["k"]) as request:
            (refused,) = request.hints(Struct(**envelope))
        self.assertEqual("refused", refused.outcome)
        self.assertIn("'200'", refused.reason)


class TokensTest(unittest.TestCase):
    # XXH3 with seed 1337 of the tokens 100 to 115, and of 200 to 215.
    BLOCKS = [0x9633B31C7A2562C7, 0x51043647F54D17ED]

    def test_stated_tokens_are_found_by_the_hashes_of_routers(self):
        server = Server(more='ebb.server.kv-events { enabled = true, endpoint = "tcp://127.0.0.1:*" }')
        self.addCleanup(server.stop)
        with Ebb(server.url) as ebb:
            keys = ["m@1@0@0a@half", "m@1@0@0b@half"]
            tokens = [*range(100, 116), *range(200, 216)]
            with ebb.request("r", keys, chunk_tokens=16, tokens=tokens):
                for key in keys:
                    ebb.set(key, b"1")
            while ebb.resident_blocks([*self.BLOCKS, 5]) != [True, True, False]:
                time.sleep(0.01)
            self.assertEqual([False], ebb.resident_blocks(self.BLOCKS[1:]))
            self.assertEqual((2, [True]), ebb.begin_and_find("s", keys, ["m@1@0@0a@half"], chunk_tokens=16))
            ebb.end("s")


class SubstituteTest(ClientTest):
    """The same with a server that has none of Ebb's commands."""

    def open(self):
        ebb = self.connect()
        ebb._commands = frozenset()
        return ebb

    def test_a_command_without_substitute_is_refused_with_its_name(self):
        with self.assertRaisesRegex(UnsupportedCommand, "'EBB.PIN'"):
            self.ebb.pin("k")


class UnixSocketTest(ClientTest):
    def open(self):
        return self.connect(self.server.unix_url, shared_memory=False)


class OperationTest(ServerTest):
    def test_keys_are_pinned_and_explained(self):
        ebb = self.connect()
        ebb.set("k", b"value")
        self.assertTrue(ebb.pin("k"))
        self.assertTrue(ebb.pin("k", owner="me", seconds=100))
        self.assertTrue(ebb.unpin("k", owner="me"))
        self.assertTrue(ebb.unpin("k"))
        self.assertFalse(ebb.unpin("k"))
        self.assertFalse(ebb.pin("missing"))
        self.assertIn("policy=lru", ebb.explain("k"))
        self.assertIsNone(ebb.explain("missing"))

    def test_commands_are_detected(self):
        ebb = self.connect()
        self.assertTrue(ebb.supports("ebb.match"))
        self.assertFalse(ebb.supports("EBB.OTHER"))
