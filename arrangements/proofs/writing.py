"""Answers written with their proofs, for a checker that shares no code with this package."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from numbers import Integral
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from arrangements.certificates.certificate import Certificate
from arrangements.certificates.certificate_table import Certificates
from arrangements.certificates.top_certificate import TopCertificate
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.score_model import ScoreModel
from arrangements.errors import InputError, InputTypeError, TooLargeError
from arrangements.messages import quote
from arrangements.optimize.optimum import Optimum
from arrangements.paper.examples import ModelPair, TieExample
from arrangements.paper.verification import Result
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within, read_polyhedron
from arrangements.proofs.certificate_file import CertificateFile, Of, certificate_file
from arrangements.proofs.claims import (
    is_countable,
    write_certificates,
    write_example,
    write_input,
    write_optimum,
    write_polyhedron,
    write_rankings,
    write_results,
    write_sign_vectors,
    write_tops,
)
from arrangements.proofs.network_claims import NetworkAnswer, write_network_certificate
from arrangements.sets.rankings import Rankings
from arrangements.sets.sign_vectors import SignVectors

Answer = (
    SignVectors
    | Rankings
    | Certificate
    | TopCertificate
    | Certificates
    | Iterable[Certificate | TopCertificate | Certificates]
    | int
    | Iterable[Result]
    | Result
    | ModelPair
    | TieExample
    | NetworkAnswer
    | Optimum
)


def write_certificate(
    answer: Answer,
    path: str | os.PathLike[str],
    *,
    W: ArrangementLike | ScoreModel | None = None,
    offsets: ArrayLike | None = None,
    within: Within | None = None,
) -> None:
    """Write an answer with its proof to a file that ``arrangements check`` proves again.

    So does ``python checker.py``, the one file ``arrangements/checker.py``, on a machine with
    nothing but Python.

    Parameters
    ----------
    answer : SignVectors, Rankings, Certificate, TopCertificate, Certificates, int, or as below
        Several certificates about one matrix may be given in a list. Answers about the outputs of a
        network (`can_output`, `maximum`, `robust_radius`, `is_monotone`, ..) become a file for
        ``python network_checker.py``; of `decision_regions` it has a claim for each class, that it
        occurs or not. Of an `Optimum` with costs, that its value is the best is
        proved by a tree of conflicts, which is searched for now. An int is the number of
        chambers of `W`, or of rankings if `W` is a `ScoreModel`. Results of `verify` become the
        counter-examples of their statements; those of `examples` can also be written by themselves.
    path : str or path-like
        Compressed if it ends in ``.gz``, which files about networks may not. The file appears when
        it is complete.
    W : (n, d) array_like, Arrangement or ScoreModel, optional
        What the answer is about. Needed for a number, and for a set that does not know.
    offsets : (n,) array_like, optional
    within : Polyhedron, or (A, c), optional
        The polyhedron that the answer is about. Needed for a number, and for a set that does not
        know.

    Raises
    ------
    InputError
        If the answer does not hold for these numbers, or if what it is about is not known.
    InputTypeError
        If `answer` is something else.
    TooLargeError
        If a line or a number is larger than the checker reads, or a number is about a polyhedron of
        more vertices than the checker can count with.

    See Also
    --------
    check_run : for answers in a folder.

    Notes
    -----
    A set is called complete if its number of elements is that of all chambers or rankings, which
    is counted again. Otherwise (with a limit, after algebra or a choice of rows) the file only
    claims that its elements occur, and so it does in a polyhedron of more than 1024 vertices and
    rays. A number is written as it is given: the checker counts.

    The points of a set are short whole numbers, proved while they are written. Each takes about 5
    microseconds for 30 hyperplanes in R^4; where no rounded point is inside, an exact one is found,
    which takes milliseconds.

    Examples
    --------
    >>> import tempfile
    >>> from arrangements import chambers, checker, feasible
    >>> W = [[1, 0], [0, 1], [1, 1]]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_certificate(chambers(W), folder + "/all.jsonl")
    ...     write_certificate(feasible(W, "++-"), folder + "/one.jsonl")
    ...     checker.main(folder + "/all.jsonl"), checker.main(folder + "/one.jsonl")
    claim 1 is proved: complete, 6 sign vectors, of 'W'
    claim 1 is proved: answers, 1 sign vectors (0 occur), of 'W'
    (0, 0)
    """
    if within is not None and W is None and not isinstance(answer, SignVectors | Rankings):
        raise InputError("within was given without a matrix W, about which it says something.")
    if offsets is not None and (W is None or isinstance(W, ScoreModel)):
        raise InputError("offsets were given without a matrix W that they belong to.")
    if isinstance(answer, NetworkAnswer):
        if W is not None:
            raise InputError(f"W was given, and {answer!r} knows its network; leave W out.")
        write_network_certificate(answer, path)
        return
    subject: Arrangement | ScoreModel | None = None
    if isinstance(W, ScoreModel):
        subject = W
    elif W is not None:
        # a zero row is a label like others, but no hyperplane
        subject = (ScoreModel if isinstance(answer, Rankings) else Arrangement.coerce)(W, offsets)
    with certificate_file(path) as file:
        _write(file, answer, subject, within)


def write_top_certificate(
    model: ScoreModel,
    tops: list[list[int]] | None,
    ordered: bool,
    path: str | os.PathLike[str],
    within: Polyhedron | None = None,
) -> None:
    """Write that these tops of the caller's labels can be, or, if None, which labels can be first.

    Labels that were dropped have no part in it.
    """
    row = {label: i for i, label in enumerate(model.kept)}
    if tops is None:
        tops, ordered = [[label] for label in model.kept], True
    with certificate_file(path) as file:
        write_tops(file, model, [[row[label] for label in top] for top in tops], ordered, within)


def _write(
    file: CertificateFile,
    answer: Any,
    subject: Arrangement | ScoreModel | None,
    within: Within | None,
) -> None:
    """Write an answer, about its own numbers or those given."""
    if isinstance(answer, SignVectors | Rankings) and not len(answer):
        raise InputError("the set is empty, so there is no answer to write; ask for a single one.")
    if isinstance(answer, SignVectors):
        arrangement = _arrangement(answer, subject)
        write_input(file, "W", arrangement)
        P = _polyhedron(answer, arrangement, within)
        write_sign_vectors(file, ["W"], [arrangement], answer, P)
    elif isinstance(answer, Rankings):
        model = _model(answer, subject)
        write_input(file, "W", model)
        write_rankings(file, "W", model, answer, _polyhedron(answer, model, within))
    elif isinstance(answer, Integral) and not isinstance(answer, bool):
        if subject is None:
            raise InputError("a number does not say what it counts; pass W (and offsets).")
        of: Of = "sign vectors" if isinstance(subject, Arrangement) else "rankings"
        write_input(file, "W", subject)
        P = None if within is None else read_polyhedron(within, subject)
        others = write_polyhedron(file, P)
        if not is_countable(P):
            raise TooLargeError(
                "within has more than 1024 vertices and rays, too many for the checker to count "
                "with; list the patterns and write these."
            )
        file.claim("count", ["W"], of=of, number=int(answer), others=others)
    else:
        write = _writer(answer)
        if subject is not None:
            raise InputError(f"W was given with {quote(answer)}, which says what it is about.")
        write(file)


def _writer(answer: Any) -> Callable[[CertificateFile], None]:
    """The function that writes an answer with numbers of its own."""
    if isinstance(answer, ModelPair | TieExample):
        return partial(write_example, example=answer)
    if isinstance(answer, Optimum):
        return partial(write_optimum, optimum=answer)
    entries: list[Any] = [answer]
    if not isinstance(answer, Certificate | TopCertificate | Certificates | Result):
        if isinstance(answer, str | bytes | Mapping) or not isinstance(answer, Iterable):
            raise _unknown(answer)
        entries = list(answer)
    if not entries:
        raise InputError("there is no answer to write; expected at least one.")
    if all(isinstance(entry, Certificate | TopCertificate | Certificates) for entry in entries):
        return partial(write_certificates, proofs=entries)
    if all(isinstance(entry, Result) for entry in entries):
        return partial(write_results, results=entries)
    raise _unknown(answer)


def _unknown(answer: Any) -> InputTypeError:
    if isinstance(answer, np.ndarray):
        return InputTypeError(
            "the answer is an array, which has no proofs; pass can_be_top(W, answer), of ranked "
            "labels with ordered=True."
        )
    return InputTypeError(
        f"the answer is {quote(answer)}; expected SignVectors, Rankings, Certificates, an Optimum, "
        "results of verify, or a number with W: of chambers, or of rankings if W is a ScoreModel."
    )


def _polyhedron(
    answer: SignVectors | Rankings, subject: Arrangement | ScoreModel, within: Within | None
) -> Polyhedron | None:
    if within is None:
        return answer.within
    P = read_polyhedron(within, subject)
    if answer.within is not None and answer.within != P:
        raise InputError(f"within is not the polyhedron that these {answer._ONE}s belong to.")
    return P


def _arrangement(signs: SignVectors, subject: Arrangement | ScoreModel | None) -> Arrangement:
    own = signs.arrangement
    if isinstance(subject, ScoreModel):
        raise InputError(
            "W is a ScoreModel, but the answer is about sign vectors; pass its matrix."
        )
    if subject is not None and subject.n_hyperplanes != signs.n:
        raise InputError(f"{signs.n} signs, but W has {subject.n_hyperplanes} rows.")
    if subject is not None and own is not None and not own.same_numbers(subject):
        raise InputError("W and offsets are not the numbers that these sign vectors belong to.")
    if own is None and subject is None:
        raise InputError("these sign vectors belong to no arrangement; pass W (and offsets).")
    return own if own is not None else cast(Arrangement, subject)


def _model(orders: Rankings, subject: Arrangement | ScoreModel | None) -> ScoreModel:
    own = orders.model
    assert not isinstance(subject, Arrangement)
    if subject is not None and subject.n_labels != orders.n:
        raise InputError(f"rankings of {orders.n} labels, but W has {subject.n_labels} rows.")
    if subject is not None and own is not None and not own.same_scores(subject):
        raise InputError("W and offsets are not the numbers that these rankings belong to.")
    if own is None and subject is None:
        raise InputError("these rankings have no weights; pass W (and offsets).")
    return own if own is not None else cast(ScoreModel, subject)
