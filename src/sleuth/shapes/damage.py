"""What is wrong with something that was read."""

from sleuth.quick_dataclass import dataclass


@dataclass(frozen=True)
class Damage:
    """A part of a sentence: the file, and what is wrong with it."""

    path: str
    what: str

    def __str__(self) -> str:
        return f"{self.path} {self.what}" if self.path else self.what


class Misfit(Exception):
    """A value does not fit; `place` leads to it. It never leaves this package."""

    def __init__(self, what: str, place: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.place = place

    def within(self, step: str) -> "Misfit":
        dot = "." if self.place and not self.place.startswith("[") else ""
        return Misfit(self.what, f"{step}{dot}{self.place}")

    def damage(self, path: str) -> Damage:
        what = f"{self.place or 'it'} {self.what}"
        return Damage(path, f"does not fit: {what}" if path else what)
