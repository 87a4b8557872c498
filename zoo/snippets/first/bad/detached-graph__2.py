import torch
import torch.nn as nn
from torch.autograd import Variable


class CaptionModel(nn.Module):
    def __init__(self, embed_size, hidden_size, vocab_size):
        super(CaptionModel, self).__init__()
        self.cnn = nn.Sequential(
            nn.Conv2d(3, 32, 5, stride=3), nn.ReLU(),
            nn.Conv2d(32, 64, 3, stride=2), nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
        )
        self.fc = nn.Linear(64, embed_size)
        self.embed = nn.Embedding(vocab_size, embed_size)
        self.lstm = nn.LSTM(embed_size, hidden_size, batch_first=True)
        self.linear = nn.Linear(hidden_size, vocab_size)

    def forward(self, images, captions):
        features = self.cnn(images)
        features = Variable(features.data)
        features = self.fc(features.view(features.size(0), -1))
        embeddings = torch.cat((features.unsqueeze(1), self.embed(captions)), 1)
        hiddens, _ = self.lstm(embeddings)
        return self.linear(hiddens[:, :-1])


model = CaptionModel(256, 512, len(vocab)).cuda()
criterion = nn.CrossEntropyLoss(ignore_index=0)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(num_epochs):
    for i, (images, captions) in enumerate(data_loader):
        images, captions = Variable(images.cuda()), Variable(captions.cuda())
        outputs = model(images, captions)
        loss = criterion(outputs.reshape(-1, outputs.size(2)), captions.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
