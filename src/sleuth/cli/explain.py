"""`sleuth explain`: the page of one cause, or of one rule of the debugging loop."""

from typing import Any

import click

from sleuth import catalog
from sleuth.cli.output import emit, output_options
from sleuth.errors import SleuthError, did_you_mean
from sleuth.show import pages
from sleuth.terminal import coloured


@click.command("explain")
@click.argument("name", metavar="CAUSE|RULE")
@output_options
def command(name: str, json_path: str | None, quiet: bool) -> None:
    """Print the page of a cause or a rule.

    What happens, how to tell, how to fix, who says so, and how far to trust that.
    """
    brief, markdown, payload = _cause(name) if name in catalog.causes() else _rule(name)
    text = brief if quiet else pages.for_terminal(markdown) if coloured() else markdown
    emit(text, payload, json_path)


def _cause(slug: str) -> tuple[str, str, dict[str, Any]]:
    cause = catalog.find(slug)
    markdown, payload = pages.with_claims(cause)
    return f"{cause.slug}: {cause.page.summary}", markdown, payload


def _rule(name: str) -> tuple[str, str, dict[str, Any]]:
    from sleuth.evidence.folklore import rules
    from sleuth.show import evidence_claims

    if name not in rules():
        hint = did_you_mean(name, [*catalog.causes(), *rules()])
        raise SleuthError(f"There is no cause or rule named {name!r}.{hint}")
    claim = rules()[name]
    return f"{name}: {claim.text}", evidence_claims.rule_markdown(claim), evidence_claims.rule_json(claim)
