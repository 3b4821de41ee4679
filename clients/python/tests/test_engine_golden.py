"""Token policies of a server, through the memory of an engine, against what the field's own implementations keep."""

import contextlib
import json
import os
import pathlib
import time
import unittest
import urllib.request

import numpy as np

from ebb_kv.engine import EbbError, Engine
from tests.running import ROOT, Server

SETTINGS = """
ebb.server.sequences.memory = 4 MiB
ebb.tokens.policies {
  sliding-window { protected-prefix = 4, window = 1 }
  snapkv { window = 8, kernel = 5 }
  h2o { recent = 8 }
  knorm { protected-prefix = 0, window = 0 }
  keydiff { protected-prefix = 0, window = 0 }
}
"""


def golden(name):
    """Reads a file of reference results, which are not part of the project."""
    above = [os.environ["EBB_SHARED"]] if "EBB_SHARED" in os.environ else [each / "shared" for each in ROOT.parents]
    for folder in above:
        file = pathlib.Path(folder) / "golden" / f"{name}.json"
        if file.is_file():
            return json.loads(file.read_text())
    raise unittest.SkipTest(f"no reference results golden/{name}.json in $EBB_SHARED, or in 'shared' above the project")


def read(values):
    return np.array(values["data"], dtype=np.float32).reshape(values["shape"])


class GoldenTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(shared=True, more=SETTINGS)
        cls.addClassCleanup(cls.server.stop)

    def use(self, policy):
        url = f"{self.server.admin_url}/api/v1/config"
        with urllib.request.urlopen(url, timeout=60) as reply:
            version = json.load(reply)["version"]
        body = json.dumps({"version": version, "changes": {"ebb.tokens.policy": policy}}).encode()
        headers = {"Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(url, body, headers, method="PATCH"), timeout=60):
            pass

    @contextlib.contextmanager
    def opened(self, length, heads, kv_heads):
        """Opens a sequence in memory of one layer with heads of 16 numbers."""
        with self.connect(layers=1, kv_heads=kv_heads, head_dim=16, query_heads=heads) as engine:
            with engine.open(range(length)) as sequence:
                yield engine, sequence

    def connect(self, **shape):
        """Connects an engine. The server may not yet have noticed that the last one, of another shape, is gone."""
        deadline = time.monotonic() + 30
        while True:
            try:
                return Engine(str(self.server.socket), "golden", **shape, dtype="fp32", queries=True, attention=True)
            except EbbError as refused:
                if "other clients use blocks" not in str(refused) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def write(self, engine, sequence, k):
        """Writes the keys, and values of zero."""
        for head in range(k.shape[0]):
            blocks, table = engine.lane(0, head), sequence.table_of(0, head)
            for row in range(k.shape[1]):
                block = blocks[table[row // engine.block_tokens]]
                block[0, row % engine.block_tokens], block[1, row % engine.block_tokens] = k[head, row], 0

    def require_kept(self, expected, sequence):
        self.assertEqual(expected, [sorted(sequence.positions(0, head)) for head in range(len(expected))])

    def test_snapkv_from_queries_and_from_attention(self):
        self.use("snapkv")
        for name in ("snapkv_kvpress_gqa4q2kv_s64_keep50", "snapkv_kvpress_mqa4q1kv_s61_keep25"):
            case = golden(name)
            q, k, attention = (read(case["inputs"][each]) for each in ("q", "k", "attn_window"))
            shape = (k.shape[1], q.shape[0], k.shape[0])
            for observed in ("queries", "attention"):
                with self.subTest(name, observed=observed), self.opened(*shape) as (engine, sequence):
                    self.write(engine, sequence, k)
                    if observed == "queries":
                        sequence.observe_queries(0, q)
                    else:
                        sequence.observe_attention(0, attention)
                    self.assertGreater(sequence.prune(case["params"]["n_kept"]).removed, 0)
                    self.require_kept(case["expected"]["kept"], sequence)

    def test_policies_that_read_keys(self):
        for policy in ("knorm", "keydiff"):
            self.use(policy)
            case = golden(policy)
            k = read(case["inputs"]["k"])
            for ratio in ("ratio_0.5", "ratio_0.75"):
                with self.subTest(policy, ratio=ratio), self.opened(k.shape[1], 4, k.shape[0]) as (engine, sequence):
                    self.write(engine, sequence, k)
                    sequence.prune(case["expected"][ratio]["n_kept"])
                    self.require_kept(case["expected"][ratio]["kept"], sequence)

    def test_tova(self):
        self.use("tova")
        case = golden("tova")
        q, k = read(case["inputs"]["q"]), read(case["inputs"]["k"])
        with self.opened(k.shape[1], q.shape[0], k.shape[0]) as (engine, sequence):
            self.write(engine, sequence, k)
            sequence.observe_queries(0, q)
            sequence.prune(case["params"]["n_kept"])
            self.require_kept(case["expected"]["kept"], sequence)

    def test_h2o_after_the_prompt_and_each_token(self):
        self.use("h2o")
        case = golden("h2o_layerwise_hh8_recent8_s64")
        attention = read(case["inputs"]["attn_prefill"])
        heads, length = attention.shape[:2]
        size = case["params"]["hh_size"] + case["params"]["recent_size"]
        with self.opened(length, heads, heads) as (engine, sequence):
            self.write(engine, sequence, np.zeros((heads, length, 16), np.float32))
            sequence.observe_attention(0, attention)
            for step in case["expected"]["steps"]:
                with self.subTest(step["step"]):
                    if step["step"] != "prefill":
                        before = [sequence.positions(0, head) for head in range(heads)]
                        sequence.append([7])
                        # The file has a token's share in the order of positions, and Ebb in that of rows.
                        row = read(step["attn_row"])
                        rows = [row[head, np.argsort(np.argsort(before[head] + [10**6]))] for head in range(heads)]
                        sequence.observe_attention(0, np.stack(rows)[:, None])
                    sequence.prune(size)
                    self.require_kept(step["kept"], sequence)

    def test_first_and_last_tokens(self):
        self.use("sliding-window")
        for case in golden("streaming_llm")["expected"]["kvpress_prefill"]:
            # Where fewer stay than the first four, the published code keeps any of them.
            if case["n_kept"] > 4:
                with self.subTest(case["S"], kept=case["n_kept"]), self.opened(case["S"], 4, 2) as (engine, sequence):
                    self.write(engine, sequence, np.zeros((2, case["S"], 16), np.float32))
                    sequence.prune(case["n_kept"])
                    self.require_kept([case["kept"]] * 2, sequence)


if __name__ == "__main__":
    unittest.main()
