"""Character-level language model over application logs (after pytorch/examples/word_language_model).

usage: python main.py [--model GRU] [--nhid 96] [--bptt 16] [--lr 4]
"""
import argparse
import math
import random
import time

import torch
import torch.nn as nn

parser = argparse.ArgumentParser(description="character RNN on service logs")
parser.add_argument("--model", default="GRU", choices=["LSTM", "GRU"], help="type of recurrent net")
parser.add_argument("--emsize", type=int, default=32)
parser.add_argument("--nhid", type=int, default=96)
parser.add_argument("--lr", type=float, default=4.0, help="initial learning rate")
parser.add_argument("--clip", type=float, default=0.5)
parser.add_argument("--epochs", type=int, default=6)
parser.add_argument("--batch-size", type=int, default=16)
parser.add_argument("--bptt", type=int, default=16, help="sequence length")
parser.add_argument("--log-interval", type=int, default=20)
parser.add_argument("--seed", type=int, default=1111)
args = parser.parse_args()
torch.manual_seed(args.seed)

###############################################################################
# Corpus
###############################################################################
SERVICES = ["auth", "billing", "search", "mailer", "gateway"]
VERBS = {"auth": ["login", "logout", "refresh"], "billing": ["charge", "refund"], "search": ["query", "reindex"],
         "mailer": ["send", "bounce"], "gateway": ["proxy", "retry"]}


def log_text(n_chars, seed):
    r = random.Random(seed)
    lines, size, sec = [], 0, 0
    while size < n_chars:
        svc = r.choice(SERVICES)
        verb = r.choice(VERBS[svc])
        ok = r.random() < 0.8
        sec = (sec + r.randint(1, 4)) % 60
        code = "200 ok" if ok else r.choice(["500 error", "504 timeout"])
        line = f"{sec:02d}s [{svc}] {verb} user={r.choice('abcd')}{r.randint(0, 9)} -> {code} [{svc}]\n"
        lines.append(line)
        size += len(line)
    return "".join(lines)[:n_chars]


train_text = log_text(11000, seed=1)
valid_text = log_text(6000, seed=2)
test_text = log_text(6000, seed=3)
vocab = sorted(set(train_text))
stoi = {c: i for i, c in enumerate(vocab)}
ntokens = len(vocab)


def batchify(text, bsz):
    data = torch.tensor([stoi[c] for c in text])
    nbatch = data.size(0) // bsz
    return data[:nbatch * bsz].view(bsz, -1).t().contiguous()


train_data = batchify(train_text, args.batch_size)
val_data = batchify(valid_text, 10)
test_data = batchify(test_text, 10)


def get_batch(source, i):
    seq_len = min(args.bptt, len(source) - 1 - i)
    return source[i:i + seq_len], source[i + 1:i + 1 + seq_len].reshape(-1)


###############################################################################
# Model
###############################################################################
class RNNModel(nn.Module):
    def __init__(self, rnn_type, ntoken, ninp, nhid):
        super().__init__()
        self.rnn_type, self.nhid = rnn_type, nhid
        self.encoder = nn.Embedding(ntoken, ninp)
        self.rnn = getattr(nn, rnn_type)(ninp, nhid)
        self.decoder = nn.Linear(nhid, ntoken)
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.uniform_(self.decoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)

    def forward(self, tokens, hidden):
        output, hidden = self.rnn(self.encoder(tokens), hidden)
        return self.decoder(output).view(-1, ntokens), hidden

    def init_hidden(self, bsz):
        h = torch.zeros(1, bsz, self.nhid)
        return (h, h.clone()) if self.rnn_type == "LSTM" else h


def repackage_hidden(h):
    """Wraps hidden states in new tensors."""
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage_hidden(v) for v in h)


model = RNNModel(args.model, ntokens, args.emsize, args.nhid)
criterion = nn.CrossEntropyLoss()


def evaluate(source):
    model.eval()
    total_loss = 0.0
    hidden = model.init_hidden(10)
    with torch.no_grad():
        for i in range(0, source.size(0) - 1, args.bptt):
            data, targets = get_batch(source, i)
            output, hidden = model(data, hidden)
            hidden = repackage_hidden(hidden)
            total_loss += len(data) * criterion(output, targets).item()
    return total_loss / (len(source) - 1)


def train(epoch, lr):
    model.train()
    total_loss, start = 0.0, time.time()
    hidden = model.init_hidden(args.batch_size)
    for batch, i in enumerate(range(0, train_data.size(0) - 1, args.bptt)):
        data, targets = get_batch(train_data, i)
        model.zero_grad()
        output, hidden = model(data, hidden)
        loss = criterion(output, targets)
        loss.backward(retain_graph=True)

        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-lr)

        total_loss += loss.item()
        if (batch + 1) % args.log_interval == 0:
            ms = (time.time() - start) * 1000 / args.log_interval
            print(f"| epoch {epoch:2d} | {batch + 1:3d}/{len(train_data) // args.bptt} batches | lr {lr:5.2f} "
                  f"| ms/batch {ms:6.1f} | loss {total_loss / args.log_interval:5.3f}")
            total_loss, start = 0.0, time.time()


lr, best_val = args.lr, None
for epoch in range(1, args.epochs + 1):
    t0 = time.time()
    train(epoch, lr)
    val_loss = evaluate(val_data)
    print(f"| end of epoch {epoch} | time {time.time() - t0:5.2f}s | valid loss {val_loss:.3f} | bpc {val_loss / math.log(2):.3f}")
    if best_val is None or val_loss < best_val:
        best_val = val_loss
    else:
        lr /= 2.0

test_loss = evaluate(test_data)
print(f"| End of training | test loss {test_loss:.3f} | test ppl {math.exp(test_loss):.2f}")
