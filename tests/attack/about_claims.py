"""Attacks on the checker of certificate files: it proves what is true, and nothing else."""

from collections.abc import Iterator
from random import Random

from cases import Case, question
from claims import random_claim


@question("checker", 150)
def _(rng: Random) -> Iterator[Case]:
    claim = random_claim(rng)
    yield Case(f"proves({claim.octets()!r})", claim.holds())
    if claim.tamper(rng) and not claim.holds():  # else the proof may be as good as before
        yield Case(f"proves({claim.octets()!r})", False)
