import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

PROJECT = pathlib.Path(__file__).resolve().parents[1]


class BuildTest(unittest.TestCase):
    def build(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        command = [sys.executable, str(PROJECT / "build_backend.py"), folder.name]
        return [pathlib.Path(line) for line in subprocess.check_output(command, text=True).splitlines()]

    def test_the_same_sources_give_the_same_bytes(self):
        self.assertEqual([p.read_bytes() for p in self.build()], [p.read_bytes() for p in self.build()])

    def test_the_wheel_can_be_imported(self):
        wheel, _ = self.build()
        code = f"import sys; sys.path.insert(0, {str(wheel)!r}); import ebb_kv; print(ebb_kv.__file__)"
        printed = subprocess.check_output([sys.executable, "-c", code], text=True, cwd=wheel.parent)
        self.assertTrue(printed.startswith(str(wheel)), printed)

    def test_the_source_archive_builds_the_same_wheel(self):
        wheel, archive = self.build()
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(archive) as tar:
                tar.extractall(folder)
            backend = next(pathlib.Path(folder).glob("*/build_backend.py"))
            subprocess.check_output([sys.executable, str(backend), folder])
            self.assertEqual(wheel.read_bytes(), (pathlib.Path(folder) / wheel.name).read_bytes())

    def test_the_wheel_records_every_file(self):
        wheel, _ = self.build()
        with zipfile.ZipFile(wheel) as archive:
            record = next(name for name in archive.namelist() if name.endswith("RECORD"))
            recorded = [line.split(",")[0] for line in archive.read(record).decode().splitlines()]
            self.assertEqual(sorted(archive.namelist()), sorted(recorded))
            self.assertIn("ebb_kv/client.py", recorded)
