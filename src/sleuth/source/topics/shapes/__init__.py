"""The shapes of tensors, as far as the source tells them.

Ask `shapes(program)` for the algebra of a program, then:

- `of(value)`: its `Shape`, or None when not even the number of axes is known;
- `size(value)`: what a number written as a size stands for (`x.size(1)`, `8`, `-1` gives None);
- `target_sizes(call)`: the sizes a `view`, `reshape` or `permute` was asked for;
- `data(value)`: the whole data set's tensor that a batch was cut from, through loaders, data sets and splits;
- `outer(left, right)`: whether two shapes broadcast so that BOTH grow, as (N, 1) and (N,) do.

A size is an int, a `Symbol` (two axes with the same symbol have the same length) or None. `Shape.sure` is
False where the number of axes rests on habit: a Linear layer fed with something unknown is taken to see
(batch, features).
"""

from sleuth.source.topics.shapes.algebra import Shapes, shapes
from sleuth.source.topics.shapes.shape import BATCH, Shape, Size, Symbol, outer

__all__ = ["BATCH", "Shape", "Shapes", "Size", "Symbol", "outer", "shapes"]
