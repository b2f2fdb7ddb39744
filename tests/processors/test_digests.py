"""Answers that are the same on every processor; and the code of the sweeps for another one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from questions import QUESTIONS, asked

import arrangements

DIGESTS = json.loads(Path(__file__).with_name("digests.json").read_text("utf-8"))
PACKAGE = Path(arrangements.__file__).parent


def test_forty_questions_have_answers():
    assert list(QUESTIONS) == list(DIGESTS) and len(set(DIGESTS.values())) == 40


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", DIGESTS)
def test_the_same_answer_on_every_processor(name):
    """CI asks as a processor without vectors of 512 bits too, and as one with SSE2 only."""
    assert asked(name)[0] == DIGESTS[name]


AARCH64 = """
import gc
import llvmlite.binding as llvm
from arrangements.kernels.numba_internals import cpu_target
from arrangements import count_chambers, count_rankings
from arrangements.kernels.compilation import _Entry

triple, name, features = "aarch64-unknown-linux-gnu", "generic", "+neon"
# what kernels are told about the processor, which chooses their code
type(cpu_target.target_context.codegen()).magic_tuple = lambda codegen: (triple, name, features)
rows = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [2, 1, -1]]
assert (count_chambers(rows, method="sweep"), count_rankings(rows)) == (22, 68)
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
machine = llvm.Target.from_triple(triple).create_target_machine(cpu=name, features=features)
for entry in [thing for thing in gc.get_objects() if isinstance(thing, _Entry)]:
    for code in entry.inspect_llvm().values():
        assert "llvm.x86" not in code
        module = llvm.parse_assembly(code)
        module.triple, module.data_layout = machine.triple, str(machine.target_data)
        module.verify()
        assembly = machine.emit_assembly(module)
        print(entry.__module__, assembly.count("\\tfmla\\t"))
"""


@pytest.mark.slow
def test_the_sweeps_can_be_compiled_for_aarch64(tmp_path):
    """No instruction of x86 is asked for by name, and LLVM has code for all vectors."""
    llvm.initialize_all_targets()
    try:
        llvm.Target.from_triple("aarch64-unknown-linux-gnu")
    except RuntimeError:
        pytest.skip("LLVM was built without aarch64 here")
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-c", AARCH64]
    done = subprocess.run(command, env=environment, check=True, text=True, stdout=subprocess.PIPE)
    found = [line.split() for line in done.stdout.splitlines()]
    vectors = {module for module, count in found if int(count)}
    assert {f"arrangements.kernels.{x}" for x in ("chambers.search", "rankings.placing")} <= vectors
