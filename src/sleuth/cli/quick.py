"""The everyday lint request, read by hand: loading what reads all others takes longer than linting a file."""

from pathlib import Path

from sleuth.collector import collector_off

FLAGS = {"-q": "quiet", "--quiet": "quiet", "--no-cache": "no_cache", "--notes": "notes"}


def lint(words: list[str]) -> int | None:
    """The exit code of `sleuth lint` with paths and plain flags; None for any other request."""
    if any(word.startswith("-") and word != "-" and word not in FLAGS for word in words):
        return None
    with collector_off():  # loading the rules makes many objects and no garbage
        return _lint({FLAGS[word] for word in words if word in FLAGS}, [w for w in words if w not in FLAGS])


def _lint(flags: set[str], names: list[str]) -> int:
    from sleuth.cli.linting import Request, answer
    from sleuth.lint.selection import combined, configured

    paths = tuple(Path(name) for name in names) or (Path(),)
    config = configured(Path.cwd() if paths[0] == Path("-") else paths[0].absolute())
    selection = combined(config, (), (), "notes" in flags)
    request = Request(paths, selection, None, None, "no_cache" in flags, None)
    return answer(request, "text", None, "quiet" in flags)
