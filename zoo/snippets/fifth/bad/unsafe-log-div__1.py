def focal_loss(logits, target, gamma=2.0):
    p = torch.sigmoid(logits)
    loss = -target * (1 - p) ** gamma * torch.log(p) - (1 - target) * p ** gamma * torch.log(1 - p)
    return loss.mean()
