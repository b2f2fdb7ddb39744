"""The demo as a command."""

import click

from arrangements.cli.compilation_commands import compile_with_bar
from arrangements.cli.output import announce_compilation, write_out


@click.command()
def demo() -> None:
    """List and explain the sign vectors and rankings of a small classifier of digits."""
    from arrangements import preparation  # loads numba
    from arrangements.demo import explain

    announce_compilation()
    if preparation.cache_folder() and not preparation.is_compiled():
        compile_with_bar(tuple(preparation.FIRST))  # side by side, not one after the other
    for line in explain():
        write_out(line + "\n")
