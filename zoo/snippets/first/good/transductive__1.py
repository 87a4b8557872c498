# full-graph node classification: one forward over all nodes, loss on the training mask only
import torch
import torch.nn.functional as F

best_val, test_at_best = 0.0, 0.0
for epoch in range(200):
    model.train()
    opt.zero_grad()
    out = model(data.x, data.edge_index)
    loss = F.cross_entropy(out[data.train_mask], data.y[data.train_mask])
    loss.backward()
    opt.step()

    model.eval()
    with torch.no_grad():
        pred = model(data.x, data.edge_index).argmax(dim=-1)
    val = (pred[data.val_mask] == data.y[data.val_mask]).float().mean().item()
    # the test number is read at the best validation epoch, never selected by itself
    if val > best_val:
        best_val = val
        test_at_best = (pred[data.test_mask] == data.y[data.test_mask]).float().mean().item()
print(best_val, test_at_best)
