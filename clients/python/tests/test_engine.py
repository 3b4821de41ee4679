"""Sequences of engines in other processes: the example engine, clients that die, and switches of policies."""

import json
import multiprocessing
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import time
import unittest
import urllib.request

import numpy as np

from ebb_kv.engine import ConnectionLost, Engine, EbbError, OutOfBlocks, Preempted
from tests.running import TIMES, Server

CLIENT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CLIENT / "examples"))

from tiny_llama import ArrayCache, EbbCache, Model, connect, generate  # noqa: E402

FORK = multiprocessing.get_context("fork")
PROTECTED, WINDOW, SNAP, RECENT, KERNEL = 4, 12, 8, 8, 5
SETTINGS = f"""
ebb.server.sequences.memory = 4 MiB
ebb.tokens.policies {{
  sliding-window {{ protected-prefix = {PROTECTED}, window = {WINDOW} }}
  snapkv {{ window = {SNAP}, kernel = {KERNEL} }}
  h2o {{ recent = {RECENT} }}
}}
"""


class PolicyCache(ArrayCache):
    """The K and V of one sequence in arrays, pruned as the papers say."""

    def __init__(self, model, most, policy):
        super().__init__(model, most)
        heads = (model.layers, model.kv_heads)
        self.policy, self.group = policy, model.heads // model.kv_heads
        self.positions = [[[] for _ in range(heads[1])] for _ in range(heads[0])]
        self.received = [[np.zeros(0) for _ in range(heads[1])] for _ in range(heads[0])]
        self.shares = [None] * heads[0]
        self.next = 0

    def write(self, layer, k, v):
        first = self.next
        for each in self.positions[layer]:
            each.extend(range(first, first + k.shape[1]))
        if layer + 1 == len(self.positions):
            self.next += k.shape[1]
        super().write(layer, k, v)

    def observe(self, layer, queries, shares):
        self.shares[layer] = shares
        for head in range(len(self.positions[layer])):
            length = self._rows[layer, head]
            seen = shares[head * self.group : (head + 1) * self.group, :, :length].astype(float).sum((0, 1))
            before = self.received[layer][head]
            self.received[layer][head] = np.concatenate([before, np.zeros(length - len(before))]) + seen

    def prune(self, size):
        if size is None:
            return
        for layer, heads in enumerate(self.positions):
            for head in range(len(heads)):
                length = self._rows[layer, head]
                if length > size:
                    self._keep(layer, head, self._kept(layer, head, length, size))

    def _kept(self, layer, head, length, size):
        scores, protected = np.arange(length, dtype=float), np.zeros(length, bool)
        if self.policy == "sliding-window":
            protected[:PROTECTED] = protected[-WINDOW:] = True
        elif self.policy == "h2o":
            scores, protected[-RECENT:] = self.received[layer][head], True
        else:
            protected[-SNAP:] = True
            seen = self.shares[layer][head * self.group : (head + 1) * self.group, -SNAP:, : length - SNAP].mean(1)
            padded = np.pad(seen, ((0, 0), (KERNEL // 2, KERNEL // 2)))
            pooled = sum(padded[:, at : at + length - SNAP] for at in range(KERNEL)) / KERNEL
            scores[: length - SNAP] = pooled.mean(0)
        free = np.flatnonzero(~protected)
        best = free[np.argsort(-scores[free], kind="stable")[: size - protected.sum()]]
        return np.sort(np.concatenate([best, np.flatnonzero(protected)]))

    def _keep(self, layer, head, kept):
        for values in (self.k, self.v):
            values[layer, head, : len(kept)] = values[layer, head, kept]
        self._rows[layer, head] = len(kept)
        self.positions[layer][head] = [self.positions[layer][head][at] for at in kept]
        self.received[layer][head] = self.received[layer][head][kept]


class GivenCache(ArrayCache):
    """The K and V of one sequence in arrays, which keeps of the prompt what a finished sequence of Ebb has kept."""

    def __init__(self, model, most, ebb):
        super().__init__(model, most)
        heads = range(model.kv_heads)
        self.kept = [[ebb.sequence.positions(layer, head) for head in heads] for layer in range(model.layers)]

    def prune(self, size):
        if size is None:
            return
        for layer, heads in enumerate(self.kept):
            for head, positions in enumerate(heads):
                old = sorted(position for position in positions if position < self._rows[layer, head])
                for values in (self.k, self.v):
                    values[layer, head, : len(old)] = values[layer, head, old]
                self._rows[layer, head] = len(old)


class EngineTest(unittest.TestCase):
    """Tests against one server, whose blocks have the shape of the example's model."""

    @classmethod
    def setUpClass(cls):
        cls.model = Model()
        cls.server = Server(shared=True, more=SETTINGS)
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        self.engine = self.connect()

    def connect(self, name="tiny-llama"):
        engine = connect(str(self.server.socket), self.model, name, queries=True, attention=True)
        self.addCleanup(engine.close)
        return engine

    def api(self, method, path, **body):
        request = urllib.request.Request(
            f"{self.server.admin_url}/api/v1/{path}",
            method=method,
            data=json.dumps(body).encode() if body else None,
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)

    def use_token_policy(self, name):
        version = self.api("GET", "config")["version"]
        self.api("PATCH", "config", version=version, changes={"ebb.tokens.policy": name})

    def require_all_free(self):
        """Fails if a block belongs to nobody: one sequence can have all of them."""
        tokens = [7] * self.engine.block_count * self.engine.block_tokens
        with self.engine.open(tokens, salt="all", wait=60) as sequence:
            self.assertEqual(self.engine.block_count, len(set(sequence.table)))

    # The example engine

    def test_answers_equal_those_of_plain_arrays_with_and_without_prefix_reuse(self):
        shuffled = random.Random(5)
        systems = [[shuffled.randrange(256) for _ in range(70)] for _ in range(5)]
        matched = 0
        for number in range(50 * TIMES):
            prompt = shuffled.choice(systems)[: shuffled.randint(20, 70)]
            prompt = prompt + [shuffled.randrange(256) for _ in range(shuffled.randint(0, 10))]
            expected = generate(self.model, ArrayCache(self.model, 100), prompt, 6)
            for salt in (None, f"alone-{number}"):
                cache = EbbCache(self.engine, prompt, salt=salt)
                self.assertEqual(expected, generate(self.model, cache, prompt, 6), prompt)
                matched += cache.sequence.matched
                self.assertTrue(salt is None or cache.sequence.matched == 0)
        self.assertGreater(matched, 1_000 * TIMES)

    def test_pruned_answers_equal_those_of_the_policies(self):
        shuffled = random.Random(6)
        for policy, observes, every_step in (
            ("sliding-window", "", True),
            ("snapkv", "queries", False),
            ("snapkv", "attention", False),
            ("h2o", "attention", True),
        ):
            self.use_token_policy(policy)
            for _ in range(5):
                prompt = [shuffled.randrange(256) for _ in range(60)]
                cache = EbbCache(self.engine, prompt, observes)
                plain = PolicyCache(self.model, 100, policy)
                answer = generate(self.model, Unfinished(cache), prompt, 10, 30, every_step)
                self.assertEqual(generate(self.model, plain, prompt, 10, 30, every_step), answer, policy)
                for layer in range(self.model.layers):
                    for head in range(self.model.kv_heads):
                        kept = cache.sequence.positions(layer, head)
                        self.assertEqual(sorted(plain.positions[layer][head]), sorted(kept), policy)
                cache.finish(69)
                # What was pruned is nobody's prefix.
                with self.engine.open(prompt) as again:
                    self.assertEqual(0, again.matched)
        self.use_token_policy("none")

    def test_heads_of_lane_groups_keep_other_numbers_of_tokens(self):
        shuffled = random.Random(7)
        model = self.model
        for policy, groups in (("adakv", model.layers * model.kv_heads), ("pyramidkv", model.layers)):
            # With a larger window the top of the pyramid would not fit, so that all layers keep the same number.
            more = f"ebb.tokens {{ policy = {policy}, policies.snapkv.window = 1 }}"
            server = Server(shared=True, more=SETTINGS + more)
            self.addCleanup(server.stop)
            engine = connect(str(server.socket), model, queries=True, lane_groups=groups)
            self.addCleanup(engine.close)
            lengths = set()
            for _ in range(3):
                prompt = [shuffled.randrange(256) for _ in range(100)]
                cache = EbbCache(engine, prompt, "queries")
                answer = generate(model, Unfinished(cache), prompt, 10, 40)
                kept = GivenCache(model, 200, cache)
                self.assertEqual(generate(model, kept, prompt, 10, 40), answer, policy)
                lengths.update(len(rows) for layer in kept.kept for rows in layer)
                cache.finish(109)
                with engine.open(prompt) as again:
                    self.assertEqual(0, again.matched)
            self.assertGreater(len(lengths), 1, policy)
            tokens = [7] * (engine.block_count // groups) * engine.block_tokens
            with engine.open(tokens, salt="all", wait=20) as sequence:
                blocks = [block for table in sequence.tables for block in table]
                self.assertEqual(engine.block_count // groups * groups, len(set(blocks)))

    def test_the_example_runs(self):
        done = subprocess.run(
            [sys.executable, str(CLIENT / "examples/tiny_llama.py"), str(self.server.socket)],
            env={**os.environ, "PYTHONPATH": str(CLIENT / "src")},
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertEqual(3, done.stdout.count("same as without Ebb: True"), done.stdout)
        self.assertIn("96 of 120 tokens cached", done.stdout)

    def test_the_module_needs_neither_redis_nor_numpy(self):
        program = "import sys; sys.modules['numpy'] = sys.modules['redis'] = None; import ebb_kv.engine"
        subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": str(CLIENT / "src")}, check=True)

    # Memory

    def test_wrong_commands_are_refused_and_nobody_else_notices(self):
        other = self.connect()
        with other.open(range(40)) as sequence:
            other.blocks[sequence.table] = 3
            with self.engine.open(range(10)) as own:
                for words, message in (
                    (("APPEND", sequence.id, b"\0\0\0\0"), "not open on this connection"),
                    (("APPEND", own.id, b"\0\0\0"), "'3' bytes"),
                    (("APPEND", own.id), "lacks 'tokens'"),
                    (("PUBLISH", own.id, 11), "'11'"),
                    (("OBSERVE", own.id, "ATTENTION", 0, 1, b"1234"), "'4' bytes|of '4'"),
                    (("OBSERVE", own.id, "LOGITS", 0, 1, b"1234"), "'LOGITS'"),
                    (("POSITIONS", own.id, 9, 0), "'9'"),
                    (("PRUNE", own.id, -1), "'-1'"),
                    (("LOSE", own.id), "'LOSE'"),
                    (("OPEN", "COLOUR", "red", b""), "'COLOUR'"),
                    (("OPEN", "PRIORITY", "high", b""), "'high'"),
                    (("MODEL", "m", "LAYERS", 1), "end them first"),
                ):
                    with self.assertRaisesRegex(EbbError, message):
                        # Without a policy that needs them, observations are not read.
                        self.use_token_policy("h2o" if words[0] == "OBSERVE" else "none")
                        self.engine.call(*words)
            self.use_token_policy("none")
            self.assertTrue((other.blocks[sequence.table] == 3).all())
        with self.assertRaisesRegex(EbbError, "'LAYERS 2 .* not for 'LAYERS 3 .* disconnected"):
            self.engine.call("MODEL", "m", "LAYERS", 3, "KVHEADS", 1, "HEADDIM", 8)
        self.require_all_free()

    def test_a_closed_engine_says_so(self):
        engine = self.connect()
        engine.close()

        with self.assertRaisesRegex(ConnectionLost, "^this engine is closed; open another one$"):
            engine.open([1])

    def test_a_sequence_that_does_not_fit_is_refused_and_changes_nothing(self):
        with self.assertRaisesRegex(OutOfBlocks, "more than all"):
            self.engine.open([1] * (self.engine.block_count + 1) * self.engine.block_tokens)
        self.require_all_free()

    def test_a_paused_sequence_is_preempted_and_a_running_one_is_not(self):
        half = self.engine.block_count * self.engine.block_tokens // 2
        low = self.engine.open([1] * half, salt="low", priority=0)
        high = self.connect()
        everything = [2] * half * 2
        with self.assertRaises(OutOfBlocks):
            high.open(everything, salt="high", priority=5)
        low.pause()
        low.resume()
        low.pause()
        with high.open(everything, salt="high", priority=5):
            with self.assertRaises(Preempted):
                low.resume()
        with self.assertRaisesRegex(EbbError, "not open"):
            low.append([1])
        self.require_all_free()

    def test_a_user_without_all_keys_may_not_map_the_memory(self):
        with socket.create_connection(("127.0.0.1", int(self.server.url.rsplit(":", 1)[1]))) as tcp:
            tcp.sendall(b"EBB.SEQ MODEL m LAYERS 1 KVHEADS 1 HEADDIM 1\r\n")
            self.assertIn(b"Unix domain socket", tcp.recv(1000))

    # Clients that die

    def test_killed_clients_lose_no_block_and_change_no_bytes_of_others(self):
        survivor = self.connect("survivor")
        kept = [survivor.open(range(at, at + 50), salt=f"kept-{at}") for at in range(6)]
        for at, sequence in enumerate(kept):
            survivor.blocks[sequence.table] = at + 1
        shuffled = random.Random(9)
        for number in range(30 * TIMES):
            process = FORK.Process(target=busy, args=(str(self.server.socket), self.model, number), daemon=True)
            process.start()
            time.sleep(shuffled.uniform(0, 0.06))
            os.kill(process.pid, signal.SIGKILL)
            process.join()
        for at, sequence in enumerate(kept):
            self.assertTrue((survivor.blocks[sequence.table] == at + 1).all())
            sequence.abort()
        self.require_all_free()

    # Switches

    def test_policies_are_switched_under_load(self):
        stop, results, working = FORK.Event(), FORK.Queue(), FORK.Semaphore(0)
        arguments = (str(self.server.socket), self.model, stop, results, working)
        workers = [
            FORK.Process(target=target, args=(seed, *arguments), daemon=True)
            for seed, target in enumerate((answering, answering, pruning, pruning))
        ]
        for worker in workers:
            worker.start()
        for _ in workers:
            # On a busy machine the switches would be over before the first answer.
            self.assertTrue(working.acquire(timeout=300))
        switches = 0
        before = self.api("GET", "policy")["policy"]
        for policy in ("sieve", "arc", "lfu", "s3-fifo", "lru") * TIMES:
            self.api("PUT", "policy", policy=policy)
            self.assertEqual(policy, self.api("GET", "policy")["policy"])
            for tokens in ("snapkv", "h2o", "sliding-window", "none"):
                self.use_token_policy(tokens)
                time.sleep(0.05)
                switches += 1
        stop.set()
        reports = [results.get(timeout=300) for _ in workers]
        for worker in workers:
            worker.join()
        self.api("PUT", "policy", policy=before)
        self.assertEqual([0] * 4, [wrong for _, wrong, _ in reports], reports)
        self.assertTrue(all(rounds > 0 for _, _, rounds in reports), reports)
        self.assertEqual(20 * TIMES, switches)
        self.require_all_free()


class Unfinished:
    """A cache whose sequence stays open at the end."""

    def __init__(self, cache):
        self._cache = cache

    def __getattr__(self, name):
        return (lambda written: None) if name == "finish" else getattr(self._cache, name)


def busy(path, model, seed):
    """Opens, writes and ends sequences until it is killed."""
    shuffled, mine = random.Random(seed), []
    with connect(path, model, "victim", queries=True, attention=True) as engine:
        while True:
            try:
                action = shuffled.random()
                if action < 0.4 or not mine:
                    length = shuffled.randint(1, 200)
                    mine.append(engine.open([shuffled.randrange(3)] * length, reserve=length + 20))
                elif action < 0.6:
                    mine[-1].append([shuffled.randrange(3)] * shuffled.randint(1, 30))
                elif action < 0.7:
                    mine[-1].publish(mine[-1].length)
                elif action < 0.8:
                    mine[-1].pause()
                    mine[-1].resume()
                else:
                    ended = mine.pop(shuffled.randrange(len(mine)))
                    ended.finish() if action < 0.9 else ended.abort()
                for sequence in mine:
                    own = sequence.table[sequence.matched // engine.block_tokens :]
                    engine.blocks[own] = -seed
            except OutOfBlocks:
                mine.pop(0).abort()


def answering(seed, path, model, stop, results, working):
    """Compares answers with those of plain arrays."""
    shuffled, wrong, rounds = random.Random(seed), 0, 0
    prompts = [[shuffled.randrange(256) for _ in range(40)] for _ in range(8)]
    expected = [generate(model, ArrayCache(model, 60), prompt, 8) for prompt in prompts]
    with connect(path, model, "answering", queries=True, attention=True) as engine:
        while not stop.is_set():
            at = shuffled.randrange(8)
            answer = generate(model, Unpruned(EbbCache(engine, prompts[at], wait=60)), prompts[at], 8)
            wrong += answer != expected[at]
            rounds += 1
            if rounds == 1:
                working.release()
    results.put(("answering", wrong, rounds))


class Unpruned(Unfinished):
    def __getattr__(self, name):
        return (lambda size: None) if name == "prune" else getattr(self._cache, name)


def pruning(seed, path, model, stop, results, working):
    """Writes each token's position into its rows, and finds it there after tokens have been dropped."""
    shuffled, wrong, rounds = np.random.default_rng(seed), 0, 0
    with connect(path, model, "pruning", queries=True, attention=True) as engine:
        while not stop.is_set():
            cache = EbbCache(engine, shuffled.integers(0, 256, 50).tolist(), "attention", wait=60)
            for step in range(8):
                count = 50 if step == 0 else 1
                at = np.arange(cache.sequence.length) if step == 0 else np.array([49 + step])
                for layer in range(model.layers):
                    value = np.broadcast_to(at[None, :, None] + layer / 4, (2, count, model.head_dim))
                    cache.write(layer, value, -value)
                    length = cache._rows[layer].max()
                    cache.observe(layer, None, shuffled.random((model.heads, count, length)))
                cache.prune(30)
                for layer in range(model.layers):
                    for head in range(model.kv_heads):
                        k, v = cache.read(layer, head)
                        kept = np.array(cache.sequence.positions(layer, head)) + layer / 4
                        wrong += not ((k == kept[:, None]).all() and (v == -kept[:, None]).all())
                cache.append(step)
            cache.sequence.abort()
            rounds += 1
            if rounds == 1:
                working.release()
    results.put(("pruning", wrong, rounds))


if __name__ == "__main__":
    unittest.main()
