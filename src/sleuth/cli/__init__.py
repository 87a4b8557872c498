"""The command line: parse, call a verb, show. One module a verb, imported when it is asked for."""

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TextIO

from sleuth.errors import ReaderLeft, SleuthError
from sleuth.terminal import say

# The page of `sleuth --help`, in the order of what people reach for first. It stands here so that help need
# not load every verb; a test holds it against their own first lines.
VERBS = {
    "diagnose": "Find out why a training script does not learn: read, watch, experiment, name the cause.",
    "triage": "Ask the eleven triage questions, and show the numbers behind each reply.",
    "case": "Keep the ledger of a debugging case: hypotheses, tests, observations, what to do next.",
    "lint": "Read source files and name the silent bugs in them.",
    "probe": "Examine a model, one batch and a loss, in seconds.",
    "watch": "Run an unchanged training script under observation, and keep the record.",
    "tokens": "Show what a language model is really trained on, token by token.",
    "judge": "Judge the record of a watched run again, without running anything.",
    "surface": "Map the surface and gradients of a loss, without a model.",
    "sweep": "Plan same-seed sweeps, run them, and analyse the results.",
    "rl": "Reinforcement learning: probe an agent, check an environment, watch a run.",
    "stuck": "Find out why a metric does not change: the loss, the parameters, or a conflicting term.",
    "explain": "Print the page of a cause or a rule.",
    "causes": "List the causes Sleuth knows, and how each is detected.",
    "evidence": "Show where advice comes from, check it, and weigh it.",
    "runs": "List the runs Sleuth has watched, show them, and compare them.",
    "journal": "Keep a work log: your notes and the runs, day by day.",
    "ui": "Show every run, case and sweep in the browser.",
    "lsp": "Serve findings to an editor (language server protocol).",
}

FOUND_NOTHING, FOUND_SOMETHING, WRONG_REQUEST, OWN_FAULT = 0, 1, 2, 3
LONGEST_NAME = 255  # as file systems have it; of a longer one the start says enough
INTERRUPTED, READER_LEFT = 130, 141  # 128 + SIGINT and 128 + SIGPIPE, as shells have them


def main(argv: Sequence[str] | None = None) -> None:
    _open_streams()
    code = run(argv)
    if sys.argv[1:2] == ["lint"] and sys.gettrace() is None and sys.getprofile() is None:
        os._exit(code)  # the system frees all at once what Python would take down piece by piece
    sys.exit(code)


def run(argv: Sequence[str] | None = None) -> int:
    """One request, start to end; every way it can go becomes an exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _answer(words)
        if not sys.stdout.closed:  # a language server takes standard output over, and closes it
            sys.stdout.flush()
    except BaseException as error:  # whatever it is: this is the edge of the process
        code = _explained(error, words)
        _let_go(sys.stdout)
    _let_go(sys.stderr)
    return code if isinstance(code, int) else FOUND_NOTHING


def _explained(error: BaseException, words: list[str]) -> int:
    """The exit code of a request that broke off, and the sentence that goes with it."""
    match error:
        case BrokenPipeError() | ReaderLeft():  # `head`, `less`: they know
            return READER_LEFT
        case SleuthError():
            return complain(str(error))
        case KeyboardInterrupt():
            return complain("interrupted", INTERRUPTED)
        case SystemExit():
            return complain(f"Code that was run left by sys.exit({error.code!r}) before there was a result.")
        case OSError() if (sentence := _of_the_system(error)) is not None:
            return complain(sentence)
    from sleuth.cli.fault import reported

    return complain(reported(error, words), OWN_FAULT)


def _of_the_system(error: OSError) -> str | None:
    """What the system refused: a file that was named, the output, or a resource; else it is our mistake."""
    words = error.strerror or type(error).__name__
    reason = words[:1].lower() + words[1:]
    if error.filename is not None:
        name = str(error.filename)
        shown = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"
        return f"Cannot use {shown!r}: {reason}."
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG, errno.EBADF):
        return f"Cannot write the result: {reason}."
    if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN):
        return f"The system gave out: {reason}."
    return None


def _open_streams() -> None:
    """Standard streams that were closed (`>&-`) lead nowhere: the next file opened would take their place."""
    while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(handle)
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _let_go(stream: TextIO) -> None:
    """Send what is left; where that cannot be, keep the interpreter from complaining about it at its end."""
    try:
        stream.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _answer(words: list[str]) -> object:
    """The everyday lint request is answered at once: the library behind the rest takes longer than a file."""
    if words[:1] == ["lint"]:
        from sleuth.cli.quick import lint

        if (code := lint(words[1:])) is not None:
            return code
    from sleuth.cli.group import answer

    return answer(words)


def complain(sentence: str, code: int = WRONG_REQUEST) -> int:
    with suppress(OSError, ValueError):  # there may be nobody to tell; the code says it, too
        say(f"sleuth: {' '.join(sentence.split())}", err=True)
        sys.stderr.flush()
    return code
