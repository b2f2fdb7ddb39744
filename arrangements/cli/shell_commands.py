"""The command that makes shells complete commands, options, files and families."""

import click
from click.shell_completion import shell_complete

VARIABLE = "_ARRANGEMENTS_COMPLETE"


@click.command()
@click.argument("shell", metavar="SHELL", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script with which SHELL completes commands, options, files and families.

    SHELL is bash, zsh or fish. In ~/.bashrc: eval "$(arrangements completion bash)"; in ~/.zshrc
    the same with zsh. For fish: arrangements completion fish > FILE, where FILE is
    ~/.config/fish/completions/arrangements.fish.
    """
    shell_complete(ctx.find_root().command, {}, "arrangements", VARIABLE, f"{shell}_source")
