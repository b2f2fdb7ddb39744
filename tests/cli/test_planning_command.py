"""The command `plan`."""

import json
from dataclasses import replace
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import generators
from arrangements.cli.planning_commands import _format_plan
from arrangements.enumeration import planning


@pytest.mark.slow
def test_plan_command(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def call(*arguments: str) -> str:
        """What the command prints."""
        status, out, _ = run("plan", *arguments)
        assert status == 0
        return str(out)

    file = tmp_path / "W.csv"
    file.write_text("1,0\n0,1\n1,1\n")
    lines = call(str(file), "--seconds", "3").split("\n")
    assert lines[0] == "chambers  6 (listed to the end)" and lines[1].startswith(
        "memory    24 B of"
    )
    assert [line.split()[0] for line in lines[2:6]] == [
        "listing",
        "streaming",
        "counting",
        "sample",
    ]
    np.savetxt(file, generators.braid(10), "%d", ",")
    out = call(str(file), "--seconds", "0.3")
    assert "3,628,800 (counted to the end)" in out and "method characteristic: the sweep is" in out
    found = json.loads(call("--n", "100", "--d", "8", "--seconds", "0.05", "--json"))
    assert found["expected"] == 2 * sum(comb(99, k) for k in range(8))
    out = call("--n", "200", "--d", "10", "--rankings", "--seconds", "0.05")
    assert out.startswith("rankings  about 2.113e+33 (at most 2.113e+33)\n")

    parts = ("--n", "12", "--d", "4", "--workers", "3", "--seconds", "0.05")
    found = json.loads(call(*parts, "--json"))["run"]
    assert found["workers"] == 3 and found["expected"] == 464 and found["parts"] == 1
    lines = call(*parts).splitlines()
    assert lines[-2].startswith("run ") and "with 3 workers, busy 33.33% of it" in lines[-2]
    assert lines[-1].startswith("          Assumed: parts of sizes that are known in closed form")

    def need_memory(*arguments: object, **options: object) -> None:
        np.empty(2**60, np.uint8)

    with monkeypatch.context() as patch:
        patch.setattr(planning, "plan_size", need_memory)
        status, _, err = run("plan", "--n", "5", "--d", "2")
        assert status == 2 and "more memory than the machine has. Unable to allocate" in err
    status, _, err = run("plan", "--n", "5")
    assert status == 2 and "both --n and --d" in err
    assert run("plan", str(file), "--n", "5", "--d", "2")[0] == 2


def test_memory_and_disk_of_merged_restrictions() -> None:
    found = planning.plan([[1, 0], [0, 1], [1, 1]], seconds=0.1)
    merged = replace(
        found,
        counting_method="characteristic",
        counting_seconds=7200.0,
        polynomial_memory=6_700_000_000,
        polynomial_disk=10_200_000_000,
    )
    text = (
        "counting  2 hours (within a factor of 3; 6.7 GB of memory, or 10.2 GB in a folder), method"
    )
    assert text in _format_plan(merged)
    assert "folder" not in _format_plan(replace(merged, counting_method="sweep"))
