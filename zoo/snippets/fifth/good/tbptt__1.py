state = None
for t in range(0, seq.size(1) - k, k):
    inp, tgt = seq[:, t:t + k], seq[:, t + 1:t + k + 1]
    opt.zero_grad()
    out, state = rnn(inp, state)
    loss = F.cross_entropy(out.flatten(0, 1), tgt.flatten())
    loss.backward()
    nn.utils.clip_grad_norm_(rnn.parameters(), 1.0)
    opt.step()
    state = tuple(s.detach() for s in state)
