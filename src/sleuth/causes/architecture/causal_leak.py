"""A position in the sequence can see its own future, so training is too easy and use fails.

## What happens
The training loss is wonderful, far below what the literature reports, and generated text is
rubbish. At training time the model reads the target from the next position; at generation time
that position does not exist yet. Nothing crashes and validation is just as good, because it leaks
in the same way.

Where it comes from: no mask at all; a mask off by one (`triu(diagonal=2)`); targets not shifted, so
the input *is* the target; "same" padding in a convolution over time; a bidirectional RNN;
statistics (norm, scaling) over the time axis; features computed with a centred window. And one
trap of the API: a boolean mask means opposite things. `nn.MultiheadAttention` reads True as
*blocked*, `F.scaled_dot_product_attention` reads True as *allowed*. Give the latter
`torch.triu(ones, 1).bool()` and every position mixes only values from its future (the last one
silently returns zeros).

Encoders, masked language models and classifiers over whole sequences are bidirectional on
purpose; this is a bug only where position t predicts something at or after t.

## How to tell
- **probe**: gradient of the output at position t with respect to inputs at positions after t: it
  must be exactly zero for all t. Or change the last token and compare earlier outputs, in eval
  mode.
- **refuted by**: replacing everything after position t leaves outputs up to t unchanged.

## How to fix
```python
y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
mask = nn.Transformer.generate_square_subsequent_mask(T)     # -inf above the diagonal
h, _ = mha(x, x, x, attn_mask=mask, need_weights=False)
x, target = tokens[:, :-1], tokens[:, 1:]                    # the shift
z = conv(F.pad(z, (kernel - 1, 0)))                          # pad on the left only
```
Additive float masks mean the same everywhere; prefer them. In the `nn.Transformer*` modules
`is_causal=True` is a hint that must come together with the mask. Re-run the probe after adding a
key-value cache.

## Often mistaken for
- `target-leakage`: the target is a *feature* of the same row; here it is the same series at a
  later position.
- `shuffled-time-split`: the future is leaked by the split between training and test, not inside
  the model.
- `batch-mixing`: the leak crosses examples and not time.

## Sources
- vaswani-2017: sections 3.1 and 3.2.3, the masking inside the decoder's self-attention and the
  outputs offset by one position.
- pytorch-sdpa: description of `attn_mask` and `is_causal`, with equivalent code.
- pytorch-mha: description of `attn_mask`, where True blocks, and of `is_causal` as a hint.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement

ANSWERS = "validation"
INVITED_BY = {"mask|Transformer|Attention": 3.0}


VISIBLE = 1e-4  # relative change of earlier outputs; must be exactly zero, kernels leave 1e-7


def probe(bench: "Workbench") -> Iterator[Evidence]:
    from sleuth.measure.forward import source_of

    seen = bench.causality
    if seen.shifted >= 0.9 and seen.change > VISIBLE:
        yield Evidence(
            "The targets are the inputs shifted by one, and replacing everything after position "
            f"{seen.length // 2} changes earlier outputs by {seen.change:.1%}: the model sees the future "
            "values it is asked to predict.",
            telling="proven",
            where=source_of(bench.subject.model),
            numbers={"change": seen.change, "shifted": seen.shifted},
            fix="Apply the causal mask (an out-of-place masked_fill must be assigned); pad convolutions "
            "on the left.",
        )
    elif seen.equal == 1.0:
        yield Evidence(
            "Targets and inputs are the same sequence: unless this is an autoencoder, the shift by one "
            "is missing.",
            telling="open",
            numbers={"equal": seen.equal},
            fix="inputs, targets = tokens[:, :-1], tokens[:, 1:]",
        )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.statements import best_statement

    return best_statement(_hides_the_future, scene.sources)


def _hides_the_future(statement: "Statement") -> int | None:
    """Where a sequence model could be kept from its future."""
    text = statement.text
    if "triu" in text or "tril" in text or "is_causal" in text:
        return 0 if statement.attends else 1
    if statement.attends and "mask" in text and not text.startswith("return"):
        return 0
    if "scaled_dot_product_attention" in text or "attn(" in text or "MultiheadAttention" in text:
        return 2
    padded = ("Conv1d" in text and "padding" in text) or re.search(r"\bpad\(", text)
    if "bidirectional=True" in text or padded:
        return 3
    return 4 if statement.attends and "softmax" in text else None
