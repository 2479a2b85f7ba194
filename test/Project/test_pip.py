"""`pip install .` gives a package that a fresh environment imports, with NumPy as its only requirement."""

import os
import shutil
import zipfile

import pytest
from conftest import ROOT, run


@pytest.fixture(scope="module")
def wheel(python, build_folder, tmp_path_factory):
    """Built in the build folder of ./dev, by its interpreter: nothing is compiled twice."""
    folder = tmp_path_factory.mktemp("wheel")
    done = run([python, "-m", "pip", "wheel", ROOT, "--no-deps", "--no-build-isolation", "-w", folder,
                f"--config-settings=build-dir={build_folder}", "--config-settings=cmake.define.CLIKA_BUILD_TESTS=ON"],
               timeout=1200)  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    (path,) = folder.glob("*.whl")
    return path


def test_wheel_holds_the_package_and_the_library(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "clika_runtime/__init__.py" in names and "clika_runtime/py.typed" in names
    assert any(name.startswith("clika_runtime/libClikaRT.so") for name in names)
    outside = [name for name in names if not name.startswith(("clika_runtime/", "clika_runtime-"))]
    assert outside == []


def test_requirements_are_numpy_alone(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = archive.read(name).decode()
    required = [line.split(":", 1)[1].strip() for line in metadata.splitlines() if line.startswith("Requires-Dist")]
    assert [line for line in required if "extra" not in line] == ["numpy>=1.26"]
    assert [line.split()[0].split(">")[0] for line in required if 'extra == "bf16"' in line] in (["ml-dtypes"], ["ml_dtypes"])


def test_a_fresh_environment_imports_it(wheel, python, tmp_path):
    environment = tmp_path / "venv"
    assert run([python, "-m", "venv", environment]).returncode == 0
    fresh = environment / "bin" / "python"
    done = run([fresh, "-m", "pip", "install", "-q", wheel], timeout=600)
    assert done.returncode == 0, done.stderr
    program = "import clika_runtime as crt; print(crt.__version__, crt.tensor([1.5, 2.0]).numpy().tolist(), crt.__file__)"
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
    done = run([fresh, "-c", program], cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    version, *values, file = done.stdout.split()
    assert version == "0.1.0" and values == ["[1.5,", "2.0]"]
    assert str(environment) in file
    shutil.rmtree(environment)
