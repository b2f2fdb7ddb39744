"""Compare the files of both distributions with those of the repository: python FILE DIST."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

GENERATED = {"PKG-INFO"}


def tracked() -> set[str]:
    """Files of the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], check=True, capture_output=True, text=True
    ).stdout
    return set(listed.split("\0")[:-1])


def source(archive: Path) -> set[str]:
    """Files of the sdist that the build did not generate."""
    with tarfile.open(archive) as tar:
        names = {item.name.partition("/")[2] for item in tar.getmembers() if item.isfile()}
    return {name for name in names - GENERATED if ".egg-info/" not in name}


def wheel(archive: Path) -> set[str]:
    """Files of the wheel below the package."""
    with zipfile.ZipFile(archive) as file:
        names = {name for name in file.namelist() if ".dist-info/" not in name}
    # the manual, which pip moves to share/man
    return {name for name in names if not name.endswith(".data/data/share/man/man1/arrangements.1")}


def main(folder: Path) -> None:
    """Exit with a message if files are missing or too many."""
    (sdist,) = folder.glob("*.tar.gz")
    (built,) = folder.glob("*.whl")
    files = tracked()
    package = {name for name in files if name.startswith("arrangements/")}
    for archive, found, expected in (
        (sdist, source(sdist), files),
        (built, wheel(built), package),
    ):
        if found != expected:
            missing, extra = sorted(expected - found), sorted(found - expected)
            sys.exit(f"{archive.name} lacks {missing} and has {extra}, which git does not.")
        print(f"{archive.name}: {len(found)} files, those of the repository")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
