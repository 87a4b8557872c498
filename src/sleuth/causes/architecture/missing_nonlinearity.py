"""Linear layers follow each other with nothing between, so depth adds nothing.

## What happens
A product of matrices is a matrix: `Linear(2, 64)`, `Linear(64, 64)`, `Linear(64, 2)` in a row
have 4482 parameters and express exactly what a single 2-by-2 layer with bias does. The model
trains smoothly, gradients look fine, and it stops at the quality of linear or logistic
regression.

On "do the two inputs have the same sign" (XOR on the square), that stack stayed at loss 0.69 and
44 to 63% accuracy over five seeds; with a ReLU after each hidden layer all five reached 100%.
```python
def forward(self, x):
    x = self.fc1(x)
    x = self.fc2(x)          # nothing between fc1 and fc2
    return self.fc3(x)
```
The usual births: `F.relu(x)` whose result is not assigned, an activation defined in `__init__`
and never called, `conv` followed by `conv`. Some pairs are meant to be linear: the two factors of
a low-rank layer or LoRA, a depthwise and a pointwise convolution, query and key projections
(softmax follows), a bottleneck whose inner size is *smaller* than both ends. Dropout, BatchNorm
in eval mode, mean pooling and reshape are linear too and do not count as a nonlinearity.

## How to tell
- **lint**: two affine layers in sequence (in `nn.Sequential`, or in `forward` on the same
  variable) with no activation, softmax or attention between; a bare call such as `F.relu(x)` as a
  statement.
- **probe**: in eval mode the model is affine: f(a+b) - f(a) - f(b) + f(0) is zero to rounding,
  for random a and b.
- **refuted by**: that expression is clearly different from zero.

## How to fix
```python
def forward(self, x):
    x = torch.relu(self.fc1(x))
    x = torch.relu(self.fc2(x))
    return self.fc3(x)           # none after the last layer
```
If linear is what you wanted, delete the extra layers: they only make optimisation odd.

## Often mistaken for
- `underpowered-model`: also cannot fit, but there are nonlinearities and it is too narrow; here
  more width never helps.
- `output-activation`: adding the missing activation after the *last* layer creates that one.

## Sources
- goodfellow-2016-ch6: the opening XOR example (6.1), why stacked linear maps stay linear, and
  section 6.4.1 on what nonlinear layers add.
"""
