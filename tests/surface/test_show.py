"""What a surface looks like: golden texts, JSON, pictures, and the page."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import sleuth
from sleuth.errors import SleuthError
from sleuth.loss_surface import Comparison, Surface
from sleuth.loss_surface.shown import as_text
from tests.surface import losses

GOLDEN = Path(__file__).parent / "golden"
REWRITE = "SLEUTH_REWRITE_GOLDEN" in os.environ


def barrier() -> Surface:
    return sleuth.surface(losses.barrier, ("distance", -3, 3), fixed={"margin": 1.0}, want=2, start=-1)


def product() -> Surface:
    return sleuth.surface(losses.product, ("a", -1, 1), ("b", -1, 1), want=(1, 1), n=40)


def sliced() -> Surface:
    return sleuth.surface(
        losses.terms, ("a", -1, 1), ("b", -1, 1), slices={"weight": [0.1, 1.0]}, want=(0, 0), n=20
    )


def compared() -> Comparison:
    return barrier().compare(losses.soft_barrier)


def pole() -> Surface:
    return sleuth.surface(losses.pole, ("p", -0.5, 1), want=1, n=60)


SHOWN: dict[str, Callable[[], Surface | Comparison]] = {
    "barrier": barrier,
    "product": product,
    "sliced": sliced,
    "compared": compared,
    "pole": pole,
}


@pytest.mark.parametrize("name", SHOWN)
def test_the_text_is_the_one_that_was_looked_at(name: str) -> None:
    text, golden = SHOWN[name]().text() + "\n", GOLDEN / f"{name}.txt"
    if REWRITE:
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")


@pytest.mark.parametrize("name", SHOWN)
def test_json_is_strict_and_complete(name: str) -> None:
    data = json.loads(json.dumps(SHOWN[name]().to_dict(), allow_nan=False))
    if name == "compared":
        assert data["schema"] == "sleuth.surface-comparison/1"
        assert data["changes"]
        data = data["left"]
    assert data["schema"] == "sleuth.surface/1"
    for flaw in data["findings"]:
        assert {"kind", "severity", "term", "message", "numbers", "fix", "share", "at", "box"} <= set(flaw)
    for sheet in data["sheets"]:
        assert sum(sheet["descent"].values()) == pytest.approx(1.0)


@pytest.mark.parametrize("name", SHOWN)
def test_pictures_are_pictures(name: str, tmp_path: Path) -> None:
    svg = SHOWN[name]().save(tmp_path / "map.svg").read_text("utf-8")
    assert svg.startswith("<?xml")
    assert svg.count('id="axes_') >= {"sliced": 4, "compared": 2}.get(name, 1)
    assert os.listdir(tmp_path) == ["map.svg"]


def test_a_picture_is_the_same_every_time(tmp_path: Path) -> None:
    one, two = (barrier().save(tmp_path / name).read_bytes() for name in ("a.svg", "b.svg"))
    assert one == two
    png = barrier().save(tmp_path / "map.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert len(png) > 10_000


def test_the_picture_shows_hatching_arrows_and_marks(tmp_path: Path) -> None:
    from matplotlib.collections import PathCollection
    from matplotlib.contour import QuadContourSet
    from matplotlib.figure import Figure
    from matplotlib.quiver import Quiver

    from sleuth.loss_surface.shown.panels import panels
    from sleuth.loss_surface.shown.picture import _map

    seen = sleuth.surface(
        lambda a, b: (1 - a * b).clamp(max=1.2), ("a", -1, 1), ("b", -1, 1), want=(1, 1), n=40
    )
    figure = Figure()
    place = figure.subplots()
    _map(figure, place, panels(seen)[0])
    hatched = [one for one in place.collections if isinstance(one, QuadContourSet) and one.hatches != [None]]
    assert hatched
    assert any(isinstance(one, Quiver) for one in place.collections)
    labels = {one.get_label() for one in place.collections if isinstance(one, PathCollection)}
    assert {"saddle", "wanted"} <= labels


@pytest.mark.parametrize("name", SHOWN)
def test_the_page_stands_alone(name: str) -> None:
    from sleuth.loss_surface.shown.page import page

    text = page(SHOWN[name]())
    own = re.sub(r"<script>.*?</script>", "", text, count=1, flags=re.DOTALL)  # plotly's own code
    assert "plotly" in text
    assert not re.search(r"(src|href)=", own)
    assert own.count("Plotly.newPlot") == {"compared": 2, "sliced": 4}.get(name, 1)
    assert "Gradient flow" in own
    if name == "compared":
        assert "What changed" in own
        assert "Gone in soft_barrier: dead-zone." in own


def test_names_of_the_user_are_escaped_on_the_page() -> None:
    from sleuth.loss_surface.shown.page import page

    def loss(x: object) -> object:
        return x**2  # type: ignore[operator]

    loss.__name__ = "<b>bold</b>"
    assert "<b>bold</b>" not in page(sleuth.surface(loss, ("x", -1, 1)))


def test_a_wrong_file_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SleuthError, match=r"must end in \.html"):
        barrier().save(tmp_path / "map.gif")
    with pytest.raises(SleuthError, match="no folder"):
        barrier().save(tmp_path / "none" / "map.png")


def test_arrows_point_downhill() -> None:
    text = sleuth.surface(lambda a, b: a + 0 * b, ("a", -1, 1), ("b", -1, 1), n=20).text()
    assert "←" in text
    assert "→" not in text.replace("a →", "")
    up = sleuth.surface(lambda a, b: 0 * a - b, ("a", -1, 1), ("b", -1, 1), n=20).text()
    assert "│↑↑↑" in up


def test_colour_only_where_asked() -> None:
    assert "\x1b[" not in barrier().text()
    assert "\x1b[" in barrier().text(colour=True)
    assert as_text.brief(barrier()).startswith("error dead-zone: ")
