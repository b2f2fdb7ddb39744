"""Where lists of chambers and rankings go: standard output, a file, or a run."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.inputs import Input
from arrangements.cli.options import check_certificate
from arrangements.cli.output import Cut, print_json, print_result, show_progress, write_out
from arrangements.cli.run_commands import is_run, refuse_run_options, write_run

if TYPE_CHECKING:
    from arrangements.runs.reading import Run


def check_outputs(source: Input, options: dict[str, Any]) -> bool:
    """Refuse outputs that cannot be written. Returns whether they are a run."""
    from arrangements.files.paths import check_output

    output, certificate = options["output"], options["certificate"]
    run = is_run(output)
    if not run:
        refuse_run_options(options)
        if output is not None:
            check_output(output, *source.files)
    elif certificate is not None:
        raise click.UsageError("A run has proofs of its own: leave out --certificate.")
    check_certificate(certificate, *source.files, output)
    return run


@dataclass(frozen=True)
class Listing:
    """The functions that list patterns of one kind, about one input.

    Attributes
    ----------
    noun : str
        The key of the patterns in JSON.
    description : dict
        What JSON says of the input.
    collect, iterate : callable
        All patterns as a set, or in blocks.
    write_run : callable
        Writes them to a run.
    write, lines, entries : callable
        A file of lines; the lines of a block; its entries in JSON.
    """

    noun: str
    description: dict[str, Any]
    collect: Callable[..., Any]
    iterate: Callable[..., Iterable[Any]]
    write_run: "Callable[..., Run]"
    write: Callable[..., int]
    lines: Callable[[Any], bytes]
    entries: Callable[[Any], list[Any]]

    def output(self, run: bool, options: dict[str, Any]) -> None:
        """Write the patterns to a file or a run, or print them block by block."""
        as_json, output = options.pop("as_json"), options.pop("output")
        limit, certificate = options.pop("limit"), options.pop("certificate")
        if run:
            found: Any = write_run(self.write_run, output, options | {"limit": limit})
            written, complete = len(found), True
        else:
            options["progress"] = show_progress(output is None)
            packed = output is not None and output.lower().endswith(".npz")
            if packed or certificate is not None:
                found = self.collect(limit=limit, **options)
                blocks = Cut([found], complete=found.complete)
            else:
                blocks = Cut(self.iterate(**options), limit)
            if certificate is not None:
                from arrangements import write_certificate

                write_certificate(found, certificate)
            if output is None:
                if as_json:
                    print_json(self.description, self.noun, blocks, self.entries)
                for block in () if as_json else blocks:
                    write_out(self.lines(block))
                return
            if packed:
                found.save(output)
                written = len(found)
            else:
                written = self.write(output, blocks)
            complete = blocks.complete
        record = {**self.description, "count": written, "complete": complete, "output": output}
        print_result(as_json, "", record)
