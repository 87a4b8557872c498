"""A surface and a comparison as JSON: what was asked, found and measured, with a coarse copy of the map."""

from typing import TYPE_CHECKING, Any

from sleuth.show.json_ready import json_ready

if TYPE_CHECKING:
    from sleuth.loss_surface import Comparison, Surface
    from sleuth.loss_surface.analysis import Analysis
    from sleuth.loss_surface.axes import Region

COARSE = 21  # points an axis of the copy


def as_json(surface: "Surface") -> dict[str, Any]:
    data: dict[str, Any] = json_ready(
        {
            "schema": "sleuth.surface/1",
            "name": surface.name,
            "axes": [{"name": axis.name, "lo": axis.lo, "hi": axis.hi} for axis in surface.axes],
            "points": surface.n,
            "style": surface.calls[0].style,
            "dtype": str(surface.calls[0].dtype).removeprefix("torch."),
            "want": _region(surface.want),
            "start": _region(surface.start),
            "fixed": {
                key: value for key, value in surface.fixed.items() if isinstance(value, (int, float, str))
            },
            "findings": [flaw.to_dict() for flaw in surface.findings],
            "sheets": [_sheet(analysis) for analysis in surface.analyses],
            "flow": [row.to_dict() for row in surface.flow.rows],
            "notes": list(surface.flow.notes),
        }
    )
    return data


def comparison_json(comparison: "Comparison") -> dict[str, Any]:
    return {
        "schema": "sleuth.surface-comparison/1",
        "changes": list(comparison.changes),
        "left": as_json(comparison.left),
        "right": as_json(comparison.right),
    }


def _sheet(analysis: "Analysis") -> dict[str, Any]:
    import numpy as np

    sheet = analysis.sheet
    picks = [np.unique(np.linspace(0, count - 1, COARSE).round().astype(int)) for count in sheet.shape]
    where = np.ix_(*picks)
    return {
        "term": sheet.term,
        "slice": dict(sheet.at),
        "flat_share": float(analysis.flat.mean()),
        "broken_share": float(analysis.broken.mean()),
        "descent": dict(analysis.basins.fates),
        "spots": [spot.to_dict() for spot in analysis.spots],
        "log_form": analysis.log_form.to_dict() if analysis.log_form else None,
        "map": {
            "ticks": {
                axis.name: line[pick].tolist()
                for axis, line, pick in zip(sheet.axes, sheet.ticks, picks, strict=True)
            },
            "loss": sheet.loss[where].tolist(),
            "slopes": {
                axis.name: slope[where].tolist() for axis, slope in zip(sheet.axes, sheet.slopes, strict=True)
            },
        },
    }


def _region(region: "Region | None") -> Any:
    if region is None:
        return None
    return [list(span) for span in region.spans] if region.spans else str(region)
