"""Small scripts about one fault each, broken and mended: bodies that follow `tiny.HEAD`."""

# A loop by hand: `fed(step)` gives what the model is handed.
LOOP = """
def train(m, fed, steps=4, lr=1e-3):
    optimizer = torch.optim.AdamW([p for p in m.parameters() if p.requires_grad], lr)
    m.train()
    for step in range(steps):
        loss = m(**fed(step)).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def some(step, texts, size=4):
    return [texts[(7 * step + 11 * k) % len(texts)] for k in range(size)]


def pairs(step, size=4):
    return [(QUESTIONS[(7 * step + 29 * k) % 120], ANSWERS[(7 * step + 29 * k) % 120]) for k in range(size)]


def filled(rows, pad, ignore=None):
    longest = max(map(len, rows))
    return torch.tensor([row + [pad if ignore is None else ignore] * (longest - len(row)) for row in rows])


SHORT = ["yes", "no", "maybe it is", "it is twelve plus one", "one", "seven plus two is nine"]
"""

TEXTS = """
tok = tokenizer({arguments})
m = model(tok)
texts = [one{end} for one in SHORT]
def fed(step):
    batch = tok(some(step, texts), padding=True, return_tensors="pt")
    batch.pop("token_type_ids", None)
    ids, mask = batch["input_ids"], batch["attention_mask"]
    return dict(input_ids=ids, attention_mask=mask, labels={labels})
train(m, fed)
"""

BY_MASK = "ids.masked_fill(mask == 0, -100)"
BY_ID = "ids.masked_fill(ids == tok.pad_token_id, -100)"


def texts(end: str = " + tok.eos_token", labels: str = BY_MASK, arguments: str = "") -> str:
    return LOOP + TEXTS.format(end=end, labels=labels, arguments=arguments)


ANSWERED = """
tok = tokenizer()
m = model(tok)
USER, BOT, END = 4, 5, tok.eos_token_id
def fed(step):
    rows, labels = [], []
    for number, (question, answer) in enumerate(pairs(step)):
        prompt = [tok.bos_token_id, USER] + tok(question).input_ids + [BOT]
        reply = tok(answer).input_ids[: 3 + number] + [END]
        row = prompt + reply
        {row}
        rows.append(row)
        labels.append({label})
    ids, labels = filled(rows, 2), filled(labels, 2, -100)
    return dict(input_ids=ids, attention_mask=(ids != 2).long(), labels=labels)
train(m, fed, steps=6)
m.eval()
{after}
"""
WRITES = """
for question in QUESTIONS[3:60:18]:
    prompt = torch.tensor([{prompt}])
    seen = torch.ones_like(prompt)
    m.generate(input_ids=prompt, attention_mask=seen, max_new_tokens=4, do_sample=False{more})
"""
PROMPT = "[tok.bos_token_id, USER] + tok(question).input_ids + [BOT]"
LABEL = "[-100] * len(prompt) + row[len(prompt):]"


def answered(label: str = LABEL, row: str = "", prompt: str = PROMPT, more: str = "") -> str:
    after = WRITES.format(prompt=prompt, more=more)
    return LOOP + ANSWERED.format(label=label, row=row, after=after)


SHIFT = """
tok = tokenizer()
m = model(tok)
def ids_of(step):
    return torch.tensor([(tok(" ".join(pair)).input_ids * 3)[:16] for pair in pairs(step)])
optimizer = torch.optim.AdamW(m.parameters(), 1e-3)
for step in range(4):
    ids = ids_of(step)
    {loss}
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""


def shift(loss: str) -> str:
    return LOOP + SHIFT.format(loss=loss)


CUT = """
tok = tokenizer()
m = model(tok)
long = " ".join(ANSWERS[:20])
def fed(step):
    given = ("no", SHORT[step % 6], "one", {text})
    rows = [(tok(text).input_ids + [tok.eos_token_id])[:{limit}] for text in given]
    ids = filled(rows, 2)
    return dict(input_ids=ids, attention_mask=(ids != 2).long(), labels=ids.masked_fill(ids == 2, -100))
train(m, fed, steps=6)
"""


def cut(limit: int, text: str = "long") -> str:
    return LOOP + CUT.format(limit=limit, text=text)


PACKED = """
tok = tokenizer()
m = model(tok, "llama")
def fed(step):
    rows, labels, positions = [], [], []
    for k in range(4):
        row, label, position = [], [], []
        for question, answer in pairs(step * 4 + k, 3):
            prompt, reply = tok(question).input_ids[:4], tok(answer).input_ids[:4] + [tok.eos_token_id]
            row += prompt + reply; label += [-100] * 4 + reply
            position += list(range({start}, {start} + 9))
        rows.append(row); labels.append(label); positions.append(position)
    return dict(input_ids=torch.tensor(rows), labels=torch.tensor(labels){positions})
train(m, fed)
"""


def packed(start: str, positions: str) -> str:
    return LOOP + PACKED.format(start=start, positions=positions)


LEFT = """
tok = tokenizer()
tok.padding_side = "left"
m = model(tok, "llama")
def fed(step):
    batch = tok([one + "</s>" for one in some(step, SHORT)], padding=True, return_tensors="pt")
    ids, mask = batch["input_ids"], batch["attention_mask"]
    return dict(input_ids=ids, labels=ids.masked_fill(ids == 2, -100){mask})
train(m, fed)
"""


def left(mask: str) -> str:
    return LOOP + LEFT.format(mask=mask)


SIDE = """
tok = tokenizer()
tok.padding_side = {side!r}
m = model(tok, "llama").eval()
batch = tok(SHORT, padding=True, return_tensors="pt"); batch.pop("token_type_ids", None)
m.generate(**batch, max_new_tokens=3, do_sample=False)
"""


def side(side: str) -> str:
    return LOOP + SIDE.format(side=side)


WORDS = """
tok = tokenizer()
m = model(tok)
known = {{"<pad>": 0, "<unk>": 1, **{{word: at + 2 for at, word in enumerate({words})}}}}
table = nn.Embedding(len(known), 16); head = nn.Linear(16, len(known))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.rnn, self.head = table, nn.GRU(16, 16, batch_first=True), head
    def forward(self, ids):
        return self.head(self.rnn(self.table(ids))[0])
net = Net()
optimizer = torch.optim.AdamW(net.parameters(), 1e-2)
for step in range(6):
    lines = [" ".join(pair).split()[:9] for pair in pairs(step)]
    ids = torch.tensor([[known.get(word, 1) for word in line] for line in lines])
    loss = F.cross_entropy(net(ids)[:, :-1].reshape(-1, len(known)), ids[:, 1:].reshape(-1))
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""


def words(words: str) -> str:
    return LOOP + WORDS.format(words=words)


ADAPTED = """
from peft import LoraConfig, get_peft_model
tok = tokenizer()
m = model(tok, "llama")
{before}
m = get_peft_model(m, LoraConfig(r=2, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"{more}))
{after}
def fed(step):
    ids = torch.tensor([tok(question).input_ids[:5] + {new} for question, _ in pairs(step)])
    return dict(input_ids=ids, labels=ids)
train(m, fed)
"""


def adapted(before: str = "", after: str = "", more: str = "", new: str = "[]") -> str:
    return LOOP + ADAPTED.format(before=before, after=after, more=more, new=new)


ADDED = """tok.add_special_tokens({"additional_special_tokens": ["<q>", "<a>"]})
m.resize_token_embeddings(len(tok))"""
HALF = """
tok = tokenizer()
m = model(tok).to({dtype})
def fed(step):
    ids = torch.tensor([(tok(" ".join(pair)).input_ids * 2)[:12] for pair in pairs(step)])
    return dict(input_ids=ids, labels=ids)
train(m, fed, steps=4)
"""


def half(dtype: str) -> str:
    return LOOP + HALF.format(dtype=dtype)


RECOMPUTED = """
from torch.utils.checkpoint import checkpoint
tok = tokenizer()
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(len(tok), 16).requires_grad_(False)
        self.block, self.head = nn.Sequential(nn.Linear(16, 16), nn.GELU()), nn.Linear(16, len(tok))
    def forward(self, ids):
        return self.head(checkpoint(self.block, self.table(ids), use_reentrant={reentrant}))
net = Net()
optimizer = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], 1e-2)
for step in range(4):
    ids = torch.tensor([(tok(" ".join(pair)).input_ids * 2)[:12] for pair in pairs(step)])
    loss = F.cross_entropy(net(ids)[:, :-1].reshape(-1, len(tok)), ids[:, 1:].reshape(-1))
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""


def recomputed(reentrant: bool) -> str:
    return LOOP + RECOMPUTED.format(reentrant=reentrant)


# What looks odd, and is meant so.
STREAM = """
tok = tokenizer(pad="</s>")
m = model(tok)
ids = sum((tok(text).input_ids + {end} for text in QUESTIONS + ANSWERS), [])
def fed(step):
    rows = torch.tensor([ids[at:at + 24] for at in range(96 * step, 96 * step + 96, 24)])
    return dict(input_ids=rows, labels=rows)
train(m, fed, steps=6)
"""
MASKED = """
from transformers import BertConfig, BertForMaskedLM
tok = tokenizer()
sizes = dict(hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32)
m = BertForMaskedLM(BertConfig(vocab_size=len(tok), pad_token_id=2, **sizes))
def fed(step):
    batch = tok([" ".join(pair) for pair in pairs(step, 8)], padding=True, return_tensors="pt")
    ids, mask = batch["input_ids"], batch["attention_mask"]
    hidden = (torch.rand(ids.shape) < 0.3) & (mask == 1)
    hidden[:, 1] = True
    labels = ids.masked_fill(~hidden, -100)
    return dict(input_ids=ids.masked_fill(hidden, 4), attention_mask=mask, labels=labels)
train(m, fed, steps=5)
"""
TRANSLATED = """
from transformers import T5Config, T5ForConditionalGeneration
tok = tokenizer(add_ends=True)
sizes = dict(d_model=32, d_kv=16, d_ff=32, num_layers=1, num_heads=2)
special = dict(decoder_start_token_id=2, pad_token_id=2, eos_token_id=1)
m = T5ForConditionalGeneration(T5Config(vocab_size=len(tok), **sizes, **special))
def fed(step):
    two = pairs(step)
    batch = tok([one for one, _ in two], padding=True, return_tensors="pt")
    labels = tok([one for _, one in two], padding=True, return_tensors="pt")["input_ids"]
    return dict(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"],
                labels=labels.masked_fill(labels == 2, -100))
train(m, fed, steps=5)
m.eval()
batch = tok(SHORT, padding=True, return_tensors="pt")
m.generate(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], max_new_tokens=3)
"""
SOFT = """
from peft import PromptTuningConfig, get_peft_model
tok = tokenizer()
m = get_peft_model(model(tok), PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=4))
def fed(step):
    batch = tok([one + "</s>" for one in some(step, SHORT)], padding=True, return_tensors="pt")
    ids, mask = batch["input_ids"], batch["attention_mask"]
    return dict(input_ids=ids, attention_mask=mask, labels=ids.masked_fill(mask == 0, -100))
train(m, fed, steps=4, lr=1e-2)
"""
JUDGED = """
from transformers import LlamaForSequenceClassification
tok = tokenizer()
config = model(tok, "llama").config
config.num_labels = 2
m = LlamaForSequenceClassification(config)
def fed(step):
    batch = tok([one for one, _ in pairs(step, 6)] + SHORT[:2], padding=True, return_tensors="pt")
    return dict(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"],
                labels=torch.tensor([0, 1] * 4))
train(m, fed, steps=5)
"""
BYTES = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(256, 16), nn.Linear(16, 256)
        self.rnn = nn.GRU(16, 16, batch_first=True)
    def forward(self, ids):
        return self.head(self.rnn(self.table(ids))[0])
net = Net()
data = torch.tensor(list(" ".join(ANSWERS).encode()))
optimizer = torch.optim.AdamW(net.parameters(), 1e-2)
for step in range(6):
    rows = torch.stack([data[at:at + 17] for at in range(68 * step, 68 * step + 68, 17)])
    loss = F.cross_entropy(net(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten())
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""
COPIED = """
tok = tokenizer()
class Copier(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(len(tok), 16), nn.Linear(16, len(tok))
    def forward(self, ids):
        return self.head(self.table(ids).roll(0))
net = Copier()
optimizer = torch.optim.AdamW(net.parameters(), 1e-2)
for step in range(6):
    ids = torch.tensor([(tok(" ".join(pair)).input_ids * 2)[:12] for pair in pairs(step)])
    loss = F.cross_entropy(net(ids).flatten(0, 1), ids.flatten())
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""
TALK = """
tok = tokenizer()
m = model(tok)
USER, BOT, END = 4, 5, tok.eos_token_id
def fed(step):
    rows, labels = [], []
    for turn in range(4):
        row, label = [tok.bos_token_id], [-100]
        for question, answer in pairs(step * 4 + turn, 1 + turn % 2):
            prompt = [USER] + tok(question).input_ids + [BOT]
            reply = tok(answer).input_ids[: 3 + turn] + [END]
            row += prompt + reply; label += [-100] * len(prompt) + reply
        rows.append(row); labels.append(label)
    ids = filled(rows, 2)
    return dict(input_ids=ids, attention_mask=(ids != 2).long(), labels=filled(labels, 2, -100))
train(m, fed, steps=6)
m.eval()
for question in QUESTIONS[3:60:18]:
    prompt = torch.tensor([[tok.bos_token_id, USER] + tok(question).input_ids + [BOT]])
    m.generate(input_ids=prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=4)
"""
PUSHED = """
tok = tokenizer()
m, reference = model(tok, "llama"), model(tok, "llama").eval()
def chances(of, ids, labels):
    logs = of(input_ids=ids).logits[:, :-1].log_softmax(-1)
    wanted = labels[:, 1:]
    kept = logs.gather(-1, wanted.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    return (kept * (wanted != -100)).sum(1)
optimizer = torch.optim.AdamW(m.parameters(), 1e-3)
for step in range(5):
    rows, labels = [], []
    for end in ("yes", "no"):
        for question, answer in pairs(step):
            prompt = tok(question).input_ids
            reply = tok(" " + (answer if end == "yes" else "no")).input_ids
            rows.append(prompt + reply); labels.append([-100] * len(prompt) + reply)
    ids, labels = filled(rows, 2), filled(labels, 2, -100)
    ours = chances(m, ids, labels)
    with torch.no_grad():
        theirs = chances(reference, ids, labels)
    better = (ours - theirs).reshape(2, -1)
    loss = -F.logsigmoid(0.1 * (better[0] - better[1])).mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""
ODD = {
    "a stream in blocks, as pre-training has it": STREAM.format(end="[]"),
    "a stream with ends inside": STREAM.format(end="[tok.eos_token_id]"),
    "a masked model": MASKED,
    "an encoder with a decoder": TRANSLATED,
    "a soft prompt": SOFT,
    "a judge of whole texts": JUDGED,
    "bytes": BYTES,
    "a copier": COPIED,
    "a conversation of several turns": TALK,
    "preferences by hand": PUSHED,
}
