"""One target under atheris: `python -m fuzz.engine TARGET [options of libFuzzer]`."""

import sys
from importlib import import_module

import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]


def main(words: list[str]) -> None:
    target, *options = words
    with atheris.instrument_imports(include=["sleuth"]):
        one = import_module(f"fuzz.{target}").one
    atheris.Setup([sys.argv[0], *options], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
