"""Probes a script's own first training steps: model, batch and loss as the script makes them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sleuth.finding import plain_fields
from sleuth.lab.job import Job


def look(job: Job) -> list[Mapping[str, Any]]:
    """For each optimizer's first step, the findings as the detectors gave them, and what was examined.

    Which of them are roots and which are symptoms is decided where all evidence is weighed.
    """
    from sleuth.lab.capture import Captured, capture
    from sleuth.probing import bench_of, seen_by

    reports: list[Mapping[str, Any]] = []
    budget = job.seconds or 10.0

    def examine(found: Captured) -> None:
        # Whether a batch can be learnt by heart the same-batch world asks of the script itself.
        bench = bench_of(found, budget=budget / (len(reports) + 1), quick=True)
        evidence, examined = seen_by(bench)
        reports.append(
            {
                "findings": [one.to_dict() for one in evidence],
                "examined": [plain_fields(entry) for entry in examined],
            }
        )

    capture(Path(job.script), job.arguments, examine=examine, phases=job.phases, seconds=job.time_limit * 0.8)
    return reports
