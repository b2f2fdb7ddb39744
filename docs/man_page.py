"""Write the manual ``man arrangements`` from the help of all commands: python docs/man_page.py.

pip installs docs/arrangements.1 into share/man/man1. A test compares it with the commands.
"""

import inspect
import re
from pathlib import Path

import click

from arrangements.cli.application import cli

PAGE = Path(__file__).parent / "arrangements.1"
_BEGINNING = """\
.TH ARRANGEMENTS 1
.SH NAME
arrangements \\- exact chambers, rankings and numbers of hyperplane arrangements
.SH SYNOPSIS
.B arrangements
.I COMMAND
[\\fIOPTIONS\\fR] [\\fIFILE\\fR]
.SH DESCRIPTION
Results go to standard output, everything else to standard error. FILE is \\- for standard input, a
file, or a family such as 'resonance(9)'.
.SH COMMANDS
"""
_END = """\
.SH EXIT STATUS
0 for success, 1 if a check fails, 2 for bad input, 130 after Ctrl\\-C, 143 after SIGTERM.
.SH ENVIRONMENT
.TP
.B NUMBA_CACHE_DIR
Folder in which compiled kernels are kept.
"""


def escape(text: str) -> str:
    """Text as it stands in a line of troff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", "\\\\&", text, flags=re.MULTILINE)


def value_of(option: click.Option) -> str:
    """What follows an option on the command line."""
    if option.is_flag or option.count:
        return ""
    if isinstance(option.type, click.Choice):
        return " ".join(["", "|".join(map(str, option.type.choices))])
    return f" {option.metavar or option.human_readable_name.upper().replace('-', '_')}"


def command_section(command: click.Command) -> str:
    """Usage, text and options of a command."""
    arguments = [p.metavar or "" for p in command.params if isinstance(p, click.Argument)]
    lines = [f".SS {escape(' '.join([str(command.name), '[OPTIONS]', *arguments]))}"]
    text = inspect.cleandoc(command.help or "").replace("\n\n", "\n.PP\n").split("\n")
    lines += [line if line == ".PP" else escape(line) for line in text]
    for option in command.params:
        if isinstance(option, click.Option):
            names = escape(", ".join(option.opts) + value_of(option))
            lines += [".TP", f"\\fB{names}\\fR", escape(option.help or "")]
    return "\n".join(lines) + "\n"


def page() -> str:
    """The manual."""
    sections = [command_section(cli.commands[name]) for name in sorted(cli.commands)]
    return _BEGINNING + "".join(sections) + _END


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
