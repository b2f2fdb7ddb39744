"""The demo as a command."""

import click

from arrangements.cli.output import announce_compilation, write_out


@click.command()
def demo() -> None:
    """List and explain sign patterns and rankings of a digits classifier with a 3-d bottleneck."""
    from arrangements.demo import explain

    announce_compilation()
    for line in explain():
        write_out(line + "\n")
