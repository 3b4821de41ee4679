import os
import re
import subprocess
import sys
import unittest

from tests.running import ServerTest


class VllmSourceTest(ServerTest):
    def test_vllms_own_manager_serves_right_bytes_from_ebb(self):
        folder = os.environ.get("VLLM_SOURCE")
        if not folder:
            raise unittest.SkipTest("VLLM_SOURCE is not set; set it to a checkout of vLLM")
        self.connect()
        for url in (self.server.unix_url, self.server.url):
            run = subprocess.run(
                [sys.executable, "-B", "-m", "tests.vllm_source", url], capture_output=True, text=True, timeout=300
            )
            self.assertEqual(0, run.returncode, run.stderr)
            chunks, hits, aborted, again = map(int, re.findall(r"\d+", run.stdout))
            self.assertGreater(hits, 0)
            self.assertGreater(aborted, 0)
            # All chunks are in Ebb now, and none was in vLLM's memory.
            self.assertGreater(again, hits)
