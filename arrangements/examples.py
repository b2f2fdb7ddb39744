"""Counter-examples of the paper, each with its proof; public names of ``paper.examples``."""

from arrangements.paper.examples import (
    ModelPair,
    RankingProof,
    TieExample,
    bjorner,
    centered,
    centered_unit_length,
    model_pair,
    other_similarities,
    shortened_row,
    unrestricted,
)

__all__ = [
    "ModelPair",
    "RankingProof",
    "TieExample",
    "bjorner",
    "centered",
    "centered_unit_length",
    "model_pair",
    "other_similarities",
    "shortened_row",
    "unrestricted",
]
