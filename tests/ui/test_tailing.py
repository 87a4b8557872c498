"""A record that grows: read once, in pieces of any size, with whatever stands in it."""

import json
import math
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.archive.record import digest
from sleuth.ui import tailing
from sleuth.ui.tailing import MOST_LAYERS, Tail
from tests.archive.made import steps

values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=2),
)
events = st.dictionaries(
    st.sampled_from(["kind", "n", "loss", "name", "value"]),
    st.one_of(values, st.sampled_from(["step", "metric", "eval", "layers"])),
)


def test_it_goes_on_where_it_left_off(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    text = "".join(json.dumps(event) + "\n" for event in steps(50)).encode()
    tail = Tail(path)
    assert not tail.follow()
    for place in range(0, len(text), 97):  # in pieces that end within lines
        with path.open("ab") as file:
            file.write(text[place : place + 97])
        assert tail.follow()
    expected = digest(steps(50))
    assert tail.steps == expected.steps == 50
    assert list(tail.series["step/loss"].level().mean) == list(expected.series["step/loss"].values)
    assert tail.series.keys() == expected.series.keys()


def test_a_record_written_anew_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in steps(50)))
    tail = Tail(path)
    tail.follow()
    path.write_text('{"kind": "step", "n": 0, "loss": 1.0}\n')
    tail.follow()
    assert (tail.steps, list(tail.series)) == (1, ["step/loss"])


def test_a_line_without_end_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    path.write_bytes(b'{"kind": "' + b"x" * (tailing.LONGEST_LINE + 2 * tailing.CHUNK))
    tail = Tail(path)
    tail.follow()
    assert len(tail._rest) <= tailing.LONGEST_LINE  # nor is it held
    with path.open("ab") as file:
        file.write(b'"}\n{"kind": "step", "n": 3, "loss": 1.5}\n')
    tail.follow()
    assert tail.series["step/loss"].last == 1.5


def test_after_a_night_it_takes_no_more_room() -> None:
    tail = Tail(Path("nowhere"))
    for n in range(30_000):
        tail.take({"kind": "step", "n": n, "loss": math.sin(n)})
        tail.take({"kind": "layers", "n": n, "gradients": {"a": 1.0}})
    assert len(tail.series["step/loss"].steps) <= 2 * tailing.PLACES
    assert len(tail.layers.rows) <= MOST_LAYERS
    assert tail.layers.steps[-1] > 29_000


@given(st.lists(st.one_of(events.map(json.dumps), st.text(max_size=20)), max_size=20))
@settings(max_examples=60)
def test_whatever_stands_in_a_record_its_numbers_are_those_of_the_archive(lines: list[str]) -> None:
    tail, whole = Tail(Path("nowhere")), []
    for text in lines:
        tail._read(text.encode("utf-8", "replace"))
        try:
            event = json.loads(text)
        except ValueError:
            continue
        if isinstance(event, dict) and isinstance(event.get("kind"), str):
            whole.append(event)
    expected = digest(whole).series
    counted = {name: bins.count for name, bins in tail.series.items() if not name.startswith("eval/")}
    assert counted == {name: len(one) for name, one in expected.items()}
