"""Other people's text in HTML."""

import html

from sleuth.terminal import visible


def escape(text: str, quote: bool = True) -> str:
    """Nothing in it is markup, and nothing acts: HTML may hold no control characters."""
    return html.escape(visible(text), quote)
