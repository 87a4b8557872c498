"""When a vector environment begins the next episode, and what a script seems to believe about it."""

import ast
from collections.abc import Mapping

# Keys of `infos` that exist only where an end and the reset share one step: before Gymnasium 1.0, since, SB3.
OLD_NAMES = ("final_observation", "_final_observation")
NEW_NAMES = ("final_obs", "_final_obs")
SAME_STEP_NAMES = (*OLD_NAMES, *NEW_NAMES, "final_info", "_final_info", "terminal_observation")
# Words of a script that has met the rule: the setting, the mask of rows to drop, the mask of copies to reset.
AWARE = ("autoreset", "reset_mask", "next_step", "prev_done")

RULES = {
    "NEXT_STEP": "resets on the *next* step, and the row after each end was played by nobody",
    "SAME_STEP": "resets within the same step, and the final observation stands in `infos`",
    "DISABLED": "never resets by itself",
}


def words_of(text: str) -> frozenset[str]:
    """Names, attributes, keywords and short strings of a source; comments and pages of text do not count."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return frozenset()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.keyword) and node.arg:
            found.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 40:
            found.add(node.value)
    return frozenset(found)


def remark(rule: Mapping[str, str], text: str) -> str:
    """Which rule the vector environment of a script follows, and what the script assumes; "" without one."""
    mode = rule.get("autoreset", "")
    if mode not in RULES:
        return ""
    library = rule.get("library", "")
    assumed = f"Agents of {library} expect that." if library else _assumed(mode, text)
    name = library or f"Gymnasium {rule.get('gymnasium')}"
    return f"{name}: the script's vector environment {RULES[mode]} ({mode}). {assumed}"


def _assumed(mode: str, text: str) -> str:
    words = words_of(text)
    names = [name for name in SAME_STEP_NAMES if name in words]
    aware = any(sign in word.lower() for word in words for sign in AWARE)
    if mode == "NEXT_STEP":
        if names:
            return f"The script reads {names[0]}, which only the same-step rule gives: it assumes SAME_STEP."
        if aware:
            return "The script speaks of the reset itself, so it seems to know the rule."
        return (
            "The script says nothing of it: unless it drops these rows it learns from them, as if "
            "SAME_STEP held."
        )
    if mode == "DISABLED":
        handled = "with a mask of the copies that ended" if "reset_mask" in words else "by calling reset"
        return f"The script has to begin every episode itself, {handled}."
    return _same_step(names)


def _same_step(names: list[str]) -> str:
    if not names:
        return (
            "The script never reads the final observation: a time limit cannot be told from an end by its "
            "value."
        )
    if any(name in OLD_NAMES for name in names) and not any(name in NEW_NAMES for name in names):
        return f"The script reads {names[0]}, which is called final_obs since Gymnasium 1.0."
    return f"The script reads {names[0]}, as this rule has it."
