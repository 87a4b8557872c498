"""Probes a script's own first training steps: model, batch and loss as the script makes them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sleuth.facts.stage.job import Job


def probe_script(job: Job) -> list[Mapping[str, Any]]:
    """One report for each optimizer's first step."""
    from sleuth.facts.bench import Bench
    from sleuth.facts.capture import Captured, capture
    from sleuth.probing import examine

    reports: list[Mapping[str, Any]] = []
    budget = job.seconds or 10.0

    def look(found: Captured) -> None:
        bench = Bench(
            found.model,
            found.batch,
            None,
            step=found.step,
            optimizer=found.optimizers[0] if len(found.optimizers) == 1 else found.optimizers or None,
            loader=found.loader,
            val_loader=found.val_loader,
            budget=budget / (len(reports) + 1),
            memorise=False,  # the same-batch world asks this of the script itself
        )
        reports.append(examine(bench).to_dict())

    capture(Path(job.script), job.arguments, examine=look, phases=job.phases, seconds=job.time_limit * 0.8)
    return reports
