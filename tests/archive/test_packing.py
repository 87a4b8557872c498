"""Packed series come back bit for bit."""

import math
import random
import struct
from array import array

from hypothesis import given
from hypothesis import strategies as st

from sleuth.archive.packing import pack_steps, pack_values, unpack_steps, unpack_values

HALF = 2**62


def bits(values: tuple[float, ...] | list[float]) -> list[bytes]:
    return [struct.pack("<d", value) for value in values]


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True, width=64)))
def test_values_come_back_bit_for_bit(values: list[float]) -> None:
    assert bits(unpack_values(pack_values(values))) == bits(values)


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True, width=32)))
def test_short_floats_take_four_bytes_and_come_back(values: list[float]) -> None:
    blob = pack_values(values)
    assert bits(unpack_values(blob)) == bits(values)
    assert len(blob) <= 4 * len(values) + 32  # zlib's own frame


@given(st.lists(st.integers(-HALF + 1, HALF - 1)))
def test_steps_come_back(steps: list[int]) -> None:
    assert unpack_steps(pack_steps(steps)) == tuple(steps)


def test_odd_numbers_by_name() -> None:
    payload = struct.unpack("<d", struct.pack("<Q", 0x7FF8_0000_DEAD_BEEF))[0]
    odd = [math.nan, -math.nan, payload, math.inf, -math.inf, 0.0, -0.0, 5e-324, 1e300, 0.1]
    assert bits(unpack_values(pack_values(odd))) == bits(odd)


def test_a_regular_curve_is_small() -> None:
    chance = random.Random(0)
    noise = array("f", [2.0 / (1 + n / 100) + chance.gauss(0, 0.01) for n in range(10_000)])
    assert len(pack_steps(range(10_000))) < 200
    assert len(pack_values(noise)) < 4 * 10_000
    assert len(pack_values([1e-3] * 10_000)) < 200
