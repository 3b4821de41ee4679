import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import threading
import unittest

from tests.running import Server, ServerTest

# Tests of vLLM's tier of files that any tier passes; the others test files and their events.
_OF_ANY_TIER = (
    "lookup_empty_tier or store_creates_file_and_lookup_succeeds or store_then_load_roundtrip or failed_load_missing_file"
    " or multiple_jobs_tracked_independently or multi_block_job_partial_failure or store_load_data_integrity"
)


def source():
    folder = os.environ.get("VLLM_SOURCE")
    if not folder:
        raise unittest.SkipTest("VLLM_SOURCE is not set; set it to a checkout of vLLM")
    return pathlib.Path(folder)


class VllmSourceTest(ServerTest):
    def test_vllms_own_manager_serves_right_bytes_from_ebb(self):
        source()
        for url in (self.server.unix_url, self.server.url):
            self.connect()
            chunks, hits, aborted, again = self.serve(url, 1500)
            self.assertGreater(hits, 0)
            self.assertGreater(aborted, 0)
            # All chunks are in Ebb now, and none was in vLLM's memory.
            self.assertGreater(again, hits)

    def test_ten_thousand_requests_see_right_bytes_while_the_server_is_killed_again_and_again(self):
        source()
        server = Server()
        self.addCleanup(server.stop)
        over = threading.Event()
        kills = []

        def kill():
            while not over.wait(5):
                server.restart()
                kills.append(1)

        thread = threading.Thread(target=kill)
        thread.start()
        try:
            chunks, hits, aborted, again = self.serve(server.unix_url, 10_000)
        finally:
            over.set()
            thread.join()
        self.assertGreater(len(kills), 1)
        self.assertGreater(hits, 0)
        self.assertGreater(chunks, hits)

    def test_vllms_own_tests_of_tiers_pass_with_ebb(self):
        tests = source() / "tests/v1/kv_offload/tiering"
        for needed in ("torch", "pytest"):
            if importlib.util.find_spec(needed) is None:
                raise unittest.SkipTest(f"there is no {needed}; install it")
        if not tests.is_dir():
            raise unittest.SkipTest(f"there is no folder '{tests}'; take another checkout of vLLM")
        self.connect()
        for file, chosen in (("test_tiering_offloading.py", ""), ("test_fs_tier.py", _OF_ANY_TIER)):
            options = ["-q", "-c", os.devnull, f"--rootdir={tests}", "--noconftest", "--import-mode=importlib"]
            options += ["-p", "tests.vllm_tiers", "-p", "no:cacheprovider", "-k", chosen, str(tests / file)]
            run = self.run_module("pytest", *options, EBB_URL=self.server.unix_url)
            self.assertEqual(0, run.returncode, run.stdout)
            self.assertGreater(int(re.search(r"(\d+) passed", run.stdout)[1]), 5)

    def serve(self, url, requests):
        run = self.run_module("tests.vllm_source", url, str(requests))
        self.assertEqual(0, run.returncode, run.stderr)
        return map(int, re.findall(r"\d+", run.stdout))

    def run_module(self, module, *arguments, **environment):
        return subprocess.run(
            [sys.executable, "-B", "-m", module, *arguments],
            capture_output=True,
            text=True,
            timeout=900,
            env={**os.environ, **environment},
        )
