"""The same network without the physics term predicts better than with it.

## What happens
An equation in the loss is a claim, and it may be wrong, badly scaled or too hard to optimise. Then
it costs accuracy instead of saving data. It goes unnoticed without the comparison, since the physics
loss falls, the data loss falls, and the plots look smooth.

Three different reasons hide here. *Wrong physics*: a neglected source, a constant in the wrong
unit, a sign, an ideal law for a real device; the data pull one way and the equation the other.
*Unfriendly landscape*: the equation is right and the residual makes the loss so rough that the
network settles for a trivial solution; convection and reaction problems show it once their
coefficient grows, though the same network could represent the solution. *Enough data*: with dense,
clean measurements there is nothing left for the equation to add.

A quick test for the first: put the *true* or measured solution into the residual. If it is not
close to zero there, the equation or its code is wrong, and no training helps.

## How to tell
- **experiment**: the same script with the physics weight at 0, same seed, same data, several seeds.
  If its error on held-out points is lower by more than the differences between seeds, physics hurts. Run
  it also at a tenth and ten times the weight: a wrong equation gets worse with weight, steadily.
- **refuted by**: with physics the held-out error is lower over several seeds, in particular
  *between and beyond* the measured points, where the equation has to earn its keep.

## How to fix
Check the residual on a known solution first, then units, then balance. If the equation is right and
only hard, go gently.

```python
exact = lambda x, t: torch.sin(x - beta * t)          # any case with a known solution
assert residual(exact, x, t).abs().max() < 1e-4

for beta in (1.0, 5.0, 10.0, 20.0, 30.0):             # curriculum: warm-start the harder case
    train(net, beta)
```

If the law is incomplete, let the model say so: add a learned correction term, or a learned
coefficient, or weight the residual by how far you trust it. Beating the plain network is the least
that any added component owes you. Keep that network as a baseline in the repository.

## Often mistaken for
- `raw-units`: physics hurts because its terms are badly scaled; check that first.
- `boundary-starved`: the equation wins over the conditions; weights or hard constraints cure it.
- `loss-terms-conflict`: how a wrong equation shows in the gradients, as data and residual oppose.

## Sources
- krishnapriyan-2021: the part on failure modes of soft regularisation, and on curriculum
  regularisation; harder coefficients make the landscape hard to optimise although the network is
  expressive enough.
"""
