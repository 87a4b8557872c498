"""Keeps a run from writing into the user's folders: at Python's own doors, and at those of native writers."""

import os
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from sleuth.doors.patches import Patches
from sleuth.watching.importing import when_imported

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Audit events → which of their arguments name what is changed.
ENTRIES = {
    "os.mkdir": (0,),
    "os.remove": (0,),
    "os.rmdir": (0,),
    "os.rename": (0, 1),
    "os.link": (1,),
    "os.symlink": (1,),
    "shutil.rmtree": (0,),
}
CONTENTS = {"os.truncate": (0,), "os.chmod": (0,), "os.utime": (0,)}


class WroteHere(Exception):
    """The script writes where an experiment must not."""


def forbid_writing(folders: Sequence[str], scratch: str) -> None:
    """Break off the script at its first attempt to write below these folders, or out of the scratch folder
    through a link."""
    if not folders:
        return
    guarded = tuple(_below(os.path.realpath(folder)) for folder in folders)
    own = _below(os.path.realpath(scratch))
    free = (own, *_temporary(guarded))

    def refuse(path: Any, follow: bool) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return
        named = os.path.abspath(os.fsdecode(path))
        real = os.path.realpath(named) if follow else _entry(named)
        # A path through a folder that is linked has two names: neither may lie in the user's folders.
        leads_out = named.startswith((*guarded, own)) or real.startswith(guarded)
        if leads_out and not real.startswith(free) and "__pycache__" not in real:
            raise WroteHere(real)

    def watch(event: str, arguments: Any) -> None:
        if event == "open":
            path, mode, flags = arguments
            if any(letter in mode for letter in "wax+") if mode else (flags or 0) & WRITING:
                refuse(path, True)
        elif event in ENTRIES:
            if event == "os.mkdir" and os.path.isdir(arguments[0]):
                return  # it is there already: nothing will change
            for place in ENTRIES[event]:
                refuse(arguments[place], False)
        elif event in CONTENTS:
            refuse(arguments[0], True)

    sys.addaudithook(watch)
    _native_writers()


def _temporary(guarded: Sequence[str]) -> list[str]:
    """The folder for temporary files, where somebody put it inside a project: it is there to be written."""
    folder = _below(os.path.realpath(tempfile.gettempdir()))
    return [folder] if folder.startswith(tuple(guarded)) and folder not in guarded else []


def _below(folder: str) -> str:
    return folder.rstrip(os.sep) + os.sep


def _entry(path: str) -> str:
    """Where an entry of a folder truly stands, whatever it leads to."""
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)


def _native_writers() -> None:
    """Writers in C++ or Rust open their files without a word to Python: it is said for them."""
    patches = Patches()
    when_imported(patches, "torch", _torch)
    for name in ("safetensors.torch", "safetensors.numpy"):
        when_imported(patches, name, lambda module: _announce(module, "serialize_file", 1))
    when_imported(patches, "cv2", lambda module: _announce(module, "imwrite", 0))


def _torch(torch: Any) -> None:
    _announce(torch._C, "PyTorchFileWriter", 0)
    for scripted in (torch.jit.ScriptModule, torch.jit.RecursiveScriptModule):
        _announce(scripted, "save", 1)


def _announce(owner: Any, name: str, place: int) -> None:
    original = getattr(owner, name)

    def announced(*args: Any, **keywords: Any) -> Any:
        path = args[place] if len(args) > place else keywords.get("filename")
        if isinstance(path, (str, bytes, os.PathLike)):
            sys.audit("open", path, "wb", 0)
        return original(*args, **keywords)

    setattr(owner, name, announced)
