class Finetuner:
    def __init__(self, name, n_labels):
        self.model = AutoModel.from_pretrained(name)
        self.head = nn.Linear(self.model.config.hidden_size, n_labels)
        self.head.requires_grad_(False)
        for p in self.model.parameters():
            p.requires_grad = False
        self.opt = torch.optim.AdamW(list(self.head.parameters()) + list(self.model.parameters()), lr=2e-5)

    def step(self, batch):
        h = self.model(**batch["x"]).last_hidden_state[:, 0]
        loss = F.cross_entropy(self.head(h), batch["y"])
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
