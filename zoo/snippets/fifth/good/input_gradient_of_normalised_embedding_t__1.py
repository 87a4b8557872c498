for _ in range(K):
    out = model(inputs_embeds=emb + delta, attention_mask=mask)
    loss = F.cross_entropy(out.logits, y) / K
    loss.backward()
    g = delta.grad.detach()
    delta = (delta + a * g / (g.norm(dim=-1, keepdim=True) + 1e-8)).detach().requires_grad_()
opt.step()
opt.zero_grad()
