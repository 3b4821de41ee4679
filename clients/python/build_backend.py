"""Builds the wheel and the source archive with the standard library only. The same sources give the same bytes.

``pip install .`` calls it. ``python3 build_backend.py FOLDER`` writes both archives to a folder.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import pathlib
import re
import sys
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TIME = (2020, 1, 1, 0, 0, 0)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name, version, metadata = project()
    info = f"{name}-{version}.dist-info"
    files = {str(path.relative_to(HERE / "src")): path.read_bytes() for path in sources()}
    files[f"{info}/METADATA"] = metadata.encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: ebb\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/licenses/LICENSE"] = licence()
    record = [f"{path},sha256={digest(data)},{len(data)}" for path, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    wheel = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, TIME)
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    name, version, metadata = project()
    root = f"{name}-{version}"
    files = {str(path.relative_to(HERE)): path.read_bytes() for path in sources()}
    files.update({path: (HERE / path).read_bytes() for path in ("build_backend.py", "pyproject.toml", "README.md")})
    files["PKG-INFO"] = metadata.encode()
    files["LICENSE"] = licence()
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{root}/{path}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    target = pathlib.Path(sdist_directory, f"{root}.tar.gz")
    target.write_bytes(gzip.compress(data.getvalue(), mtime=0))
    return target.name


def project():
    """Returns name, version and the METADATA file, from the few fields that pyproject.toml has here."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")

    def field(key):
        return re.search(rf'^{key} = "(.*)"$', text, re.MULTILINE).group(1)

    requires = re.findall(r'"([^"]+)"', re.search(r"^dependencies = \[(.*)\]$", text, re.MULTILINE).group(1))
    metadata = [
        "Metadata-Version: 2.1",
        f"Name: {field('name')}",
        f"Version: {field('version')}",
        f"Summary: {field('description')}",
        "License: Apache-2.0",
        f"Requires-Python: {field('requires-python')}",
        *(f"Requires-Dist: {each}" for each in requires),
        "Description-Content-Type: text/markdown",
        "",
        (HERE / "README.md").read_text(encoding="utf-8"),
    ]
    return field("name").replace("-", "_"), field("version"), "\n".join(metadata)


def sources():
    package = HERE / "src/ebb_kv"
    return sorted([*package.glob("*.py"), package / "py.typed"])


def licence():
    """Returns the licence, which lies beside this file in the source archive and above it in the repository."""
    beside = HERE / "LICENSE"
    return (beside if beside.exists() else HERE.parent.parent / "LICENSE").read_bytes()


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    print(folder / build_wheel(folder))
    print(folder / build_sdist(folder))
