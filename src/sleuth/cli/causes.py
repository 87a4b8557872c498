"""`sleuth causes`: the vocabulary of every diagnosis."""

import click

from sleuth import catalog
from sleuth.cli.output import emit, output_options
from sleuth.errors import SleuthError, did_you_mean
from sleuth.show import pages


@click.command("causes")
@click.option("--family", metavar="NAME", help="Only one family, such as data, loss or training.")
@click.option(
    "--seen-by",
    type=click.Choice(catalog.WAYS),
    help="Only causes that this technique detects today.",
)
@output_options
def command(family: str | None, seen_by: str | None, json_path: str | None, quiet: bool) -> None:
    """List the causes Sleuth knows, and how each is detected."""
    if family is not None and family not in catalog.families():
        known = catalog.families()
        raise SleuthError(f"There is no family named {family!r}.{did_you_mean(family, known)}")
    chosen = [
        cause
        for cause in catalog.causes().values()
        if family in (None, cause.family) and (seen_by is None or seen_by in pages.built(cause))
    ]
    text = "\n".join(cause.slug for cause in chosen) if quiet else pages.overview(chosen)
    emit(text, pages.overview_json(chosen), json_path)
