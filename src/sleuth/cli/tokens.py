"""`sleuth tokens`: what a language model is really trained on, token by token."""

from pathlib import Path

import click

from sleuth.cli.output import emit, output_options
from sleuth.cli.running import ScriptCommand
from sleuth.terminal import coloured


@click.command("tokens", cls=ScriptCommand)
@click.option(
    "--examples", default=3, show_default=True, type=click.IntRange(1, 64), metavar="N", help="Rows to show."
)
@click.option(
    "--steps",
    default=8,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="Optimizer steps to run.",
)
@click.option(
    "--budget", default="60s", show_default=True, metavar="TIME", help="Time for everything: 60s, 5m."
)
@click.option("--no-text", is_flag=True, help="Keep and show ids only, not what they read as.")
@click.option(
    "--html", "page", type=click.Path(path_type=Path), metavar="FILE", help="Also write a page here."
)
@click.option(
    "-m", "module", metavar="MODULE", help="Run a module, as `python -m` does, in place of a script."
)
@output_options
@click.argument("script", required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(
    script: str | None,
    arguments: tuple[str, ...],
    module: str | None,
    examples: int,
    steps: int,
    budget: str,
    no_text: bool,
    page: Path | None,
    json_path: str | None,
    quiet: bool,
) -> int:
    """Show what a language model is really trained on, token by token.

    The script is run as it is for a few steps, then on to what follows training. For a few rows at the
    model's own door: text, id, whether it is attended, position, packed segment, whether it is trained, what
    the prediction is compared with and its weight in the loss; beside it what evaluation and `generate` feed
    the same model, and the first token where they part. Any trainer, any loop; without a tokenizer by ids.
    """
    from sleuth.cli.diagnose import seconds
    from sleuth.cli.scripts import script_request
    from sleuth.needs import need
    from sleuth.token_view.shown import as_text

    request = script_request(script, arguments, module, budget=seconds(budget))
    need("torch", "torch", "`sleuth tokens`")
    from sleuth.token_view.running import answered

    view = answered(
        request.script,
        request.arguments,
        module,
        budget=request.budget,
        steps=steps,
        examples=examples,
        text=not no_text,
    )
    if page is not None:
        from sleuth.files import write_whole
        from sleuth.token_view.shown import page as shown

        write_whole(page, shown.document(view))
    text = as_text.brief(view) if quiet else as_text.page(view, coloured())
    emit(text, view.to_dict(), json_path)
    return 0
