"""`sleuth triage`: the eleven questions, with the numbers that answer them."""

import click

from sleuth.cli.output import emit, output_options
from sleuth.cli.running import ScriptCommand, script_options


@click.command("triage", cls=ScriptCommand)
@output_options
@script_options
def command(
    script: str | None,
    arguments: tuple[str, ...],
    module: str | None,
    steps: int | None,
    budget: str,
    allow_writes: bool,
    json_path: str | None,
    quiet: bool,
) -> int:
    """Ask the eleven triage questions, and show the numbers behind each reply.

    Exit code 1 means that at least one of them says yes.
    """
    from sleuth.cli.diagnose import seconds
    from sleuth.cli.scripts import script_request
    from sleuth.experiments.same_batch import EXPERIMENT as ONE_BATCH

    request = script_request(
        script,
        arguments,
        module,
        steps=steps,
        budget=seconds(budget),
        allow_writes=allow_writes,
        wanted=(ONE_BATCH.kind,),
    )
    from sleuth.diagnosis.investigate import investigate
    from sleuth.diagnosis.triage import questions
    from sleuth.needs import need
    from sleuth.show.cases import triage_page
    from sleuth.show.progress import telling

    need("torch", "torch", "`sleuth triage`")
    with telling(quiet or json_path == "-", request.budget) as tell:
        asked = questions(investigate(request, tell))
    payload = {"schema": "sleuth.triage/1", "questions": [question.to_dict() for question in asked]}
    emit(triage_page(asked, quiet), payload, json_path)
    return 1 if any(question.reply == "yes" for question in asked[:-1]) else 0
