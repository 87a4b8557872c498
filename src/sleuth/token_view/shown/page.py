"""The token's-eye view as a page that stands alone: text as it is trained, and a table of each example."""

from collections.abc import Iterator

from sleuth.markup import escape
from sleuth.token_view.shown.as_text import TITLES, brief
from sleuth.token_view.view import Example, ModelView, Parting, Token, View, Written

_STYLE = """
body{font:14px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem;color:#1c2430}
.row{font:13px/2 ui-monospace,monospace;background:#f7f8fa;border-radius:6px;padding:.5em .8em;margin:.4em 0;
overflow-wrap:anywhere;white-space:pre-wrap}
.row span{border-radius:3px;padding:.1em 0;color:#667085}
.row .trained{color:#10391c;background:#cdebd3;border-bottom:2px solid #2c8a46}
.row .special{font-weight:600}.row .filling{background:#e6e9ee;color:#98a2b3}
.row .hidden{text-decoration:line-through}
.row .pushed{background:#f6d3cf;border-bottom:2px solid #c6382c;color:#541912}
table{border-collapse:collapse;font-size:12.5px}td,th{padding:.1em 1em .1em 0;text-align:left}
td{font-variant-numeric:tabular-nums}th,small,summary{color:#667085;font-weight:500}
@media (prefers-color-scheme:dark){body{background:#14181f;color:#e4e7ec}.row{background:#1d232d}
.row .trained{color:#d5f5dc;background:#1f4a2b}.row .filling{background:#2a313d}
.row .pushed{background:#5a231c;color:#fbd9d4}}
"""
COLUMNS = ("place", "id", "text", "attended", "position", "segment", "trained", "compared with", "weight")


def document(view: View) -> str:
    head = "<!doctype html><html lang='en'><meta charset='utf-8'><title>sleuth tokens</title>"
    body = "".join(part for model in view.models for part in _model(model))
    note = f"<p>{escape(view.note)}</p>" if view.note else ""
    title = f"<h1>Tokens · <code>{escape(view.script)}</code></h1>"
    return f"{head}<style>{_STYLE}</style><body>{title}{body}{note}</body></html>"


def _model(model: ModelView) -> Iterator[str]:
    words = f"{model.vocabulary} of {model.vocabulary_size} ids" if model.vocabulary else "no tokenizer found"
    rows = f"{model.embedding_rows} embedding rows"
    about = " · ".join(filter(None, (words, rows, model.adapters)))
    yield f"<h2>{escape(model.type)}</h2><p>{escape(about)}</p>"
    yield "<p>" + "<br>".join(map(escape, brief(View(models=(model,))).splitlines())) + "</p>"
    yield (
        "<p class='row'><span class='trained'>trained</span> <span>ignored</span> "
        "<span class='special'>special</span> <span class='filling'>filling</span> "
        "<span class='hidden'>not attended</span> <span class='pushed'>pushed away</span></p>"
    )
    yield from (_example(example) for example in model.examples)
    yield from (_parting(parting) for parting in model.partings)
    yield from (_written(written) for written in model.written)


def _example(example: Example) -> str:
    text = "".join(_word(token) for token in example.tokens)
    gap = f" ({example.left_out} tokens of the middle left out)" if example.left_out else ""
    rows = "".join(_line(token) for token in example.tokens)
    head = "".join(f"<th>{name}</th>" for name in COLUMNS)
    return (
        f"<h3>{TITLES[example.phase]}, step {example.n}, row {example.row}{gap}</h3><div "
        f"class='row'>{text}</div>"
        f"<details><summary>token by token</summary><table><tr>{head}</tr>{rows}</table></details>"
    )


def _word(token: Token) -> str:
    marks = {
        "trained": token.trained and (token.weight is None or token.weight >= 0),
        "special": token.special,
        "filling": token.filling,
        "hidden": token.attended is False,
        "pushed": token.weight is not None and token.weight < 0,
    }
    names = " ".join(name for name, on in marks.items() if on)
    about = f"{token.id}" + (f" → {token.target_text}" if token.target is not None else "")
    return f"<span class='{names}' title='{escape(about, quote=True)}'>{escape(token.text)}</span>"


def _line(token: Token) -> str:
    def yes(value: bool | None) -> str:
        return "" if value is None else "yes" if value else "no"

    cells = (
        token.place,
        token.id,
        token.text + (f" ({token.special})" if token.special else ""),
        yes(token.attended),
        "" if token.position is None else token.position,
        token.segment,
        yes(token.trained),
        token.target_text,
        "" if token.weight is None else f"{token.weight:.3g}",
    )
    return "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>"


def _parting(parting: Parting) -> str:
    title = f"<h3>{TITLES[parting.phase]} beside training</h3>"
    if parting.ends:
        return f"{title}<p>The prompt agrees with a training row in all its {parting.same} tokens.</p>"
    before = escape("".join(parting.before))
    sides = {"training": parting.training, TITLES[parting.phase]: parting.prompt}
    lines = "".join(
        f"<div class='row'>{escape(name)}: {before}<span class='pushed'>{escape(''.join(words))}</span></div>"
        for name, words in sides.items()
    )
    return f"{title}<p>The first {parting.same} tokens agree.</p>{lines}"


def _written(written: Written) -> str:
    settings = ", ".join(f"{name}={value}" for name, value in written.settings.items())
    ending = {True: "ends with the end token", False: "does not end by itself", None: ""}[written.ended]
    about = "; ".join(filter(None, (ending, settings)))
    text = f"{escape(written.prompt)}<span class='trained'>{escape(written.output)}</span>"
    return f"<h3>Written</h3><div class='row'>{text}</div><small>{escape(about)}</small>"
