"""The one door to git. A repository's own settings name programs to run; here none of them is run."""

import os
import subprocess
from pathlib import Path

# What reads the state of a repository runs otherwise: a monitor of its files, hooks, pagers, credential and
# transport helpers, and for a folder that merely looks like a bare repository, whatever its settings say.
_OFF = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.alternateRefsCommand=",
    "credential.helper=",
    "diff.external=",
    "diff.noprefix=false",  # these two run nothing: the output is read, and must look as expected
    "diff.mnemonicPrefix=false",
    "core.quotePath=false",
    "safe.bareRepository=explicit",
)
# A missing object would be fetched, by a program that the repository names. This is above its settings.
_ALONE = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
_DROPPED = ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS")
# Nothing of the settings for kinds of files, and no look into submodules, whose settings are theirs again.
_PLAIN_DIFF = ("--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
_FILTERS = r"^filter\..*\.(clean|process|required)$"


def start(
    folder: Path, *words: str, patience: float | None = None, errors: str = "surrogateescape"
) -> "subprocess.Popen[str]":
    """Git, on its way: reading only, and none of the programs that the repository's settings name.

    `patience`: seconds that may go by before it is started, which raises what `communicate` would raise.
    """
    diff = _PLAIN_DIFF if words[0] == "diff" else ()
    settings = [part for setting in _OFF for part in ("-c", setting)]
    return subprocess.Popen(
        ["git", "--no-pager", *settings, "-C", str(folder), words[0], *diff, *words[1:]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        errors=errors,
        env=_environment() | (_without_filters(folder, patience) if diff else {}),
    )


def _environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key not in _DROPPED} | _ALONE


def _without_filters(folder: Path, patience: float | None) -> dict[str, str]:
    """Every filter that the settings define, emptied: a diff would send the files through them."""
    asked = start(folder, "config", "--null", "--name-only", "--get-regexp", _FILTERS)
    try:
        told = asked.communicate(timeout=patience)[0]
    finally:
        asked.kill()
        asked.communicate()
    first = int(os.environ.get("GIT_CONFIG_COUNT") or 0)
    names = [name for name in dict.fromkeys(told.split("\0")) if name]
    found = {"GIT_CONFIG_COUNT": str(first + len(names))}
    for number, name in enumerate(names, first):
        found[f"GIT_CONFIG_KEY_{number}"] = name
        found[f"GIT_CONFIG_VALUE_{number}"] = "false" if name.endswith(".required") else ""
    return found
