"""JSON Schemas (2020-12) of all documents: of the frozen dataclasses, and of what `schemas.toml` says."""

import re
import tomllib
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from sleuth import finding, report
from sleuth.token_view import view as tokens

Schema = dict[str, Any]
DRAFT = "https://json-schema.org/draft/2020-12/schema"
SOURCE = tomllib.loads((Path(__file__).parent / "schemas.toml").read_text("utf-8"))
SHAPES: Mapping[str, Mapping[str, Any]] = SOURCE.pop("shapes")
DOCUMENTS: Mapping[str, Mapping[str, Any]] = SOURCE
DATACLASSES: Mapping[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        finding.Edit, finding.Finding, finding.Where, report.BudgetSpent, report.Examined,
        report.Hypothesis, report.LossSeen, report.PartSeen, report.Ran, report.Remark, report.ScoreSeen,
        report.Tried, report.Verdict, tokens.Example, tokens.ModelView, tokens.Parting, tokens.Sums,
        tokens.Token, tokens.Written,
    )
}  # fmt: skip
NAMED = {kind: name for name, kind in report.KINDS.items()}  # observations that carry the name of their kind
PLAIN: Mapping[str, Schema] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "num": {"type": "number"},
    "bool": {"type": "boolean"},
    "null": {"type": "null"},
    "any": {},
}
TYPES = {str: "str", int: "int", float: "num", bool: "bool", type(None): "null", Any: "any"}
ABOUT = ("about", "open", "any_of", "document")  # what is no field


def file_name(schema: str) -> str:
    """`sleuth.sweep.plan/1` is in `sweep.plan-1.json`."""
    return schema.removeprefix("sleuth.").replace("/", "-") + ".json"


def document(schema: str) -> Schema:
    """The whole schema of one document, with every shape it needs."""
    told = DOCUMENTS[schema]
    body = _choice(told["any_of"]) if "any_of" in told else _object(told)
    head = body.setdefault("properties", {})
    body["properties"] = {"schema": {"const": schema}, **head}
    body["required"] = ["schema", *body.get("required", [])]
    made = {
        "$schema": DRAFT,
        "$id": f"urn:{schema.replace('.', ':').replace('/', ':')}",
        "title": schema,
        "description": told["about"],
        "type": "object",
        **body,
    }
    shapes = dict(sorted(_needed(made).items()))
    return {**made, "$defs": shapes} if shapes else made


def _choice(names: list[str]) -> Schema:
    return {"anyOf": [_reference(name) for name in names]}


def _needed(schema: Schema) -> dict[str, Schema]:
    """The shapes a schema refers to, and those they refer to."""
    found: dict[str, Schema] = {}
    waiting = list(_names(schema))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = _shape(name)
            waiting += _names(found[name])
    return found


def _names(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].rpartition("/")[2]
        for part in schema.values():
            yield from _names(part)
    if isinstance(schema, list):
        for part in schema:
            yield from _names(part)


def _shape(name: str) -> Schema:
    if name in DATACLASSES:
        return _of_dataclass(DATACLASSES[name])
    told = SHAPES[name]
    if "document" in told:
        whole = _object(DOCUMENTS[told["document"]])
        whole["properties"] = {"schema": {"const": told["document"]}, **whole["properties"]}
        return {**whole, "required": ["schema", *whole["required"]]}
    return _object(told)


def _object(told: Mapping[str, Any]) -> Schema:
    fields = {name: kind for name, kind in told.items() if name not in ABOUT}
    made: Schema = {
        "type": "object",
        "properties": {name.removesuffix("?"): spelled(kind) for name, kind in fields.items()},
        "required": [name for name in fields if not name.endswith("?")],
    }
    return {**made, "additionalProperties": True} if told.get("open") else made


def spelled(kind: str) -> Schema:
    """The schema of a type in the short notation."""
    parts = _parts(kind)
    if len(parts) > 1:
        return _either([spelled(part) for part in parts])
    kind = parts[0]
    if kind.endswith("?"):
        return _either([spelled(kind[:-1]), PLAIN["null"]])
    if kind[0] == "[":
        return {"type": "array", "items": spelled(kind[1:-1])}
    if kind[0] == "{":
        return {"type": "object", "additionalProperties": spelled(kind[1:-1])}
    if kind[0] == "'":
        return {"const": kind[1:-1]}
    return dict(PLAIN[kind]) if kind in PLAIN else _reference(kind)


def _parts(kind: str) -> list[str]:
    """`[a | b] | c` in two parts: only a bar outside of brackets divides."""
    parts, depth, begun = [], 0, 0
    for place, letter in enumerate(kind):
        depth += (letter in "[{") - (letter in "]}")
        if letter == "|" and depth == 0:
            parts.append(kind[begun:place].strip())
            begun = place + 1
    return [*parts, kind[begun:].strip()]


def _either(choices: list[Schema]) -> Schema:
    if all(set(choice) == {"const"} for choice in choices):
        return {"enum": [choice["const"] for choice in choices]}
    if all(set(choice) == {"type"} for choice in choices):
        return {"type": [choice["type"] for choice in choices]}
    return {"anyOf": choices}


def _reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _of_dataclass(kind: type[Any]) -> Schema:
    """What `to_dict` writes of it: all of its fields."""
    fields = {name: _of_type(hint) for name, hint in get_type_hints(kind).items()}
    if kind in NAMED:
        fields = {"name": {"const": NAMED[kind]}, **fields}
    about = re.sub(r"\s+", " ", (kind.__doc__ or "").strip())
    return {"description": about, "type": "object", "properties": fields, "required": list(fields)}


def _of_type(hint: Any) -> Schema:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (types.UnionType, Union):
        return _either([_of_type(part) for part in arguments])
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is tuple:
        return {"type": "array", "items": _of_type(arguments[0])}
    if origin is not None:
        return {"type": "object", "additionalProperties": _of_type(arguments[1])}
    return dict(PLAIN[TYPES[hint]]) if hint in TYPES else _reference(hint.__name__)


def index() -> str:
    """The page that lists them."""
    lines = [
        "# JSON Schemas",
        "",
        "A schema (JSON Schema 2020-12) of every document that `--json` writes. The field `schema` of a",
        "document names it, as in `sleuth.report/1`. The number changes when a field is renamed, dropped or",
        "given another meaning; new fields keep it, so a reader must ignore fields that it does not know.",
        "Numbers that JSON cannot hold (NaN, infinity) are null or words. Generated by `make docs`.",
        "",
        "| schema | what it is |",
        "|---|---|",
    ]
    for name in sorted(DOCUMENTS):
        lines.append(f"| [{name}]({file_name(name)}) | {DOCUMENTS[name]['about']} |")
    return "\n".join(lines)
