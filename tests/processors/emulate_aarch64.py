"""Ask the questions beside this file on an emulated aarch64 processor, and compare the answers.

    python tests/processors/emulate_aarch64.py [--folder build/aarch64] [QUESTION ...]

It runs on Debian, without being root and without changing the system: into the folder it
downloads, with `apt-get` and `pip` as they are configured, QEMU's emulator of single programs (if
there is none), Debian's Python for arm64, and the wheels for it of the versions in use here. What
is there is not downloaded again, compiled kernels included. Then `questions.py` runs natively and
emulated; exit status 1 means that an answer differs or is missing. The first time takes about a
quarter of an hour of one core, nearly all of it compilation, and 1 GB of disk.
"""

import argparse
import os
import shutil
import subprocess
import sys
from configparser import ConfigParser
from importlib.metadata import version
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = Path(__file__).with_name("questions.py")
EMULATOR, PYTHON = "qemu-aarch64-static", "usr/bin/python3"
# digest, seconds of the first answer, seconds of the second
Answer = tuple[str, float, float]


def run(*command: str | Path, **options: object) -> str:
    """Standard output of a command that must succeed."""
    done = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options)
    return str(done.stdout)


class Packages:
    """Debian's packages for arm64, with lists and archives of their own in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("state/lists/partial", "cache/archives/partial"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        native = run("dpkg", "--print-architecture").strip()
        (folder / "options").write_text(
            f'APT::Architecture "arm64";\nAPT::Architectures {{ "arm64"; "{native}"; }};\n'
            f'Dir::State "{folder}/state";\nDir::State::status "/dev/null";\n'
            f'Dir::Cache "{folder}/cache";\nDebug::NoLocking "true";\n'
            'APT::Sandbox::User "";\nAPT::Get::Assume-Yes "true";\n'
            'APT::Install-Recommends "false";\n'
        )
        self.native, self._environment = native, os.environ | {"APT_CONFIG": f"{folder}/options"}
        self._apt("update")

    def _apt(self, *command: str) -> None:
        print("+ apt-get", *command, file=sys.stderr)
        run("apt-get", "-q", *command, cwd=self.folder, env=self._environment)

    def unpack(self, root: Path, *names: str) -> None:
        """Packages for arm64, and all that they depend on."""
        self._apt("install", "--download-only", *names)
        for name in ("bin", "lib", "sbin"):  # as on Debian: what is in /lib is in /usr/lib
            (root / "usr" / name).mkdir(parents=True, exist_ok=True)
            (root / name).symlink_to(f"usr/{name}")
        for archive in sorted((self.folder / "cache" / "archives").glob("*.deb")):
            run("dpkg-deb", "-x", archive, root)

    def unpack_native(self, root: Path, name: str) -> None:
        """A package for the processor at hand, without what it depends on."""
        self._apt("download", f"{name}:{self.native}")
        (archive,) = self.folder.glob(f"{name}_*.deb")
        run("dpkg-deb", "-x", archive, root)


def emulated_python(folder: Path) -> list[str]:
    """The command that starts Python for aarch64, which is made if it is not there."""
    root, tools = folder / "root", folder / "tools"
    if not (folder / "unpacked").exists():
        for old in (root, tools):
            shutil.rmtree(old, ignore_errors=True)
        packages = Packages(folder / "packages")
        packages.unpack(root, "python3", "libstdc++6")
        if shutil.which(EMULATOR) is None:
            packages.unpack_native(tools, "qemu-user-static")
        (folder / "unpacked").touch()
    emulator = shutil.which(EMULATOR) or str(tools / "usr/bin" / EMULATOR)
    return [emulator, "-L", str(root), str(root / PYTHON), "-s"]


def install_wheels(folder: Path, python: list[str]) -> Path:
    """What the package needs, in the versions in use here, for the emulated Python."""
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg")
    needed = [line.split()[0] for line in setup["options"]["install_requires"].split("\n") if line]
    pinned = [f"{name}=={version(name)}" for name in needed]
    site = folder / "site"
    stamp = folder / "installed"
    if stamp.exists() and stamp.read_text().split() == pinned:
        return site
    shutil.rmtree(site, ignore_errors=True)
    ask = "import platform, sys; print(*sys.version_info[:2], platform.libc_ver()[1])"
    major, minor, libc = run(*python, "-c", ask).split()
    newest = int(libc.split(".")[1])
    platforms = [f"manylinux_2_{k}_aarch64" for k in range(newest, 16, -1)]
    options = [f"--platform={name}" for name in (*platforms, "manylinux2014_aarch64")]
    options += [f"--python-version={major}.{minor}", "--only-binary=:all:", f"--target={site}"]
    print("+ pip install", *pinned, file=sys.stderr)
    run(sys.executable, "-m", "pip", "install", "--quiet", *options, *pinned)
    stamp.write_text("\n".join(pinned))
    return site


def answers(
    python: list[str], path: list[Path], names: list[str], cache: Path
) -> dict[str, Answer]:
    """The answers of a Python, as far as it comes; shown as they come."""
    environment = {name: x for name, x in os.environ.items() if not name.startswith("NUMBA_")}
    environment |= {
        "PYTHONPATH": os.pathsep.join(map(str, path)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(cache),
    }
    found: dict[str, Answer] = {}
    command = [*python, str(QUESTIONS), *names]
    print("+", *command, file=sys.stderr)
    with subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE) as process:
        for line in process.stdout or ():
            digest, first, again, name = line.rstrip("\n").split(" ", 3)
            found[name] = digest, float(first), float(again)
            print(f"{float(first):10.3f} s {float(again):10.4f} s  {name}", flush=True)
    if process.returncode:
        print(f"exit status {process.returncode}", file=sys.stderr)
    return found


def main() -> int:
    """Make the environment, ask, compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "aarch64")
    parser.add_argument("questions", nargs="*", metavar="QUESTION", help="default all")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    python = emulated_python(folder)
    site = install_wheels(folder, python)
    native = answers([sys.executable], [ROOT], options.questions, folder / "native-cache")
    emulated = answers(python, [site, ROOT], options.questions, folder / "cache")
    wrong = [name for name, answer in native.items() if answer[0] != emulated.get(name, " ")[0]]
    for name in wrong:
        print(f"{'differs' if name in emulated else 'no answer'}: {name}")
    print(f"{len(native) - len(wrong)} of {len(native)} answers are the same.")
    slower = sorted(emulated[name][2] / native[name][2] for name in native if name in emulated)
    if slower:
        print(
            f"Asked again, when all is compiled, the emulator took {slower[0]:.0f} to "
            f"{slower[-1]:.0f} times as long (median {median(slower):.0f}): its speed, not that of "
            "a processor."
        )
    return 1 if wrong or not native else 0


if __name__ == "__main__":
    sys.exit(main())
