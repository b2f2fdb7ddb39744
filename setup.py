"""Make the links of the README absolute; everything else is in setup.cfg."""

import configparser
import re
from pathlib import Path

ROOT = Path(__file__).parent
PICTURES = (".svg", ".png")


def settings() -> dict[str, str]:
    """The section [metadata] of setup.cfg."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return dict(parser["metadata"])


def version() -> str:
    """The version of the package."""
    text = (ROOT / "arrangements" / "version.py").read_text(encoding="utf-8")
    return re.search(r'__version__ = "(.*)"', text)[1]


def absolute_links(text: str, url: str, revision: str) -> str:
    """`text` with links to files of the repository as an index needs them, at that revision."""

    def absolute(match: re.Match[str]) -> str:
        target = match[1]
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        folder = "raw" if target.endswith(PICTURES) else "blob"
        return f"]({url}/{folder}/{revision}/{target})"

    return re.sub(r"\]\(([^)\s]+)\)", absolute, text)


if __name__ == "__main__":
    from setuptools import setup  # tests import the functions above without it

    url = settings()["url"]
    revision = "main" if "dev" in version() else f"v{version()}"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    setup(
        long_description=absolute_links(readme, url, revision),
        long_description_content_type="text/markdown",
        project_urls={
            "Documentation": f"{url}/blob/{revision}/docs/index.md",
            "Changelog": f"{url}/blob/{revision}/CHANGELOG.md",
            "Source": url,
            "Issues": f"{url}/issues",
        },
    )
