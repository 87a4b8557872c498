"""Where in the user's own code something happened: the first frame outside torch, Sleuth and packages."""

import os
import sys
import sysconfig
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, TracebackType

Place = tuple[str, int]  # file and line
NOWHERE: Place = ("", 0)
OWN_FOLDER = str(Path(__file__).resolve().parent.parent) + os.sep
TOO_DEEP = 200  # frames; a walk that long is no longer cheap


@dataclass
class Places:
    """Tells the user's files from all others, and remembers the answer for each file."""

    folder: str = field(default_factory=os.getcwd)
    known: dict[str, str] = field(default_factory=dict)  # file → how to name it; "" if it is not the user's
    foreign: tuple[str, ...] = field(default_factory=lambda: _foreign_folders())

    def here(self) -> Place:
        """The innermost line of the user's code that led to this call."""
        frame: FrameType | None = sys._getframe(1)
        known = self.known
        while frame is not None:
            code = frame.f_code
            name = known.get(code.co_filename)
            if name is None:
                name = self.name_of(code.co_filename, frame)
            if name:
                return name, frame.f_lineno
            frame = frame.f_back
        return NOWHERE

    @staticmethod
    def inside(folder: str, file: str) -> bool:
        """Whether the function that is running was called from that file."""
        caller = sys._getframe(2)
        name = caller.f_code.co_filename
        return name.endswith(os.sep + file) and f"{os.sep}{folder}{os.sep}" in name

    def owns(self, file: str) -> bool:
        """Whether a file is the user's."""
        return not os.path.abspath(os.path.join(self.folder, file)).startswith(self.foreign)

    def caller_line(self) -> int:
        """A number for how the innermost user's function was reached: the same function called from two
        places is told apart."""
        lines = [frame.f_lineno for frame in self.user_frames(sys._getframe(1))][:3]
        return hash(tuple(lines[1:]))

    def maker(self, made: object) -> Place:
        """Where an object is being made: the first user's frame outside its own constructors."""
        first = NOWHERE
        for frame in self.user_frames(sys._getframe(1)):
            place = (self.known[frame.f_code.co_filename], frame.f_lineno)
            first = place if first is NOWHERE else first
            if frame.f_code.co_name != "__init__" or frame.f_locals.get("self") is not made:
                return place
        return first

    def user_frames(self, frame: FrameType | None) -> list[FrameType]:
        """Innermost first."""
        frames = []
        for _ in range(TOO_DEEP):
            if frame is None:
                break
            name = self.known.get(frame.f_code.co_filename)
            if name or (name is None and self.name_of(frame.f_code.co_filename, frame)):
                frames.append(frame)
            frame = frame.f_back
        return frames

    def of_traceback(self, trace: TracebackType | None) -> list[tuple[str, int, str]]:
        """File, line and function of the user's frames in a traceback; innermost last."""
        found = []
        while trace is not None:
            code = trace.tb_frame.f_code
            if name := self.name_of(code.co_filename, trace.tb_frame):
                found.append((name, trace.tb_lineno, code.co_name))
            trace = trace.tb_next
        return found

    def name_of(self, file: str, frame: FrameType) -> str:
        name = self.known.get(file)
        if name is None:
            name = self._judge(file, frame)
            if not file.startswith("<string"):  # many unrelated pieces of code share that name
                self.known[file] = name
        return name

    def _judge(self, file: str, frame: FrameType) -> str:
        if file.startswith("<"):
            return file if frame.f_globals.get("__name__") == "__main__" else ""
        if file.startswith("/tmp/ipykernel") or "ipykernel_" in file:
            return file
        full = os.path.abspath(os.path.join(self.folder, file))
        if full.startswith(self.foreign):
            return ""
        return os.path.relpath(full, self.folder) if full.startswith(self.folder + os.sep) else full


def _foreign_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    folders = {paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib") if key in paths}
    torch = sys.modules.get("torch")
    if torch is not None and torch.__file__:
        folders.add(os.path.dirname(torch.__file__))
    folders |= {path for path in sys.path if path.endswith(("site-packages", "dist-packages"))}
    both = folders | {os.path.realpath(folder) for folder in folders}
    return (OWN_FOLDER, *(folder + os.sep for folder in sorted(both)))
