"""Matrices of equal numbers in JAX and flax, which are kept in dicts, lists and tuples."""

import re

from sleuth.source.flow import ancestry, literal, possible, root
from sleuth.source.interpreter.values import Call, Collection, Table, Value
from sleuth.source.program import Program
from sleuth.source.topics.modules import settled

JAX_FLAT = ("jax.numpy.zeros", "jax.numpy.ones", "jax.numpy.full")
JAX_PRODUCTS = ("@", "jax.numpy.dot", "jax.numpy.matmul")


def flat_matrix(value: Value, flat: dict[object, Call]) -> Call | None:
    """The matrix of equal numbers that a value is, by itself or by its key.

    Functions that are differentiated may get their parameters from outside: then the keys tell them apart.
    """
    made = root(value)
    if isinstance(made, Call) and made.op in JAX_FLAT and _is_matrix(made):
        return made
    return flat.get(_key_of(made))


def is_of_each_layer(value: Value) -> bool:
    """`layer["w"]`, where `layer` goes through a list of them."""
    return any(isinstance(part, Call) and part.op == "next" for part in ancestry(value, 4))


def flat_entries(program: Program) -> dict[object, Call]:
    """Keys under which every dict of the program that has them holds a matrix of equal numbers."""
    tables = {
        id(table): table
        for call in program.trace
        for given in (call.result, *call.args)
        for table in possible(given)
        if isinstance(table, Table)
    }
    flat: dict[object, Call] = {}
    drawn: set[object] = set()
    for table in tables.values():
        for key, item in table.items.items():
            made = settled(item)
            if isinstance(made, Call) and made.op in JAX_FLAT and _is_matrix(made):
                flat[key] = made
            else:
                drawn.add(key)
    return {key: made for key, made in flat.items() if key not in drawn}


def _is_matrix(made: Call) -> bool:
    shape = settled(made.argument(0, "shape"))
    return isinstance(shape, Collection) and len(shape.items) >= 2


def _key_of(value: Value | None) -> object:
    item = settled(value)
    return (
        literal(item.args[1]) if isinstance(item, Call) and item.op == "[]" and len(item.args) == 2 else None
    )


def starts_equal(layer: Call) -> bool:
    if not layer.op.startswith("flax.") or not layer.op.endswith((".Dense", ".Linear", ".Conv")):
        return False
    given = layer.keywords.get("kernel_init")
    name = given.op if isinstance(given, Call) else getattr(given, "name", "")
    return bool(re.search(r"initializers\.(zeros|ones|constant)", name))
