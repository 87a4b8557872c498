import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence


class Tagger(nn.Module):
    def __init__(self, vocab_size, tagset_size, emb=64, hidden=128):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, emb, padding_idx=0)
        self.lstm = nn.LSTM(emb, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, tagset_size)

    def forward(self, words):
        h, _ = self.lstm(self.emb(words))
        return self.out(h)


model = Tagger(len(word_to_ix), len(tag_to_ix))
loss_function = nn.CrossEntropyLoss(ignore_index=-100)
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)

for epoch in range(30):
    model.train()
    epoch_loss = 0.0
    for words, tags in train_loader:
        scores = model(words)
        loss = loss_function(scores.view(-1, scores.size(-1)), tags.view(-1))
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item()
    print(f"{epoch}: {epoch_loss / len(train_loader):.4f}")
