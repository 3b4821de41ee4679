"""A running server for the tests."""

from __future__ import annotations

import atexit
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
from typing import Any, Optional

from ebb_kv import Ebb

ROOT = pathlib.Path(__file__).resolve().parents[3]
# A factor of how often tests repeat something, more than 1 in Ebb's profile 'stress'.
TIMES = int(os.environ.get("EBB_TEST_HISTORIES", "1"))
LISTENING = re.compile(r"ebb: serving RESP on 127\.0\.0\.1:(\d+)")
ADMIN = re.compile(r"ebb: dashboard, API and metrics at (\S+)/")


class Server:
    """An Ebb with a Unix socket and shared memory. EBB_LAUNCHER names another launcher than that of this checkout."""

    def __init__(
        self,
        pool: str = "32 MiB",
        shared: bool = True,
        password: str = "",
        chains: str = "auto",
        policy: str = "lru",
        more: str = "",
    ) -> None:
        launcher = os.environ.get("EBB_LAUNCHER", str(ROOT / "ebb"))
        if "EBB_LAUNCHER" not in os.environ and not (ROOT / "dist/target/ebb/lib").is_dir():
            raise unittest.SkipTest("Ebb is not built; run 'mvn -DskipTests -pl dist -am package'")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ebb-kv-"))
        self.socket = self.folder / "ebb.sock"
        settings = f'unix-socket = "{self.socket}", password = "{password}", chains = {chains}'
        settings += f', shared-memory = "{self.folder}"' if shared else ""
        (self.folder / "ebb.conf").write_text(f"ebb.server {{ {settings} }}\n{more}\n", encoding="utf-8")
        arguments = ["--port", "0", "--admin-port", "0", "--pool-size", pool, "--eviction-policy", policy]
        self._command = [launcher, "serve", *arguments]
        self._start()

    def restart(self) -> None:
        """Kills the server and starts it again. The path of its socket stays the same, its TCP port changes."""
        self.kill()
        self.process.stdout.close()
        self._start()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def start_if_it_ended(self) -> None:
        if self.process.poll() is not None:
            self.restart()

    def _start(self) -> None:
        self.process = subprocess.Popen(
            self._command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.url = f"redis://127.0.0.1:{self._printed(LISTENING)}"
        # The last line of the start.
        self.admin_url = self._printed(ADMIN)
        self.unix_url = f"unix://{self.socket}"

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _printed(self, pattern: re.Pattern) -> str:
        said = []
        for line in self.process.stdout:
            said.append(line)
            match = pattern.match(line)
            if match:
                return match.group(1)
        shutil.rmtree(self.folder, ignore_errors=True)
        raise AssertionError("Ebb did not start:\n" + "".join(said))


def retain(priority: int, **directive: Any) -> dict:
    """Returns an envelope of KV hints that retains a range of tokens, as a router sends it."""
    payload = {"scope": "run", "directives": [{"priority": priority, **directive}]}
    action = {"action_id": "a", "action_type": "kv.retain", "action_version": "1.0", "payload": payload}
    return {"protocol_version": "0.1", "message_id": "m", "actions": [action]}


class ServerTest(unittest.TestCase):
    """Tests against one server, which all test classes share. Each test starts with an empty server."""

    server: Server
    _shared: Optional[Server] = None

    @classmethod
    def setUpClass(cls) -> None:
        if ServerTest._shared is None:
            ServerTest._shared = Server()
            atexit.register(ServerTest._shared.stop)
        cls.server = ServerTest._shared

    def server_to_kill(self) -> Server:
        """Returns the server of all tests, which runs again after the test."""
        self.addCleanup(self.server.start_if_it_ended)
        return self.server

    def connect(self, url: Optional[str] = None, **options: Any) -> Ebb:
        """Connects until the end of the test, and empties the server."""
        ebb = Ebb(url or self.server.url, **options)
        self.addCleanup(ebb.close)
        ebb.redis.flushall()
        return ebb
