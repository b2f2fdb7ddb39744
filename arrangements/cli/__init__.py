"""Command line: sign vectors, rankings, pictures, checks of the paper, and the demo.

Results go to stdout, everything else to stderr. Bad input is one line and exit status 2.

To add a command:

1. Write a function decorated by ``@click.command()`` in the module of its topic, or in a new one
   named ``<topic>_commands.py``; its docstring is the text of ``--help``. It reads its options,
   calls one public function and prints what that returns.
2. Import numba, NumPy and modules of the package that load them inside the function: ``--version``
   and ``--help`` stay fast, which a test checks.
3. Take shared options from `cli.options`; ``@input_options()`` of `cli.inputs` passes an `Input`
   as ``source``, which reads files and families. Print with `cli.output` (``write_out``,
   ``print_json``, ``print_result``). A command that reads no W and loads kernels starts with
   ``announce_compilation()``.
4. Raise ``click.UsageError`` for options that do not go together. Any `ArrangementError` is one
   line and exit status 2; where its message would advise a Python keyword, it carries a `Remedy`,
   and `cli.wording` says which option that is.
5. An option that is called like a parameter of the public function stays in ``**options``, which
   are passed on; any other is a parameter of the command.
6. Name the command in `COMMANDS` of `cli.application`, test it in ``tests/cli``, and run
   ``python docs/man_page.py``.
"""

import os

__all__ = ["main"]


def main() -> int:
    """Run the command line.

    Returns
    -------
    int
        Exit status: 0 for success, 2 for bad input, 130 after Ctrl-C, 143 after SIGTERM, 141
        when the reader of stdout has gone.

    Notes
    -----
    Signals are handled before anything else is imported, since Ctrl-C may come meanwhile.
    """
    try:
        from arrangements.cli.interruption import Interruption  # Ctrl-C while it is imported

        with Interruption() as interruption:
            try:
                from arrangements.cli.application import run  # the same
            except (KeyboardInterrupt, SystemExit):
                _say(interruption.message)
                return interruption.status
            return run(interruption)
    except KeyboardInterrupt:
        _say("interrupted")
        return 130


def _say(what: str) -> None:
    # CPython ends by SIGINT itself if text it executed was interrupted, be that handled or not,
    # unless it has executed other text since.
    exec("")
    os.write(2, f"arrangements: error: {what}\n".encode())
