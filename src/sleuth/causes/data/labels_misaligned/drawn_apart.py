"""Pictures and their masks, moved by two draws: a flip for the one, another for the other."""

import ast
import re
from collections.abc import Iterator

from sleuth.quick_dataclass import dataclass
from sleuth.source.parsed_file import Source, called, walked
from sleuth.source.topics.loaders import DRAWS, is_draw
from sleuth.source.word_search import Pattern

# Dense targets, which must be moved along. Two pictures moved apart are views, or the sides of a pair.
_MASK = Pattern(
    r"(?<![a-z])(masks?|seg|segmentations?|targets?|labels?|gt|truth|annotations?|contours?|heat_?maps?|"
    r"depth|boundar(y|ies)|lesions?|lbl|y)(?![a-z])",
    re.IGNORECASE,
)
# One of these stands in every name of a mask: to look for them first is many times as fast.
_PLAIN_MASKS = (
    "mask seg target label gt truth annotation contour heat depth bound lesion lbl Mask Label Target y) y,"
).split()
_PICTURE = Pattern(
    r"(?<![a-z])(images?|imgs?|pictures?|pics?|photos?|scans?|slices?|frames?|volumes?|patch|tiles?|"
    r"inputs?|x|rgb|arr|planes?)(?![a-z])",
    re.IGNORECASE,
)
# What moves pixels, as far as names tell; noise and brightness may be drawn for the picture alone.
_MOVES = Pattern(
    r"flip|rot(?!ten)|crop|affine|shift(?!_scale)|roll|warp|elastic|perspective|transpose|dihedral|::-1|"
    r"grid_sample|translate|shear|zoom",
    re.IGNORECASE,
)
_LIBRARY = Pattern(r"Random(Horizontal|Vertical|Rotation|Crop|Resized|Affine|Perspective|Flip|Rotate)")
# Always done, so nothing is left to chance.
_CERTAIN = Pattern(r"Random\w*(Flip|Rotat\w*|Affine|Perspective)\((p\s*=\s*)?1(\.0*)?\)")
_TRANSFORM = Pattern(r"transform|aug|tfm|flip|crop|rotat", re.IGNORECASE)
# Whoever sets the generator back draws the same twice.
_REPEATED = Pattern(r"seed|set_?state|set_rng_state|get_params|to_deterministic|replay", re.IGNORECASE)
_CHANCES = (*(f"{word}(" for word in sorted(DRAWS)), "Random")
_MOVERS = ("flip", "Flip", "rot90", "otat", "crop", "Crop", "ffine", "roll(", "warp", "::-1", "shift")


@dataclass(frozen=True)
class DrawnApart:
    """Two applications of what draws: on a picture, and on what belongs to it.

    `certain` where the code that draws was read; not where a transform is only known by its name.
    """

    picture: ast.expr
    mask: ast.expr
    certain: bool


def drawn_apart(source: Source) -> Iterator[DrawnApart]:
    if not (any(map(source.holds, _CHANCES)) and any(map(source.holds, _MOVERS))):
        return
    texts = {function: _text(source, function) for function in source.of(ast.FunctionDef)}
    drawing = [function for function, text in texts.items() if _moves_by_chance(function, text)]
    movers = bool(_LIBRARY.search(_CERTAIN.sub("", source.text))) or any(
        one.name in ("__call__", "forward") for one in drawing
    )
    for function, text in texts.items():
        chances = any(word in text for word in _CHANCES)
        if not (chances or drawing or movers) or not any(word in text for word in _PLAIN_MASKS):
            continue
        found = [*_by_two_chances(function)] if chances else []
        if drawing or movers:
            found += _by_one_callable(function, source, {one.name for one in drawing}, movers)
        if found and not _REPEATED.search(text):
            yield from found


def _text(source: Source, function: ast.FunctionDef) -> str:
    return "\n".join(source.lines[function.lineno - 1 : function.end_lineno])


def _by_one_callable(
    function: ast.FunctionDef, source: Source, drawing: set[str], movers: bool
) -> Iterator[DrawnApart]:
    """`self.transform(image)` and `self.transform(mask)`, where transforms of the file draw."""
    applied: dict[str, list[ast.Call]] = {}
    for part in walked(function):
        if not isinstance(part, ast.Call) or _of_a_library(part.func, source):
            continue
        if len(part.args) == 1 and isinstance(part.args[0], ast.Name):
            applied.setdefault(called(part), []).append(part)
    for name, calls in applied.items():
        pictures = [call for call in calls if _speaks_of(_PICTURE, call.args[0])]
        masks = [call for call in calls if _speaks_of(_MASK, call.args[0])]
        pairs = [
            (one, other) for one in pictures for other in masks if ast.dump(one.func) == ast.dump(other.func)
        ]
        if not pairs:
            continue
        if name in drawing:
            yield DrawnApart(*pairs[0], True)
        elif movers and _TRANSFORM.search(name) and not _is_defined(source, name):
            yield DrawnApart(*pairs[0], False)


def _of_a_library(function: ast.expr, source: Source) -> bool:
    """`torch.flip`, `np.rot90`, `TF.hflip`: what moves an array as it is told draws nothing."""
    imports: list[ast.Import | ast.ImportFrom] = [*source.of(ast.Import), *source.of(ast.ImportFrom)]
    imported = {alias.asname or alias.name for statement in imports for alias in statement.names}
    owner = function.value if isinstance(function, ast.Attribute) else None
    return isinstance(owner, ast.Name) and owner.id in imported


def _is_defined(source: Source, name: str) -> bool:
    return any(function.name == name for function in source.of(ast.FunctionDef))


def _speaks_of(pattern: Pattern, node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and bool(pattern.search(node.id.replace("_", " ")))


def _moves_by_chance(function: ast.FunctionDef, text: str) -> bool:
    """It draws, moves what it is given, and takes one thing at a time."""
    taken = [argument for argument in function.args.args if argument.arg not in ("self", "cls")]
    if len(taken) != 1 or not any(word in text for word in _CHANCES):
        return False
    return bool(_MOVES.search(text)) and any(is_draw(part) for part in walked(function))


def _by_two_chances(function: ast.FunctionDef) -> Iterator[DrawnApart]:
    """`if random() < 0.5: image = flip(image)`, and below `if random() < 0.5: mask = flip(mask)`."""
    moved: dict[str, list[tuple[str, ast.expr]]] = {}
    for branch in (part for part in walked(function) if isinstance(part, ast.If)):
        if branch.orelse or not any(is_draw(part) for part in walked(branch.test)):
            continue
        bound = [part for part in branch.body if isinstance(part, ast.Assign)]
        names = [part.targets[0] for part in bound if len(part.targets) == 1]
        if len(bound) != 1 or len(branch.body) != 1 or len(names) != 1 or not isinstance(names[0], ast.Name):
            continue
        value, name = bound[0].value, names[0].id
        if _MOVES.search(ast.unparse(value)):
            recipe = re.sub(rf"\b{re.escape(name)}\b", "_", ast.unparse(value))
            moved.setdefault(recipe, []).append((name, value))
    for pairs in moved.values():
        pictures = [value for name, value in pairs if _PICTURE.search(name.replace("_", " "))]
        masks = [value for name, value in pairs if _MASK.search(name.replace("_", " "))]
        if pictures and masks:
            yield DrawnApart(pictures[0], masks[0], True)
