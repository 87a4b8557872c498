"""One finding on a page, for every page that shows some: what, how sure, where, why, what to do."""

from pathlib import Path

from sleuth.finding import Finding
from sleuth.markup import escape
from sleuth.show import finding_text

AROUND = 2  # lines shown before and after the guilty one


def card(finding: Finding, excerpt: bool = False) -> str:
    """`excerpt`: with the lines it points at, where that file can be read."""
    where = finding.where
    spot = finding_text.place(where) if where is not None else ""
    parts = [
        f"<div class='card {'note-card' if finding.severity == 'note' else finding.severity}'>",
        f"<h3>{escape(finding.cause)} <small>{escape(finding_text.sure(finding))}</small></h3>",
        f"<p><b>{escape(spot)}</b></p>" if spot else "",
        f"<p>{escape(finding.message)}</p>",
        _excerpt(finding) if excerpt else "",
        f"<p class='confirmed'>confirmed by {escape(', '.join(finding.confirmed_by))}</p>"
        if finding.confirmed_by
        else "",
        f"<p><b>Fix.</b> {escape(finding.fix)}</p>" if finding.fix else "",
        f"<p><small>{escape('; '.join(finding.sources))}</small></p>" if finding.sources else "",
        "</div>",
    ]
    return "".join(parts)


def _excerpt(finding: Finding) -> str:
    where = finding.where
    if where is None or not where.path or not where.line or not Path(where.path).is_file():
        return ""
    lines = Path(where.path).read_text("utf-8", errors="replace").splitlines()
    first, last = max(1, where.line - AROUND), min(len(lines), where.line + AROUND)
    rows = (_row(number, lines[number - 1], number == where.line) for number in range(first, last + 1))
    return f"<pre>{''.join(rows)}</pre>"


def _row(number: int, text: str, guilty: bool) -> str:
    kind = "row guilty" if guilty else "row"
    return f"<span class='{kind}'><span class='nr'>{number}</span>{escape(text)}</span>"
