"""Runs a script for a few steps, as it is, and reads from its record what its language models are fed."""

from pathlib import Path

from sleuth.errors import SleuthError
from sleuth.lab.client import Stage
from sleuth.lab.job import Ending, Job
from sleuth.lab.workplace import Workplace, in_place, scratch_copy, writes_files
from sleuth.record.entries import Record
from sleuth.record.json_lines import read
from sleuth.record.token_entries import TokenBatch
from sleuth.source.script_files import local_sources
from sleuth.token_view.view import View, viewed

STEPS = 8  # as many batches as are looked at in full
# Slow to import: loaded once, before the script starts, where its text names it.
SLOW = {b"transformers": "transformers.modeling_utils", b"Trainer": "transformers.trainer", b"peft": "peft"}
NOTHING = (
    "No model was fed rows of token ids: nothing looked ids up in an embedding{end}. "
    "`sleuth.tokens(batch, tokenizer)` shows a batch you pass to it."
)


def answered(
    script: Path,
    arguments: tuple[str, ...],
    module: str | None = None,
    *,
    budget: float = 60.0,
    steps: int = STEPS,
    examples: int = 4,
    text: bool = True,
) -> View:
    """The view; an error when the script could not be run and nothing was seen."""
    sources = local_sources(script)
    preload = sorted(
        {name for word, name in SLOW.items() if any(word in one.read_bytes() for one in sources)}
    )
    with Stage(preload) as stage:
        place = _place(script, stage, sources)
        job = _job(place, arguments, module, budget, steps, examples, text)
        ending = stage.run([job])[0]
        path = Path(stage.scratch) / f"{job.id}.jsonl"
        record = read(path) if path.is_file() else Record()
    if not record.of(TokenBatch):
        if ending.status in ("raised", "exited", "died", "wrote"):
            raise SleuthError(f"{script.name} could not be run: {_reason(ending)}")
        return View(str(script), len(record.steps), note=NOTHING.format(end=_so_far(ending)))
    return viewed(record, examples, _note(ending, record))


def _place(script: Path, stage: Stage, sources: list[Path]) -> Workplace:
    if writes_files(sources):
        return scratch_copy(script, Path.cwd(), stage.scratch, "tokens")
    return in_place(script, Path.cwd())


def _job(
    place: Workplace,
    arguments: tuple[str, ...],
    module: str | None,
    budget: float,
    steps: int,
    examples: int,
    text: bool,
) -> Job:
    from sleuth.watching.token_writing import EXAMPLES, NO_TEXT

    return Job(
        "tokens",
        place.script,
        arguments,
        module,
        place.folder,
        steps=steps,
        time_limit=budget,
        guarded=place.guarded,
        environment={EXAMPLES: str(examples)} | ({} if text else {NO_TEXT: "1"}),
    )


def _reason(ending: Ending) -> str:
    said = f"{ending.exception} {ending.message}".strip() or ending.status
    line = f" (line {ending.frames[-1][1]})" if ending.frames else ""
    hub = " Files of the hub are not fetched where HF_HUB_OFFLINE is set." if _offline(said) else ""
    return f"{said[:300]}{line}.{hub}"


def _offline(said: str) -> bool:
    import os

    return bool(os.environ.get("HF_HUB_OFFLINE")) and any(
        word in said for word in ("offline", "OfflineMode", "huggingface", "Hub")
    )


def _so_far(ending: Ending) -> str:
    return " before the time was up" if ending.out_of_time else ""


def _note(ending: Ending, record: Record) -> str:
    if ending.status in ("raised", "exited", "died"):
        return f"The script did not end well afterwards: {_reason(ending)}"
    if ending.out_of_time:
        return "The time was up before the script's end; a larger --budget shows what comes after training."
    troubles = [one for one in record.items if type(one).__name__ == "Trouble"]
    return f"Not all was seen: {troubles[0].text}" if troubles else ""
