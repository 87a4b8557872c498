"""A new threshold says where it comes from; those of before that do not are listed, and the list shrinks."""

from pathlib import Path

from tests.contract.thresholds import everywhere, thresholds

LIST = Path(__file__).with_name("thresholds_without_origin.txt")
KNOWN = set(LIST.read_text("utf-8").splitlines())


def test_a_new_threshold_has_a_source_or_a_measurement_beside_it() -> None:
    new = [str(one) for one in everywhere() if not one.has_origin and str(one) not in KNOWN]
    assert new == [], "say in a comment what was seen, measured or read that gives this number"


def test_what_has_an_origin_by_now_is_off_the_list() -> None:
    without = {str(one) for one in everywhere() if not one.has_origin}
    assert KNOWN - without == set()


def test_the_words_beside_a_number_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "# Seen on 40 scripts: healthy ones stay\n# below (measured).\nHIGH = 0.9\n"
        "LOW = 0.1  # of the start\nBOTH = (1, -2)  # see the page\nNAME = 'x'\n"
    )
    found = {one.name: one.has_origin for one in thresholds(tmp_path / "a.py", tmp_path)}
    assert found == {"HIGH": True, "LOW": False, "BOTH": True}
