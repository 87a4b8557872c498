"""Numbers as JSON can hold them."""

import math
from typing import Any


def json_ready(value: Any) -> Any:
    """JSON knows no infinity and no NaN: they become the words."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, dict):
        return {key: json_ready(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_ready(item) for item in value]
    return value
