"""Integer arithmetic wrapped around before the model saw the numbers.

## What happens
Images arrive as `uint8`, and `uint8` has no negative numbers: 10 - 20 is 246, 200 + 100 is 44.
NumPy and torch both do this without a warning, element by element, so many pixels look right and the
rest are off by 256. The difference of two random frames is wrong in half of its pixels; `np.abs`
around it repairs nothing, because 246 is already positive.

```python
motion = np.abs(frame2 - frame1)            # uint8: 246 where it should be 10
mix = (a + b) // 2                          # (200 + 100) // 2 gives 22, not 150
x = torch.from_numpy(image) - 128           # 10 becomes 138
```

An array of whole numbers cuts off fractions as silently: `frames = np.empty_like(samples)` of an
`int16` recording turns every `frames[i] = x / np.abs(x).max()` into zeros.

Casting back fails too: `(normalised * 255).astype("uint8")` can turn -1.2 into 206. `int16`
audio has it too: the absolute value of -32768 is -32768. The run trains, only
worse. NumPy 2 raises an OverflowError for a Python constant that does not fit (`a - 300`);
torch wraps even that.

## How to tell
- **lint**: `-`, `+` or `*` on values read as or cast to 8-bit integers (`cv2.imread`, `read_image`,
  `np.array(Image.open(...))`, `.astype(np.uint8)`) before any cast to float; sums and squares of
  raw `int16` samples; a cast to `uint8` of
  values with normal noise and no clip; a quotient written into an array of integers.
- **watch**: inputs with an integer dtype, or float inputs whose histogram has a second hump near
  the top of the range (values near 246 where small differences were expected).
- **refuted by**: the first operation after loading is a conversion to float.

## How to fix
Convert first, compute afterwards, clip before you go back.

```python
x = torch.from_numpy(image).float() / 255.0
motion = (frame2.astype(np.float32) - frame1).clip(-255, 255)
out = (img * 255).round().clip(0, 255).astype(np.uint8)
```

Keeping the data set as `uint8` to save memory is fine, as long as the cast is the first thing after
loading. Dividing a `uint8` array or tensor by a float is safe: it promotes.

## Often mistaken for
- `inputs-unnormalized`: the values are large but in the right order; wrapped values are not.
- `nonfinite-input`: float overflow shows as infinity, integer overflow as a plausible number.

## Sources
- numpy-types: heading "Overflow errors", fixed-size integers overflow without an error.
- karpathy-2019: section 2, "visualize just before the net" as the one place to see such damage.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.places.origins import speaks_of, where_input_made
from sleuth.record.questions import batches, is_float, needed, tensors
from sleuth.source.flow import ancestry, layer, literal, makers, number, root, type_name
from sleuth.source.interpreter.values import Call, Carried, Collection, Either, External, Value
from sleuth.source.program import Program, clue
from sleuth.source.topics.loaders import line

if TYPE_CHECKING:
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record

PREDICTS = {"noise-inputs": "even"}

READS_BYTES = frozenset(
    {
        "cv2.imread",
        "imageio.imread",
        "imageio.v2.imread",
        "imageio.v3.imread",
        "skimage.io.imread",
        "torchvision.io.read_image",
        "torchvision.io.decode_image",
        "torchvision.io.decode_jpeg",
    }
)
OPENS_PICTURE = frozenset({"PIL.Image.open", "Image.open"})
BYTE_DATASETS = frozenset(
    f"torchvision.datasets.{name}"
    for name in ("MNIST", "FashionMNIST", "KMNIST", "CIFAR10", "CIFAR100", "EMNIST")
)
# Operations that keep the type of what they get.
KEEPS_TYPE = frozenset(
    [
        "reshape",
        "view",
        "transpose",
        "permute",
        "squeeze",
        "unsqueeze",
        "flatten",
        "copy",
        "clone",
        "contiguous",
        "ravel",
        "flip",
        "numpy",
        "crop",
        "convert",
        "resize",
        "cvtColor",
        "GaussianBlur",
        "medianBlur",
        "from_numpy",
        "as_tensor",
        "tensor",
        "stack",
        "concatenate",
        "cat",
        "expand_dims",
        "array",
        "asarray",
        "moveaxis",
        "rot90",
        "fliplr",
        "flipud",
        "ascontiguousarray",
        "T",
        "rotate",
        "pad",
        "to",
        "cpu",
        "cuda",
    ]
)
HALF_RANGE = 127  # values below add up to less than 256
EMPTY_LIKE = frozenset({"numpy.zeros_like", "torch.zeros_like", "numpy.empty_like", "torch.empty_like"})
WRAPS = ("-", "+", "*", "-=", "+=", "*=")
FIX = "Convert to float first (`.astype(np.float32)`, `.float()`), and clip before going back to bytes."


# Raw numbers read with a type that the program itself names: they may or may not fill its range.
READS_RAW = frozenset(
    {"numpy.frombuffer", "numpy.fromfile", "numpy.memmap", "soundfile.read", "numpy.fromstring"}
)
COMPARISONS = frozenset([">", "<", ">=", "<=", "==", "!=", "&", "|", "~"])  # what they give is 0 or 1
NARROW = frozenset(["int8", "uint8", "int16", "uint16", "<i2", ">i2", "i2", "<h", "h", "short"])

NEEDS = "int8 int16 int32 int64 randint imread Image read_image decode_ byte i2 short <h Video MNIST CIFAR"


def lint(program: Program) -> Iterator[Evidence]:
    yield from _bytes_wrap(program)
    yield from _bytes_added_up(program)
    yield from _filled_bytes_differ(program)
    yield from _raw_numbers_wrap(program)
    yield from _noise_cast_to_bytes(program)
    if program.holds("_like", "zeros", "empty"):
        yield from _fractions_cut(program)


def _fractions_cut(program: Program) -> Iterator[Evidence]:
    """`frames = np.empty_like(samples)` of whole numbers, and `frames[i] = x / x.max()`."""
    from sleuth.causes.data.input_dtype_overflow.cut_fractions import cut_fractions

    for found in cut_fractions(program):
        yield clue(
            "likely",
            found.array,
            f"This array holds whole numbers, and line {line(found.written)} writes a quotient into it: "
            "everything after the decimal point is cut off, and numbers below 1 become 0.",
            fix="Make the array with `dtype=np.float32`.",
        )


def _raw_numbers_wrap(program: Program) -> Iterator[Evidence]:
    """Two channels added, or a square taken, in the 16 bits that a recording was stored with."""
    for call in program.calls(
        "+", "-", "*", "**", "+=", "-=", "*=", "numpy.square", "numpy.add", "numpy.subtract"
    ):
        kept = [_bytes(part, raw=True) for part in call.args]
        source = next((here for here in kept if here is not None), None)
        if source is None or not (source.op in READS_RAW or _is_wide_short_cast(source)):
            continue
        differ = len(call.args) == 2 and root(call.args[0]) is not root(call.args[1])
        squared = call.op == "numpy.square" or (call.op in ("*", "*=") and not differ)
        if call.op == "**":
            squared = isinstance(power := literal(call.args[1]), int) and power > 1
        together = source.op in READS_RAW and differ and all(here is not None for here in kept)
        if squared or (call.op != "**" and together):
            yield clue(
                "likely",
                call,
                f"`{call.op.rpartition('.')[2].rstrip('=')}` works on the narrow integers of line "
                f"{line(source)}: results beyond their range wrap around without a warning.",
                fix=FIX,
            )


def _bytes_wrap(program: Program) -> Iterator[Evidence]:
    for call in program.calls(*WRAPS):
        if len(call.args) != 2:
            continue
        left, right = (_bytes(part) for part in call.args)
        if left is None and right is None:
            continue
        source = left or right
        if source is not None and _may_wrap(call, left, right):
            yield clue(
                "proven",
                call,
                f"`{call.op.rstrip('=')}` works on 8-bit integers (read on line {line(source)}): results "
                "below 0 or above 255 wrap around without a warning.",
                fix=FIX,
            )


def _bytes_added_up(program: Program) -> Iterator[Evidence]:
    """`total = np.zeros_like(frame)` of bytes, and `total += frame` in a loop: two frames are too many. So
    are two of `sum(frames)`, Python's own, which adds them in the type they have (NumPy's takes a wider)."""
    for call in program.calls("builtins.sum"):
        source = _bytes(call.args[0]) if len(call.args) == 1 else None
        if source is not None:
            yield clue(
                "proven",
                call,
                f"Python's `sum` adds the 8-bit integers of line {line(source)} as 8-bit integers: beyond "
                "255 they wrap around without a warning.",
                fix="Use `np.sum` or `np.mean` over that axis, or convert to float first.",
            )
    for call in program.calls("+="):
        start = root(call.args[0]) if isinstance(call.args[0], Carried) else None
        if not isinstance(start, Call) or start.op not in EMPTY_LIKE or "dtype" in start.keywords:
            continue
        source = _bytes(start.args[0] if start.args else None)
        if source is not None:
            yield clue(
                "proven",
                call,
                f"The sum keeps the 8-bit integers of line {line(source)}, as line {line(start)} gives it "
                "their type: beyond 255 it wraps around without a warning.",
                fix="Give the sum a wider type: `np.zeros_like(frame, dtype=np.float32)`.",
            )


def _filled_bytes_differ(program: Program) -> Iterator[Evidence]:
    """`b - a` of two arrays that were made as bytes and filled: half of all differences are negative."""
    for call in program.calls("-", "-=", "numpy.subtract"):
        if len(call.args) != 2 or root(call.args[0]) is root(call.args[1]):
            continue
        first, second = (_byte_buffer(part) for part in call.args)
        if first is not None and second is not None:
            yield clue(
                "likely",
                call,
                f"Both sides of `-` were made as 8-bit unsigned integers (lines {line(first)} and "
                f"{line(second)}): every difference below 0 wraps around to a value near 255.",
                fix=FIX,
            )


def _byte_buffer(value: Value | None, depth: int = 0) -> Call | None:
    """The array of bytes that a value is, or is a part of."""
    from sleuth.causes.data.input_dtype_overflow.cut_fractions import BUFFERS

    here = root(value)
    if not isinstance(here, Call) or depth > 8:
        return None
    if here.op in BUFFERS:
        given = here.args[BUFFERS[here.op]] if len(here.args) > BUFFERS[here.op] else None
        return here if _names_bytes(here.keywords.get("dtype", given)) else None
    if here.op == "[]" or here.op in (".copy", ".clone", ".reshape", ".transpose"):
        return _byte_buffer(here.args[0] if here.op == "[]" else here.receiver, depth + 1)
    return None


def _may_wrap(call: Call, left: Call | None, right: Call | None) -> bool:
    """Two byte arrays, or one and a whole number that can push it over the edge."""
    op = call.op[0]
    if left is not None and right is not None:
        itself = root(call.args[0]) is root(call.args[1])
        # A picture times another picture is one and its mask; whether that holds 0 and 1 cannot be seen.
        return itself if op == "*" else not (op == "-" and itself)
    amount = number(call.args[1] if left is not None else call.args[0])
    if amount is None or isinstance(
        literal(call.args[1] if left is not None else call.args[0]), float | bool
    ):
        return False
    if op == "*":
        return amount > 1
    if op == "-" and right is not None:
        return amount < 255  # 255 - x stays within the range
    return abs(amount) > 1  # classes are counted from 1 or from 0; a picture is not made brighter by one


def _bytes(value: Value | None, depth: int = 0, raw: bool = False) -> Call | None:
    """Where 8-bit integers were read, if the value still holds such; None once anything made it float.

    With `raw`, also where numbers of a narrow type that the program names were read from a file.
    """
    here = root(value)
    if isinstance(here, Either | Carried) or depth > 20:
        return None
    if isinstance(here, Collection):
        known = [_bytes(item, depth + 1, raw) for item in here.items]
        return known[0] if known and all(known) else None
    if not isinstance(here, Call):
        return None
    name = here.op.rpartition(".")[2].lstrip("@")
    if (here.op in READS_BYTES and not _may_be_deep(here)) or (
        raw and here.op in READS_RAW and _is_narrow(here)
    ):
        return here
    if raw and _is_wide_short_cast(here):
        return here
    if (
        here.op == ".read"
        and isinstance(camera := root(here.receiver), Call)
        and camera.op == "cv2.VideoCapture"
    ):
        return here
    if here.op in ("@data", "@train_data") and isinstance(owner := root(here.receiver), Call):
        return here if owner.op in BYTE_DATASETS else None
    if _is_wide_byte_cast(here):
        return here
    if "dtype" in here.keywords or (name in ("to", "tensor", "array", "asarray") and len(here.args) > 1):
        return None
    if name in ("array", "asarray") and here.args:
        picture = root(here.args[0])
        while isinstance(picture, Call) and picture.op in (".convert", ".resize", ".crop", ".rotate"):
            if any(literal(argument) in ("F", "I", "1") for argument in picture.args):
                return None
            picture = root(picture.receiver)
        if isinstance(picture, Call) and picture.op in OPENS_PICTURE:
            return here
    if here.op == "[]":
        return _bytes(here.args[0], depth + 1, raw)
    if name in KEEPS_TYPE and here.op != "()":
        if name == "to" and not _is_device(here):
            return None
        inner = here.receiver if here.receiver is not None else (here.args[0] if here.args else None)
        return _bytes(inner, depth + 1, raw)
    if here.op in WRAPS and len(here.args) == 2:
        return None  # already reported where it happened first
    return None


_DEEP_FLAGS = frozenset({"cv2.IMREAD_UNCHANGED", "cv2.IMREAD_ANYDEPTH"})
_DEEP_FILES = (".tif", ".tiff", ".exr", ".hdr", ".pgm", ".pfm", ".dcm")


def _may_be_deep(read: Call) -> bool:
    """A picture read as it was stored: 16 bits of depth, or floats."""
    flag = read.argument(1, "flags")
    if any(isinstance(part, External) and part.name in _DEEP_FLAGS for part in ancestry(flag, 8)):
        return True
    name = literal(read.args[0]) if read.args else None
    stored = isinstance(name, str) and name.lower().endswith(_DEEP_FILES)
    return stored or (flag is not None and number(flag) in (-1, 2))


def _is_wide_byte_cast(call: Call) -> bool:
    """A cast to bytes of something that fills their range (`.clip(0, 255)`, `* 255`), unlike a 0-1 mask."""
    dtype = (
        call.args[0] if call.op in (".astype", ".to", ".type") and call.args else call.keywords.get("dtype")
    )
    if call.op != ".byte" and not _names_bytes(dtype):
        return False
    family = _held(call)
    if any(maker.op in COMPARISONS for part in family for maker in makers(part)):
        return False
    return any(
        isinstance(known := literal(here), int | float) and known >= HALF_RANGE
        for part in family
        for here in ancestry(part, 30)
    )


_SIZED = frozenset("zeros ones empty zeros_like ones_like empty_like".split())


def _held(call: Call) -> tuple[Value, ...]:
    """What an array's numbers are made from, as opposed to how many there are."""
    name = call.op.rpartition(".")[2]
    if name in _SIZED:
        return ()
    if name in ("full", "full_like"):
        return call.args[1:2]
    if name in ("randint", "integers"):
        return tuple(part for part in call.args[:2] if not isinstance(root(part), Collection))
    return (call.receiver, *call.args) if call.receiver is not None else call.args


ROOT_OF_RANGE = 182  # of 16 bits: larger numbers wrap when they are squared


def _is_wide_short_cast(call: Call) -> bool:
    """`(wave * 7500).astype(np.int16)`: samples as a recording stores them, loud enough to wrap."""
    if call.op != ".astype" or not call.args or call.receiver is None:
        return False
    return type_name(call.args[0]) in ("int16", "<i2", "i2", "short") and any(
        isinstance(known := literal(here), int | float) and known > ROOT_OF_RANGE
        for here in ancestry(call.receiver, 30)
    )


def _is_narrow(read: Call) -> bool:
    return type_name(read.keywords.get("dtype")) in NARROW


def _is_device(move: Call) -> bool:
    target = root(move.args[0]) if move.args else None
    if isinstance(target, External):
        return False
    return isinstance(literal(target), str) or (isinstance(target, Call) and target.op == "torch.device")


def _noise_cast_to_bytes(program: Program) -> Iterator[Evidence]:
    """`(image + normal noise).astype(np.uint8)`: what leaves 0..255 comes back at the other end."""
    for call in program.calls(".astype", ".to", ".type", ".byte"):
        if call.op != ".byte" and not _names_bytes(call.args[0] if call.args else call.keywords.get("dtype")):
            continue
        made = root(call.receiver)
        if (
            isinstance(made, Call)
            and made.op in ("+", "+=")
            and any(_is_normal_noise(part) for part in made.args)
        ):
            if not any(_is_normal_noise(part) for part in made.args[:1]) or len(made.args) == 2:
                yield clue(
                    "proven",
                    call,
                    "Values with normal noise are cast to 8-bit integers without a clip: values below 0 "
                    "or above 255 wrap around.",
                    fix="Clip to 0..255 before the cast.",
                )


def _names_bytes(dtype: Value | None) -> bool:
    return type_name(dtype) == "uint8"


def _is_normal_noise(value: Value) -> bool:
    for here in ancestry(value, 8):
        if isinstance(here, Call):
            name = layer(here).rpartition(".")[2]
            if name in ("clip", "clamp", "minimum", "abs"):
                return False
            if name in ("normal", "randn", "standard_normal", "randn_like"):
                return True
    return False


BYTES = ("uint8", "int8", "int16")
FLAT = 73.9  # standard deviation of a byte that takes all of 0..255 alike; only two humps lie above
LEVELS = 255.0


def watch(record: "Record") -> Iterator[Evidence]:
    needed(batches(record), "training batches")
    for batch, values in tensors(batches(record)[:1], "input"):
        if values.dtype.removeprefix("torch.") in BYTES:
            yield Evidence(
                f"The model receives `{values.dtype}` (input {values.path}): sums and differences of such "
                "numbers wrap around without a warning wherever they come before a conversion.",
                telling="open",
                where=where_input_made(record, batch.line),
                numbers={"minimum": values.minimum or 0, "maximum": values.maximum or 0},
                fix="Convert to float first, then subtract, add and scale.",
            )
        elif (
            is_float(values)
            and _two_humps(values.minimum, values.maximum, values.mean, values.std)
            and speaks_of(record, "uint8", "255", "int8", "byte()")
        ):
            yield Evidence(
                f"Input {values.path} covers 0 to {values.maximum:g} with a standard deviation of "
                f"{values.std:.3g}, more than evenly distributed bytes have: small negative numbers may "
                "have wrapped around to near the maximum.",
                telling="open",
                where=where_input_made(record, batch.line),
                numbers={"std": values.std or 0.0, "mean": values.mean or 0.0},
                fix="Convert to float before any subtraction or sum.",
            )


def _two_humps(low: float | None, high: float | None, mean: float | None, std: float | None) -> bool:
    """A byte's whole range (raw, or divided by 255) with more spread than a flat histogram has."""
    if low is None or high is None or mean is None or std is None or low < 0:
        return False
    scale = 1.0 if high > 1 else LEVELS
    top = high * scale
    return 250 <= top <= LEVELS and FLAT * 1.1 < std * scale < 120 and 0.25 < mean * scale / LEVELS < 0.75


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.scene import of_inputs

    return of_inputs(finding, scene)
