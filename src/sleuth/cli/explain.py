"""`sleuth explain`: the page of one cause."""

import click

from sleuth import catalog
from sleuth.cli.output import colour, emit, output_options
from sleuth.show import pages


@click.command("explain")
@click.argument("slug", metavar="CAUSE")
@output_options
def command(slug: str, json_path: str | None, quiet: bool) -> None:
    """Print the page of a cause: what happens, how to tell, how to fix, and who says so."""
    cause = catalog.find(slug)
    if quiet:
        text = f"{cause.slug}: {cause.page.summary}"
    else:
        markdown = pages.markdown(cause)
        text = pages.for_terminal(markdown) if colour() else markdown
    emit(text, pages.page_json(cause), json_path)
