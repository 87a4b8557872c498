"""Token tagging of server log lines with the Hugging Face Trainer and a from-scratch model."""
import random
import tempfile

import numpy as np
import torch
from torch import nn
from transformers import PretrainedConfig, PreTrainedModel, Trainer, TrainingArguments, set_seed
from transformers.modeling_outputs import TokenClassifierOutput

set_seed(99)
TAGS = ["O", "USER", "HOST", "PORT", "PID", "SIZE"]
TAG_ID = {t: i for i, t in enumerate(TAGS)}
PAD, UNK = 0, 1

NAMES = [a + b for a in ("al", "be", "ca", "do", "el", "fi", "gu", "ho") for b in ("na", "rt", "ko", "lis", "mo", "vi")]
NUMS = [str(n) for n in range(10, 140)]


def make_line(rng):
    """Names may denote a user or a host, and numbers a port, pid or size; context tells, mostly."""
    out = []

    def put(*words):
        out.extend((w, "O") for w in words)

    for _ in range(rng.randint(1, 3)):
        kind = rng.randint(0, 5)
        who, where, num = rng.choice(NAMES), rng.choice(NAMES), rng.choice(NUMS)
        if kind == 0:
            put("login", "of"); out.append((who, "USER")); put("from"); out.append((where, "HOST"))
        elif kind == 1:
            put("connect", "to"); out.append((where, "HOST")); put("on"); out.append((num, "PORT"))
        elif kind == 2:
            put("killed"); out.append((num, "PID")); put("owned", "by"); out.append((who, "USER"))
        elif kind == 3:
            put("sent"); out.append((num, "SIZE")); put("kb", "to"); out.append((where, "HOST"))
        elif kind == 4:
            out.append((who, "USER")); put("started" if rng.random() < 0.6 else "dropped"); out.append((num, "PID"))
        else:
            out.append((where, "HOST")); put("closed" if rng.random() < 0.3 else "dropped"); out.append((num, "PORT"))
        put(rng.choice([";", "then", "and"]))
    return [w for w, _ in out], [t for _, t in out]


def unique_lines(n, seed):
    rng, seen, lines = random.Random(seed), set(), []
    while len(lines) < n:
        words, tags = make_line(rng)
        if tuple(words) not in seen:
            seen.add(tuple(words))
            lines.append((words, tags))
    return lines


lines = unique_lines(2400, 5)
train_lines, eval_lines = lines[:1800], lines[1800:]
vocab = {w: i + 2 for i, w in enumerate(sorted({w for ws, _ in train_lines for w in ws}))}


def encode(pairs):
    return [{"input_ids": [vocab.get(w, UNK) for w in ws], "labels": [TAG_ID[t] for t in ts]} for ws, ts in pairs]


def collate(rows):
    width = max(len(r["input_ids"]) for r in rows)
    ids = torch.full((len(rows), width), PAD)
    labels = torch.full((len(rows), width), -100)
    for i, r in enumerate(rows):
        k = len(r["input_ids"])
        ids[i, :k] = torch.tensor(r["input_ids"])
        labels[i, :k] = torch.tensor(r["labels"])
    return {"input_ids": ids, "attention_mask": (ids != PAD).long(), "labels": labels}


class LogTaggerConfig(PretrainedConfig):
    model_type = "log_tagger"

    def __init__(self, vocab_size=256, dim=48, num_labels=6, **kw):
        super().__init__(num_labels=num_labels, **kw)
        self.vocab_size, self.dim = vocab_size, dim


class LogTagger(PreTrainedModel):
    config_class = LogTaggerConfig

    def __init__(self, config):
        super().__init__(config)
        self.embed = nn.Embedding(config.vocab_size, config.dim, padding_idx=PAD)
        self.drop = nn.Dropout(0.1)
        self.lstm = nn.LSTM(config.dim, config.dim, batch_first=True, bidirectional=True)
        self.classifier = nn.Linear(2 * config.dim, config.num_labels)
        self.post_init()

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            nn.init.zeros_(module.bias)

    def forward(self, input_ids, attention_mask=None, labels=None):
        x = self.drop(self.embed(input_ids))
        lengths = attention_mask.sum(1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        h, _state = self.lstm(packed)
        h, _len = nn.utils.rnn.pad_packed_sequence(h, batch_first=True, total_length=input_ids.size(1))
        logits = self.classifier(self.drop(h))
        loss = None
        if labels is not None:
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100)
        return TokenClassifierOutput(loss=loss, logits=logits)


def compute_metrics(p):
    pred, gold = p.predictions.argmax(-1), p.label_ids
    keep = gold != -100
    ent = keep & (gold != 0)
    return {"token_acc": float((pred[keep] == gold[keep]).mean()),
            "entity_recall": float((pred[ent] == gold[ent]).mean())}


args = TrainingArguments(
    output_dir=tempfile.mkdtemp(prefix="logtags_"), num_train_epochs=3, per_device_train_batch_size=16,
    per_device_eval_batch_size=128, learning_rate=5e-3, weight_decay=0.01, warmup_steps=30,
    lr_scheduler_type="linear", logging_steps=60, eval_strategy="epoch", save_strategy="no",
    report_to="none", disable_tqdm=True, use_cpu=True, seed=99)

trainer = Trainer(model=LogTagger(LogTaggerConfig(vocab_size=len(vocab) + 2)), args=args,
                  train_dataset=encode(train_lines), eval_dataset=encode(eval_lines),
                  data_collator=collate, compute_metrics=compute_metrics)
trainer.train()
final = trainer.evaluate()
o_share = np.mean([t == "O" for _, ts in eval_lines for t in ts])
print(f"token accuracy {final['eval_token_acc']:.4f} (all-O {o_share:.4f}), "
      f"entity recall {final['eval_entity_recall']:.4f} (all-O 0.0000)")
