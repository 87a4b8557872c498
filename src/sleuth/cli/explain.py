"""`sleuth explain`: the page of a cause, of a rule of the debugging loop, or of a flaw of a loss."""

from typing import TYPE_CHECKING, Any

import click

from sleuth import catalog
from sleuth.cli.output import emit, output_options
from sleuth.errors import SleuthError, did_you_mean
from sleuth.show import pages
from sleuth.terminal import coloured

if TYPE_CHECKING:
    from sleuth.loss_surface.flaw import Kind


@click.command("explain")
@click.argument("name", metavar="CAUSE|RULE|FLAW")
@output_options
def command(name: str, json_path: str | None, quiet: bool) -> None:
    """Print the page of a cause or a rule.

    What happens, how to tell, how to fix, who says so, and how far to trust that. Of a flaw in the shape of
    a loss that `sleuth surface` names: what it is, why it matters, how to fix it.
    """
    brief, markdown, payload = _page(name)
    text = brief if quiet else pages.for_terminal(markdown) if coloured() else markdown
    emit(text, payload, json_path)


def _page(name: str) -> tuple[str, str, dict[str, Any]]:
    if name in catalog.causes():
        return _cause(name)
    from sleuth.evidence.folklore import rules
    from sleuth.loss_surface.flaw import KINDS

    if name in rules():
        return _rule(name)
    for kind in KINDS:
        if kind == name:
            return _flaw(kind)
    hint = did_you_mean(name, [*catalog.causes(), *rules(), *KINDS])
    raise SleuthError(f"There is no cause or rule named {name!r}.{hint}")


def _cause(slug: str) -> tuple[str, str, dict[str, Any]]:
    cause = catalog.find(slug)
    markdown, payload = pages.with_claims(cause)
    return f"{cause.slug}: {cause.page.summary}", markdown, payload


def _rule(name: str) -> tuple[str, str, dict[str, Any]]:
    from sleuth.evidence.folklore import rules
    from sleuth.show import evidence_claims

    claim = rules()[name]
    return f"{name}: {claim.text}", evidence_claims.rule_markdown(claim), evidence_claims.rule_json(claim)


def _flaw(kind: "Kind") -> tuple[str, str, dict[str, Any]]:
    from sleuth.loss_surface import kinds

    return f"{kind}: {kinds.MEANINGS[kind].what}", kinds.markdown(kind), kinds.as_json(kind)
