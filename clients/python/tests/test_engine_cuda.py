"""Sequences of engines whose memory is on a GPU: that of a driver without a card, which other processes open too."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from tests.running import ROOT

DRIVER = ROOT / "host/cuda/src/test/c/fakecuda/build.sh"


class DriverTest(unittest.TestCase):
    """Runs the tests of cuda_engine.py in a process that loads the test driver instead of a real one."""

    def test_sequences_on_a_gpu(self):
        if shutil.which("cc") is None or not DRIVER.exists():
            self.skipTest("no C compiler, or no sources of the test driver")
        folder = tempfile.mkdtemp(prefix="ebb-driver-")
        self.addCleanup(shutil.rmtree, folder)
        subprocess.run(["sh", str(DRIVER), folder], check=True)
        done = subprocess.run(
            [sys.executable, "-B", "-m", "unittest", "tests.cuda_engine"],
            cwd=ROOT / "clients/python",
            env={**os.environ, "LD_LIBRARY_PATH": folder, "FAKECUDA_MEMORY": str(256 << 20)},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stderr, r"Ran [1-9]\d* tests")
