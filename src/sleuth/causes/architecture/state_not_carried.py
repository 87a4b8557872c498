"""Recurrent, memory or cache state is dropped where the task needs it to survive.

## What happens
`nn.LSTM(x)` without a second argument starts from zeros, each time. Called once per whole
sequence that is right. Called per time step, per chunk or per generated token, it wipes the
memory between calls, and you train a feed-forward net that looks recurrent. On "what was the sign
of the first of five numbers" a GRU called step by step with its state passed on reached loss
0.001; with the state dropped it stayed at 0.69, a coin toss.
```python
for t in range(T):
    out, _ = self.rnn(x[:, t : t + 1])      # the state is thrown away
```
With length-1 calls from zero the recurrent matrix (`weight_hh`) gets a gradient of exactly zero,
a clean giveaway. Other faces: `h` re-created inside the loop, a key-value cache that is returned
and not passed back, an actor whose hidden state is lost between environment steps, chunks of one
long series treated as separate (the model sees at most a chunk).

Independent sequences *should* start from zero, and in truncated backpropagation the state is
carried but detached. Both are right.

## How to tell
- **lint**: the state returned by a recurrent call is ignored (`out, _ =`) inside a loop over
  time; zeros created inside that loop; no cache argument in the generation loop.
- **probe**: the output at the last step has zero gradient with respect to the first input; the
  gradient of `weight_hh` is exactly zero; step-by-step and whole-sequence outputs differ in eval
  mode.
- **refuted by**: changing the first input changes the last output.

## How to fix
```python
state = None
for t in range(T):
    out, state = self.rnn(x[:, t : t + 1], state)
# across chunks of one stream: keep the value, cut the graph
state = tuple(s.detach() for s in state)
```
Reset it at real borders: a new document, a new episode, a shuffled batch. If batches are
shuffled, do not carry anything over.

## Often mistaken for
- `hidden-state-not-detached`: the state is carried *with* its graph; steps get slower or backward
  raises.
- `vanishing-gradients`: the dependence on early input is tiny there, and exactly zero here.
- `episode-not-reset`: the opposite error in reinforcement learning, state that lives too long.

## Sources
- pytorch-lstm: inputs section, the initial states default to zeros if they are not provided.
"""
