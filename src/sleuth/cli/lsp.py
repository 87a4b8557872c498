"""`sleuth lsp`: the language server."""

import click

from sleuth.errors import SleuthError


@click.command("lsp")
def command() -> int:
    """Serve findings to an editor (language server protocol).

    The server speaks on standard input and output; editors start it themselves.
    """
    try:
        from sleuth.lsp import serve
    except ModuleNotFoundError as error:
        if error.name not in ("pygls", "lsprotocol"):
            raise
        raise SleuthError("The language server needs pygls: pip install 'sleuth[lsp]'.") from None
    try:
        serve()
    except SystemExit as left:  # how the server ends when the editor says so
        return left.code if isinstance(left.code, int) else 0
    return 0
