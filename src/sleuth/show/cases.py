"""Cases and pre-flight lists as text."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sleuth.show.diagnosis_words import percent
from sleuth.show.wrapping import page_width, wrapped

if TYPE_CHECKING:
    from sleuth.diagnosis.ledger import Status
    from sleuth.diagnosis.preflight import Expected
    from sleuth.diagnosis.triage import Question

SHOWN = 10
BAR = 24


def board_page(status: "Status", brief: bool = False) -> str:
    """Credences as bars, what was observed, and the next test."""
    ranked = sorted(status.board.items(), key=lambda entry: -entry[1])[: 3 if brief else SHOWN]
    falsifiers = {line["name"]: line.get("refuted_by", "") for line in status.ledger.of("hypothesis")}
    lines = [f"{status.ledger.title}"]
    for name, share in ranked:
        lines.append(f"  {share:>6.1%} {'█' * round(share * BAR):<{BAR}} {name}")
        if falsifiers.get(name):
            lines.append(f"         refuted by: {falsifiers[name]}")
    seen = [
        f"  {line['test']}: {line['answer']} {line.get('note', '')}".rstrip()
        for line in status.ledger.of("observed")
    ]
    damage = status.ledger.damage
    told = [
        *(["Observed", *seen] if seen else []),
        *(["Damaged", *(f"  {one}" for one in damage)] if damage else []),
    ]
    return "\n".join([*lines, *told, next_line(status)])


def next_line(status: "Status") -> str:
    test = status.next_test
    if test is None:
        return "No test is left; add one with `sleuth case add test`."
    return f"Next: {test.name} — {test.question} (cost {test.cost:g}, {status.bits:.2f} bits expected)"


def preflight_page(script: str, found: Sequence["Expected"]) -> str:
    """A ranked list: cause, why here, the cheapest check."""
    lines = [f"What would not surprise you to see fail in {script}?"]
    lines.append("Chances are shares among all causes that Sleuth knows.")
    for number, entry in enumerate(found, 1):
        lines += wrapped(
            entry.summary, page_width(), 0, f"{number:>3}. {entry.cause} ({percent(entry.chance)}): ", 5
        )
        if entry.why:
            lines.append(f"     why here: {entry.why}")
        lines.append(f"     check: {entry.check}")
    return "\n".join(lines)


def triage_page(asked: Sequence["Question"], brief: bool = False) -> str:
    """The tree: one line a question, what was seen and where it points below those that say yes."""
    marks = {"yes": "YES", "no": "no ", "unknown": " ? "}
    lines = []
    crashed = any(question.name == "traceback" and question.reply == "yes" for question in asked)
    for number, question in enumerate(asked, 1):
        if brief and question.reply != "yes":
            continue
        if crashed and (question.reply == "unknown" or question.name == "none"):
            continue
        lines.append(f"{number:>3}. {marks[question.reply]}  {question.asks}")
        if question.seen and not brief:
            lines += wrapped(question.seen, page_width(), 10)
        if question.points_at:
            lines.append(f"          → {', '.join(question.points_at)}")
    waiting = sum(question.reply == "unknown" for question in asked)
    if crashed and waiting and not brief:
        lines.append(f"It must run first: the other {waiting} questions cannot be answered before it does.")
    return "\n".join(lines)
