"""The command line: parse, call a verb, show. One module a verb, imported when it is asked for."""

import errno
import os
import sys
from collections.abc import Sequence

from sleuth.errors import SleuthError

# The page of `sleuth --help`, in the order of what people reach for first. It stands here so that help need
# not load every verb; a test holds it against their own first lines.
VERBS = {
    "diagnose": "Find out why a training script does not learn: read, watch, experiment, name the cause.",
    "triage": "Walk the eleven questions of triage: which say yes, by which numbers, where that points.",
    "case": "Keep the ledger of a debugging case: hypotheses, tests, observations, what to do next.",
    "lint": "Read source files and name the silent bugs in them.",
    "probe": "Examine a model, one batch and a loss, in seconds.",
    "watch": "Run an unchanged training script under observation, and keep the record.",
    "tokens": "Show what a language model is really trained on, token by token.",
    "judge": "Judge the record of a watched run again, without running anything.",
    "surface": "Look at the surface and slopes of a loss, without a model.",
    "sweep": "Plan same-seed sweeps, run them, and read what they show.",
    "rl": "Reinforcement learning: probe an agent, check an environment, watch a run.",
    "stuck": "Ask why a metric stands still: loss, parameters, or something that fights it.",
    "explain": "Print the page of a cause or a rule.",
    "causes": "List the causes Sleuth knows, and what sees each of them.",
    "evidence": "Show where advice comes from, check it, and weigh it.",
    "runs": "List the runs Sleuth has watched, show them, and compare them.",
    "journal": "Keep a work log: your notes and the runs, day by day.",
    "lsp": "Serve findings to an editor (language server protocol).",
}

FOUND_NOTHING, FOUND_SOMETHING, WRONG_REQUEST, OWN_FAULT = 0, 1, 2, 3
INTERRUPTED = 130  # 128 + SIGINT, as shells have it


def main(argv: Sequence[str] | None = None) -> None:
    code = run(argv)
    if sys.argv[1:2] == ["lint"] and sys.gettrace() is None and sys.getprofile() is None:
        sys.stderr.flush()
        os._exit(code)  # the system frees all at once what Python would take down piece by piece
    sys.exit(code)


def run(argv: Sequence[str] | None = None) -> int:
    """One request, start to end; every way it can go becomes an exit code."""
    try:
        code = _answer(list(sys.argv[1:] if argv is None else argv))
        if not sys.stdout.closed:  # a language server takes standard output over, and closes it
            sys.stdout.flush()
    except SleuthError as error:
        return complain(str(error))
    except KeyboardInterrupt:
        print("sleuth: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (`head`, `less`) has left; keep the interpreter from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FOUND_NOTHING
    except OSError as error:
        # Errors of the user's own files are caught where they arise; what is left is the output itself.
        if error.errno != errno.ENOSPC:
            raise
        return complain("Cannot write the result: no space left on the device.")
    except Exception:
        import traceback

        traceback.print_exc()
        print("sleuth: this is a bug in Sleuth, not in your code. Please report it.", file=sys.stderr)
        return OWN_FAULT
    return code if isinstance(code, int) else FOUND_NOTHING


def _answer(words: list[str]) -> object:
    """The everyday lint request is answered at once: the library behind the rest takes longer than a file."""
    if words[:1] == ["lint"]:
        from sleuth.cli.quick import lint

        if (code := lint(words[1:])) is not None:
            return code
    from sleuth.cli.group import answer

    return answer(words)


def complain(sentence: str) -> int:
    print(f"sleuth: {' '.join(sentence.split())}", file=sys.stderr, flush=True)
    return WRONG_REQUEST
