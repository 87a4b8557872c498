"""Initial weights are far too large or small, so activations blow up or fade with depth.

## What happens
The error is exponential in depth. A ReLU layer of width n with weights of standard deviation s
multiplies the signal by s*sqrt(n/2). For width 128 and `normal_(w)` (s = 1) that is 8 a layer:
ten layers measured an output spread of 6e8 and an initial cross-entropy of 9e9. With s = 0.01 it
is 0.08 a layer: the last hidden layer had a spread of 6e-12, loss exactly ln 10, gradients of
6e-12. He initialisation on the same net kept 0.5 to 1.

Too small is the quieter one: the loss starts at a textbook chance level, and nothing moves. Too
large announces itself by an absurd first loss, and normalisation layers or Adam can hide either
for long stretches, at the price of a wasted start.

Usual births: `nn.init.normal_(w)` or `torch.randn` without a scale, `uniform_(-1, 1)`, an
embedding (default std 1) tied to the output matrix, a transformer's residual branches without
depth scaling, or a copied 0.01 from a paper with another width.

## How to tell
- **probe**: spread of the activations, layer by layer, on standardised input: a constant factor
  outside about 0.5 to 2 per layer, or a total drift of more than 100; compare each weight's std
  with sqrt(2/fan_in).
- **watch**: the first recorded loss is orders above chance, or sits exactly at chance with
  gradient norms below 1e-6.
- **refuted by**: standardised input leaves every layer with a spread between 0.1 and 10.

## How to fix
Scale by fan-in, with the gain of the activation in use:
```python
nn.init.kaiming_normal_(fc.weight, nonlinearity="relu")          # ReLU family
nn.init.xavier_uniform_(fc.weight, gain=5 / 3)                   # tanh
w = nn.Parameter(torch.randn(d_in, d_out) / d_in**0.5)           # hand-made
nn.init.normal_(emb.weight, std=0.02)                            # tied embedding
```
With normalisation in each block the exact scale matters little; do not hunt a factor of two
there. A deliberately tiny last layer (for a flat first prediction, or a policy head) is fine.

## Often mistaken for
- `inputs-unnormalized`: the activations are already off at the first layer's input.
- `init-loss-off`: the symptom of this cause at the loss; name the weights when they explain it.
- `zero-init`: the special case of no spread at all, where units are equal and not only small.

## Sources
- he-2015: section 2.2, derivation of the variance that keeps rectifier nets level, forward and
  backward.
- glorot-2010: section 4.2, the corresponding argument for symmetric activations.
"""
