class CLIPLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_t = nn.Parameter(torch.tensor(2.659))

    def forward(self, img, txt):
        img = F.normalize(img, dim=-1)
        txt = F.normalize(txt, dim=-1)
        logits = self.log_t.exp() * img @ txt.t()
        labels = torch.arange(len(img), device=img.device)
        return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2
