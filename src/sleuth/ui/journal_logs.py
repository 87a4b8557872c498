"""The four logs of a day in one file of dated notes: the word in front of a note says which it belongs to."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sleuth.archive.journal import Note

# Rahtz, "Lessons Learned Reproducing a Deep Reinforcement Learning Paper": what he wrote down each day.
LOGS: Mapping[str, tuple[str, str]] = {
    "doing": ("What I work on", "What do you work on right now?"),
    "thinking": ("Thinking aloud", "What might be the reason? What else could it be?"),
    "question": ("Running now, and why", "Which question is this run to settle?"),
    "result": ("Results", "What came out?"),
}
OTHERWISE = "thinking"  # a note without a word in front


@dataclass(frozen=True)
class Entry:
    """A note in its log; `topic` sorts results by kind."""

    note: Note
    log: str
    topic: str
    text: str


def entry(note: Note) -> Entry:
    """`#result schedule: ...` is a result of the kind `schedule`; `#question ...` a question."""
    if not note.text.startswith("#"):
        return Entry(note, OTHERWISE, "", note.text)
    head, _, rest = note.text[1:].partition(" ")
    if head not in LOGS:
        return Entry(note, OTHERWISE, "", note.text)
    topic, colon, told = rest.partition(": ")
    if head == "result" and colon and topic and " " not in topic:
        return Entry(note, head, topic, told)
    return Entry(note, head, "", rest)


def written(log: str, topic: str, text: str) -> str:
    """A note as it stands in the file."""
    words = " ".join(text.split())
    kind = "-".join(topic.split()).strip(":")
    if log == OTHERWISE and not words.startswith("#"):
        return words
    return f"#{log} {kind}: {words}" if log == "result" and kind else f"#{log} {words}"


def logs(notes: Iterable[Note]) -> Mapping[str, Sequence[Entry]]:
    """All four, in order; results by their kind."""
    found: dict[str, list[Entry]] = {name: [] for name in LOGS}
    for note in notes:
        one = entry(note)
        found[one.log].append(one)
    found["result"].sort(key=lambda one: one.topic)
    return found
