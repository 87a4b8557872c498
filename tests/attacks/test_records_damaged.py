"""Records are cut, flipped and filled with junk: what is wrong is told and left out, never used."""

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth import archive
from sleuth.archive import record
from sleuth.record.blocks import Reading, events, sealed
from sleuth.record.entries import KINDS, Record, Step
from sleuth.record.json_lines import line_of, parse, read
from sleuth.watching.judging import judge
from tests.attacks import archives
from tests.attacks.tally import tally
from tests.watching.detectors.records import healthy

SEED, SAMPLE, WHOLE = 7, 20, 200
TRUE_ITEMS = frozenset(map(repr, parse(line.decode() for line in archives.lines())))


def whole() -> bytes:
    return b"".join(archives.blocks())


def old() -> bytes:
    """As it was written before blocks had seals."""
    return b"".join(archives.lines())


def kept(folder: Path, content: bytes) -> Record:
    path = folder / "record.jsonl"
    path.write_bytes(content)
    return read(path)


def test_sealed_and_old_records_read_the_same(tmp_path: Path) -> None:
    assert kept(tmp_path, whole()) == kept(tmp_path, old())
    assert kept(tmp_path, whole()).items == tuple(read(tmp_path / "record.jsonl").items)
    assert kept(tmp_path, whole()).damage == ()
    assert len(kept(tmp_path, whole()).items) == len(healthy().items)


def test_a_flipped_digit_is_told_and_its_block_left_out(tmp_path: Path) -> None:
    blocks = archives.blocks()
    place = blocks[3].index(b'"loss":') + 9
    blocks[3] = blocks[3][:place] + bytes([blocks[3][place] ^ 1]) + blocks[3][place + 1 :]
    found = kept(tmp_path, b"".join(blocks))
    steps = blocks[3].count(b'{"kind":"step"')
    assert len(found.steps) == len(healthy().steps) - steps
    told = f"1 of {len(blocks)} blocks are damaged; {steps} steps left out."
    assert found.damage == (f"The record is not as it was written: {told}",)
    assert judge(found).measured["damage"] == list(found.damage)


def test_damage_is_told_wherever_the_record_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = archives.blocks()
    run = archives.recorded(tmp_path, b"".join(blocks))
    run.record_path.write_bytes(b"".join(blocks).replace(b'"loss":0.1', b'"loss":0.7', 1))
    monkeypatch.setenv("SLEUTH_HOME", str(tmp_path))
    told = f"1 of {len(blocks)} blocks are damaged"
    out = str(tmp_path / "out.csv")
    for words in (("judge", run.id), ("runs", "show", run.id), ("runs", "export", run.id, "--to", out)):
        assert told in " ".join(archives.said(*words).text.split()), words
    for words in (("judge", run.id), ("runs", "show", run.id), ("runs", "export", run.id, "--to", out)):
        assert told in archives.said(*words, "--json", "-").text, words


def test_a_lost_seal_costs_its_own_block_alone(tmp_path: Path) -> None:
    blocks = archives.blocks()
    blocks[2] = blocks[2][: blocks[2].rindex(b'{"kind":"block"')]
    found = kept(tmp_path, b"".join(blocks))
    assert len(found.items) == len(healthy().items) - archives.BLOCK
    assert "1 of" in found.damage[0]


def test_lines_of_junk_between_blocks_cost_nothing_else(tmp_path: Path) -> None:
    blocks = archives.blocks()
    blocks.insert(2, b'{"kind":"step","n":7,"loss":1e308}\n')
    found = kept(tmp_path, b"".join(blocks))
    assert len(found.items) == len(healthy().items)
    assert len(found.damage) == 1


def test_a_broken_line_of_an_old_record_costs_itself_and_is_told(tmp_path: Path) -> None:
    told = archives.lines()
    found = kept(tmp_path, b"".join([*told[:9], b"{broken\n", *told[9:]]))
    assert len(found.items) == len(told)
    assert found.damage == ("1 line of the record cannot be read: left out.",)


def test_an_end_that_lost_its_seal_is_left_out_where_a_line_of_it_is_broken(tmp_path: Path) -> None:
    *blocks, last = archives.blocks()
    lines = last.splitlines(keepends=True)[:-1]
    found = kept(tmp_path, b"".join([*blocks, lines[0][:20] + b"\x00" + lines[0][21:], *lines[1:]]))
    assert len(found.items) == len(healthy().items) - len(lines)
    assert "1 of" in found.damage[0]


@pytest.mark.parametrize("content", [whole, old])
def test_a_cut_costs_the_tail_alone_and_is_no_damage(tmp_path: Path, content: Callable[[], bytes]) -> None:
    data = content()
    for cut in random.Random(SEED).sample(range(len(data)), 40):
        found = kept(tmp_path, data[:cut])
        assert found.damage == ()
        complete = [line for line in data[:cut].split(b"\n")[:-1] if not line.startswith(b'{"kind":"block"')]
        assert len(found.items) in (len(complete), len(complete) + 1)


def test_a_packed_record_that_is_damaged_says_so(tmp_path: Path) -> None:
    many = b"".join(sealed(line_of(Step(n, loss=1 / (n + 1))).encode()) for n in range(9000))
    (tmp_path / "record.jsonl").write_bytes(many)
    record.pack(tmp_path)
    packed = (tmp_path / record.PACKED_RECORD).read_bytes()
    assert record.damage(tmp_path) == ()
    (tmp_path / record.PACKED_RECORD).write_bytes(packed[: len(packed) // 2])
    assert record.damage(tmp_path) == ("The record breaks off: the rest cannot be read (it was cut short).",)
    assert 0 < len(list(record.events(tmp_path))) < 9000
    (tmp_path / record.PACKED_RECORD).write_bytes(packed[:5000] + b"\xff" * 50 + packed[5050:])
    assert record.damage(tmp_path) != ()
    (tmp_path / record.PACKED_RECORD).write_bytes(b"no gzip at all")
    assert record.damage(tmp_path) != ()


def test_a_packed_record_is_checked_block_by_block(tmp_path: Path) -> None:
    data = whole().replace(b'"loss":0.1', b'"loss":0.7', 1)
    (tmp_path / record.PACKED_RECORD).write_bytes(gzip.compress(data))
    assert "1 of" in record.damage(tmp_path)[0]


def test_a_line_without_end_is_not_read_into_memory_at_once(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    with path.open("wb") as file:
        file.write(archives.blocks()[0])
        file.truncate(3 << 30)  # a hole: no disk is used
    reading = Reading()
    first = next(iter(events(path, reading)))
    assert first["kind"] == "run"


@settings(deadline=None)  # the machine may be busy
@given(st.lists(st.binary(max_size=60), max_size=6), st.integers(0, 5))
def test_any_bytes_among_blocks_never_raise(junk: list[bytes], every: int) -> None:
    blocks = archives.blocks()[:6]
    for place, one in enumerate(junk):
        blocks.insert(place * every % len(blocks), one)
    with TemporaryDirectory() as folder:
        found = kept(Path(folder), b"".join(blocks))
    assert set(map(repr, found.items)) <= TRUE_ITEMS


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None)  # the machine may be busy
@given(st.sampled_from(sorted(KINDS)), st.data())
def test_a_line_of_any_content_is_an_entry_or_is_counted(kind: str, data: st.DataObject) -> None:
    names = [*KINDS[kind].__dataclass_fields__, "kind"]
    content = data.draw(st.dictionaries(st.sampled_from(names), values, max_size=6)) | {"kind": kind}
    with TemporaryDirectory() as folder:
        found = kept(Path(folder), json.dumps(content).encode() + b"\n")
    assert len(found.items) + len(found.damage) == 1


def flips(tmp_path: Path, tries: int) -> list[str]:
    """One bit of a sealed record: no number is read that was not written, and all that is missing is told."""
    chance = random.Random(SEED)
    data, found = whole(), []
    for _ in range(tries):
        bad = archives.flipped(data, chance)
        got = kept(tmp_path, bad)
        invented = set(map(repr, got.items)) - TRUE_ITEMS
        lost = len(TRUE_ITEMS) - len(got.items)
        if invented or (lost and not got.damage):
            place = next(at for at, (one, other) in enumerate(zip(data, bad, strict=True)) if one != other)
            found.append(f"{bad[max(0, place - 40) : place + 40]!r}: {invented or lost}")
    return found


def truncations(tmp_path: Path, tries: int) -> list[str]:
    """Cut anywhere, and read by every verb."""
    chance = random.Random(SEED)
    data, found = whole(), []
    run = archives.recorded(tmp_path, data, exit_code=None)
    other = archives.recorded(tmp_path, data)
    for _ in range(tries):
        cut = chance.randrange(len(data))
        run.record_path.write_bytes(data[:cut])
        found += [f"{fault} at {cut}" for fault in archives.faults(tmp_path, run, other)]
        before = data[:cut].count(b'{"kind":"step"') - len(archives.steps_of(run))
        if before not in (0, 1):
            found.append(f"{before} steps lost at {cut}")
    return found


def junk(tmp_path: Path, tries: int) -> list[str]:
    """Three junk lines in an old record, which no seal protects, and read by every verb."""
    chance = random.Random(SEED)
    told, found = archives.lines(), []
    run, other = (archives.recorded(tmp_path, b"".join(told), exit_code=None) for _ in range(2))
    for _ in range(tries):
        bad = list(told)
        for _ in range(3):
            place = chance.randrange(len(bad))
            bad[place] = json.dumps(archives.bent(json.loads(bad[place]), chance)).encode() + b"\n"
        run.record_path.write_bytes(b"".join(bad))
        found += archives.faults(tmp_path, run, other)
        answer = archives.said("judge", str(run.record_path), "--json", "-")
        if answer.code >= archives.OWN_FAULT:
            found.append(f"judge: {answer.text[-400:]}")
    return found


ATTACKS: dict[str, Callable[[Path, int], list[str]]] = {
    "a bit flipped in a record": flips,
    "a record cut anywhere": truncations,
    "three junk lines in a record": junk,
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_a_damaged_record_ends_no_verb(tmp_path: Path, attack: Callable[[Path, int], list[str]]) -> None:
    assert attack(tmp_path, SAMPLE) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKS)
def test_a_damaged_record_many_times(tmp_path: Path, name: str) -> None:
    found = ATTACKS[name](tmp_path, WHOLE)
    tally(name, WHOLE, len(found))
    assert found == []


def test_runs_that_go_on_are_read_while_they_write(tmp_path: Path) -> None:
    """Whatever has been written of a block by now: never damage."""
    run = archive.begin(["x"], None, home=tmp_path)
    data = whole()
    for cut in random.Random(SEED).sample(range(len(data)), 30):
        run.record_path.write_bytes(data[:cut])
        assert (run.status, run.damage) == ("running", ())
