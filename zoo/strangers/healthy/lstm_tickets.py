# Klassifikation von Support-Tickets mit einem bidirektionalen LSTM
# (Daten werden aus Satzbausteinen erzeugt, weil die echten nicht raus duerfen)
import random

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

random.seed(5)
torch.manual_seed(5)

KLASSEN = {
    "rechnung": ["rechnung", "betrag", "zahlung", "mahnung", "abbuchung", "erstattung"],
    "technik": ["absturz", "fehler", "update", "bildschirm", "neustart", "anmeldung"],
    "versand": ["paket", "lieferung", "adresse", "karton", "bote", "verspaetung"],
    "lob": ["danke", "super", "zufrieden", "freundlich", "schnell", "empfehlen"],
}
FUELL = "ich habe gestern leider wieder ein problem mit der die das und bitte um hilfe seit tagen noch nicht".split()
NAMEN = list(KLASSEN)


def ticket(klasse):
    woerter = random.choices(FUELL, k=random.randint(5, 12))
    for w in random.choices(KLASSEN[NAMEN[klasse]], k=random.randint(2, 3)):
        woerter.insert(random.randint(0, len(woerter)), w)
    if random.random() < 0.4:  # ein fremdes Wort
        fremd = random.choice([k for k in range(4) if k != klasse])
        woerter.insert(random.randint(0, len(woerter)), random.choice(KLASSEN[NAMEN[fremd]]))
    return " ".join(woerter)


gesehen, daten = set(), []
while len(daten) < 2400:
    k = len(daten) % 4
    t = ticket(k)
    if t not in gesehen:
        gesehen.add(t)
        daten.append((t, k))
random.shuffle(daten)
train_daten, test_daten = daten[:1900], daten[1900:]

wortliste = ["<leer>", "<unbekannt>"] + sorted({w for t, _ in train_daten for w in t.split()})
nummer = {w: i for i, w in enumerate(wortliste)}


class Tickets(Dataset):
    def __init__(self, paare):
        self.paare = paare

    def __len__(self):
        return len(self.paare)

    def __getitem__(self, i):
        text, k = self.paare[i]
        return torch.tensor([nummer.get(w, 1) for w in text.split()]), k


def zusammenlegen(stapel):
    texte, ks = zip(*stapel)
    laengen = torch.tensor([len(t) for t in texte])
    return pad_sequence(texte, batch_first=True), laengen, torch.tensor(ks)


lader = DataLoader(Tickets(train_daten), batch_size=50, shuffle=True, collate_fn=zusammenlegen)
test_lader = DataLoader(Tickets(test_daten), batch_size=100, collate_fn=zusammenlegen)


class TicketLSTM(nn.Module):
    def __init__(self, n_woerter, n_klassen):
        super().__init__()
        self.emb = nn.Embedding(n_woerter, 20, padding_idx=0)
        self.lstm = nn.LSTM(20, 24, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(0.2)
        self.aus = nn.Linear(48, n_klassen)

    def forward(self, x, laengen):
        p = pack_padded_sequence(self.emb(x), laengen, batch_first=True, enforce_sorted=False)
        _, (h, _) = self.lstm(p)
        return self.aus(self.drop(torch.cat([h[0], h[1]], dim=1)))


modell = TicketLSTM(len(wortliste), 4)
verlust = nn.CrossEntropyLoss()
opti = torch.optim.Adam(modell.parameters(), lr=3e-3)

for epoche in range(1, 11):
    modell.train()
    summe = 0.0
    for x, l, k in lader:
        opti.zero_grad()
        v = verlust(modell(x, l), k)
        v.backward()
        nn.utils.clip_grad_norm_(modell.parameters(), 5.0)
        opti.step()
        summe += v.item() * len(k)
    print(f"Epoche {epoche:2d}  Verlust {summe / len(train_daten):.4f}")

modell.eval()
richtig = 0
with torch.no_grad():
    for x, l, k in test_lader:
        richtig += (modell(x, l).argmax(1) == k).sum().item()
print(f"Trefferquote auf Testdaten: {richtig / len(test_daten):.3f}")
