"""What is read from disk gets its shape here, or is named as damage: no exception goes past this package.

A shape is a frozen dataclass; its annotations say what may stand in each field. Fields it does not know are
those of a newer version, and no damage. `Annotated[kind, check]` hands a value that fits on to a function,
which gives it back, perhaps changed, or raises ValueError with what is wrong.
"""

from pathlib import Path

from sleuth.shapes.damage import Damage
from sleuth.shapes.files import DEEPEST, LARGEST, content, from_json, from_toml, read_json
from sleuth.shapes.fitting import Count, Fields, Moment, Shape, Within, fields_of, shaped

__all__ = [
    "DEEPEST",
    "LARGEST",
    "Count",
    "Damage",
    "Fields",
    "Moment",
    "Within",
    "content",
    "fields_of",
    "from_json",
    "from_toml",
    "read",
    "read_json",
    "shaped",
]


def read(kind: type[Shape], path: Path, most: int = LARGEST) -> Shape | Damage:
    """The object in a file of JSON."""
    value = read_json(path, most)
    return value if isinstance(value, Damage) else shaped(kind, value, path.name)
