import torch
import torch.nn.functional as F


def validate(net, x_val, y_val, batch_size=128):
    net.eval()
    total = 0.0
    with torch.no_grad():
        for start in range(0, len(x_val), batch_size):
            logits = net(x_val[start : start + batch_size])
            total += F.cross_entropy(logits, y_val[start : start + batch_size]).item()
    return total / len(x_val)  # metric-accumulation-bug
