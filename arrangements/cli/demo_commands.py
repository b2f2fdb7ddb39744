"""The demo as a command."""

import click

from arrangements.cli.output import announce_compilation, write_out


@click.command()
def demo() -> None:
    """List and explain the sign vectors and rankings of a small classifier of digits."""
    from arrangements.demo import explain

    announce_compilation()
    for line in explain():
        write_out(line + "\n")
