"""What only one of two models can say, with proofs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.feasibility.certificates import Certificate


@public_class
@dataclass(frozen=True)
class ModelDifference:
    """An output that one of two models has and the other has not, with both proofs.

    Attributes
    ----------
    names : tuple of str
        The labels that are on, or the ranking, best first, or the labels on top.
    has : Certificate
        Of the model that has it, with the input ``has.point``.
    lacks : Certificate
        Of the other model: Farkas weights.
    """

    names: tuple[str, ...]
    has: Certificate
    lacks: Certificate

    @property
    def input(self) -> tuple[Fraction, ...]:
        """An input for which the one model gives this output."""
        assert self.has.point is not None
        return self.has.point

    def verify(self) -> bool:
        """Check both proofs in exact arithmetic."""
        proved = self.has.feasible and not self.lacks.feasible
        return proved and self.has.verify() and self.lacks.verify()


@public_class
@dataclass(frozen=True)
class ModelComparison:
    """What two models can say; pairs of values are about the first model and the second.

    Attributes
    ----------
    outputs : {"label sets", "rankings", "top labels"}
        What was compared.
    method : {"listed", "sampled"}
        Whether all outputs were compared, or those at random inputs. Then numbers are numbers of
        inputs, and shares are shares of inputs.
    numbers : (int, int)
        Outputs of each model, or inputs at which it was asked.
    only : (int, int)
        Those that only this model has; each is proved.
    intervals : pair of (float, float), or None
        If sampled: 95% confidence intervals of the shares (Wilson).
    examples : pair of tuples of ModelDifference
        Some of those that only this model has.

    Examples
    --------
    >>> from arrangements import compare
    >>> found = compare([[1, 0], [0, 1], [1, 1]], [[1, 0], [0, 1], [1, -1]], "label sets")
    >>> print(found.summary())
    label sets, all of them listed
    model 1 has 6 outputs; model 2 lacks 2 of them (33.3%), such as {0}
    model 2 has 6 outputs; model 1 lacks 2 of them (33.3%), such as {0, 1}
    >>> found.examples[0][0].verify()
    True
    """

    outputs: str
    method: str
    numbers: tuple[int, int]
    only: tuple[int, int]
    intervals: tuple[tuple[float, float], tuple[float, float]] | None
    examples: tuple[tuple[ModelDifference, ...], tuple[ModelDifference, ...]]

    @property
    def shares(self) -> tuple[float, float]:
        """Shares of ``only`` in ``numbers``."""
        first, second = (a / max(b, 1) for a, b in zip(self.only, self.numbers, strict=True))
        return first, second

    @property
    def same(self) -> bool | None:
        """Whether both have the same outputs; None if samples found no difference."""
        if any(self.only):
            return False
        return True if self.method == "listed" else None

    def verify(self) -> bool:
        """Check the proofs of all examples in exact arithmetic."""
        return all(example.verify() for examples in self.examples for example in examples)

    def _repr_html_(self) -> str:
        rows = (
            [i + 1, self.numbers[i], self.only[i], f"{self.shares[i]:.1%}", self._example(i)]
            for i in range(2)
        )
        listed = self.method == "listed"
        head = [
            "model",
            self.outputs if listed else "inputs",
            "only this model",
            "share",
            "such as",
        ]
        how = "all of them listed" if listed else "at random inputs, each answer proved"
        return notebook.card(
            f"What two models can say: {self.outputs}, {how}", (), notebook.table(head, rows)
        )

    def _example(self, i: int) -> str:
        names = [example.names for example in self.examples[i][:1]]
        return notebook.text(_format_output(self.outputs, *names), 60) if names else ""

    def summary(self) -> str:
        """Three lines: what was compared and how, and what only each of the models has."""
        listed = self.method == "listed"
        how = "all of them listed" if listed else "at random inputs, each answer proved"
        lines = [f"{self.outputs}, {how}"]
        for i in range(2):
            number, only, share = self.numbers[i], self.only[i], f"{self.shares[i]:.1%}"
            if self.intervals is not None:
                low, high = self.intervals[i]
                share += f", 95% interval {low:.1%} to {high:.1%}"
            model, other = f"model {i + 1}", f"model {2 - i}"
            if listed:
                line = f"{model} has {number} outputs; {other} lacks {only} of them ({share})"
            else:
                line = f"of {number} inputs, {only} ({share}) give {model} an output that "
                line += f"{other} lacks"
            if self.examples[i]:
                line += f", such as {_format_output(self.outputs, self.examples[i][0].names)}"
            lines.append(line)
        return "\n".join(lines)


def _format_output(outputs: str, names: tuple[str, ...]) -> str:
    """An output in a line, cut if it is long."""
    text = (" > " if outputs == "rankings" else ", ").join(names)
    text = text if len(text) <= 60 else f"{text[:57]}.."
    return text if outputs == "rankings" else f"{{{text}}}"
