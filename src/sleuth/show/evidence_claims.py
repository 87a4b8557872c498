"""Claims of the map at the end of a cause's page, and the page of a rule."""

from collections.abc import Iterable
from typing import Any

from sleuth.evidence.folklore import Claim, Voice
from sleuth.show.evidence import number


def claims_markdown(claims: Iterable[Claim]) -> str:
    """The section that ends a cause's page: what is claimed, how far to trust it, who says so."""
    lines = ["## How far to trust this", ""]
    for claim in claims:
        speakers = ", ".join(claim.belief.sources)
        lines.append(f"- **{claim.title}** {number(claim.belief)}: {claim.text}")
        lines.append(f"  For it: {speakers}." + _objections(claim) + f" See `sleuth explain {claim.rule}`.")
    lines += ["", "Credence with its 5–95 % interval; `sleuth evidence why CLAIM` shows how it comes about."]
    return "\n".join(lines)


def rule_markdown(claim: Claim) -> str:
    """The page of a rule of the debugging loop."""
    parts = [
        f"# {claim.rule}",
        claim.text,
        f"*rule of the debugging loop · [{claim.title}] · credence {number(claim.belief)}*",
        "## Who says so\n\n" + "\n".join(_voice(voice) for voice in claim.supporting),
    ]
    if claim.against:
        parts.append(
            "## What speaks against it\n\n" + "\n".join(_objection(entry) for entry in claim.against)
        )
    if claim.covers:
        parts.append("## Where it applies\n\n" + ", ".join(f"`{name}`" for name in claim.covers))
    parts.append(f'`sleuth evidence why "{claim.title}"` shows how the credence comes about.')
    return "\n\n".join(parts)


def claim_json(claim: Claim) -> dict[str, Any]:
    interval = claim.belief.interval
    return {
        "title": claim.title,
        "rule": claim.rule,
        "text": claim.text,
        "credence": round(claim.belief.credence, 4),
        "interval": [round(end, 4) for end in interval] if interval else None,
        "lineages": list(claim.belief.sources),
        "against": [entry.title for entry in claim.against],
    }


def rule_json(claim: Claim) -> dict[str, Any]:
    return {
        "schema": "sleuth.rule/1",
        **claim_json(claim),
        "covers": list(claim.covers),
        "premises": [
            {
                "text": voice.text,
                "lineage": voice.source,
                "credence": voice.credence,
                "label": voice.link.label if voice.link else None,
                "link": voice.link.target if voice.link else None,
            }
            for voice in claim.supporting
        ],
    }


def _objections(claim: Claim) -> str:
    if not claim.against:
        return ""
    return (
        " Against it: "
        + "; ".join(f"{entry.title} ({entry.belief.credence:.2f})" for entry in claim.against)
        + "."
    )


def _voice(voice: Voice) -> str:
    where = f" [{voice.link.label}]({voice.link.target})" if voice.link else f" ({voice.source})"
    return f"- {voice.credence:.2f} {voice.text}{where}"


def _objection(claim: Claim) -> str:
    voices = "".join(f"\n  {_voice(voice)}" for voice in claim.supporting)
    return f"- **{claim.title}** {number(claim.belief)}: {claim.text}{voices}"
