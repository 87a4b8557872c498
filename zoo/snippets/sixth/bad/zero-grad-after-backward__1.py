class Trainer:
    def __init__(self, model, train_loader, val_loader, lr=1e-4, device='cuda'):
        self.model = model.to(device)
        self.train_loader = train_loader
        self.val_loader = val_loader
        self.device = device
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)
        self.criterion = nn.CrossEntropyLoss()

    def train_one_epoch(self):
        self.model.train()
        running = 0.0
        for images, labels in tqdm(self.train_loader):
            images = images.to(self.device)
            labels = labels.to(self.device)
            logits = self.model(images)
            loss = self.criterion(logits, labels)
            loss.backward()
            self.optimizer.zero_grad()
            self.optimizer.step()
            running += loss.item() * images.size(0)
        return running / len(self.train_loader.dataset)

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        correct = 0
        for images, labels in self.val_loader:
            logits = self.model(images.to(self.device))
            correct += (logits.argmax(1).cpu() == labels).sum().item()
        return correct / len(self.val_loader.dataset)
