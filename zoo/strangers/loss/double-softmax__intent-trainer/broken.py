"""Intent classifier for a banking chat bot, fine-grained (60 intents), trained with the HF Trainer."""
import os
import random
import tempfile

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["WANDB_DISABLED"] = "true"

import numpy as np
import torch
from torch import nn
from transformers import Trainer, TrainingArguments, set_seed

set_seed(42)

VERBS = {"activate": ["activate", "enable", "start"], "block": ["block", "freeze", "lock"],
         "close": ["close", "terminate", "end"], "check": ["check", "see", "view"],
         "change": ["change", "update", "edit"], "order": ["order", "request", "get"]}
OBJECTS = {"card": ["card", "visa"], "account": ["account", "profile"], "limit": ["limit", "cap"],
           "pin": ["pin", "code"], "loan": ["loan", "credit"], "statement": ["statement", "report"],
           "transfer": ["transfer", "payment"], "insurance": ["insurance", "cover"], "rate": ["rate", "fee"],
           "alert": ["alert", "notice"]}
FILLER = "please i would like to can you help me my the a now today for with and it is how do want".split()
INTENTS = [f"{v}_{o}" for v in VERBS for o in OBJECTS]


def sample_utterance(rng):
    verb, obj = rng.choice(list(VERBS)), rng.choice(list(OBJECTS))
    words = rng.choices(FILLER, k=rng.randint(3, 7))
    words.insert(rng.randint(0, len(words)), rng.choice(VERBS[verb]))
    words.insert(rng.randint(0, len(words)), rng.choice(OBJECTS[obj]))
    return " ".join(words), INTENTS.index(f"{verb}_{obj}")


class WordTokenizer:
    def __init__(self, texts):
        words = sorted({w for t in texts for w in t.split()})
        self.index = {"[PAD]": 0, "[UNK]": 1, **{w: i + 2 for i, w in enumerate(words)}}

    def __call__(self, text):
        return [self.index.get(w, 1) for w in text.split()]


def collate(features):
    width = max(len(f["input_ids"]) for f in features)
    ids = torch.zeros(len(features), width, dtype=torch.long)
    for i, f in enumerate(features):
        ids[i, :len(f["input_ids"])] = torch.tensor(f["input_ids"])
    return {"input_ids": ids, "attention_mask": (ids != 0).long(),
            "labels": torch.tensor([f["labels"] for f in features])}


class ClassificationHead(nn.Module):
    def __init__(self, dim, n_labels, p=0.1):
        super().__init__()
        self.dense = nn.Linear(dim, dim)
        self.drop = nn.Dropout(p)
        self.out_proj = nn.Linear(dim, n_labels)

    def forward(self, pooled):
        h = self.drop(torch.tanh(self.dense(pooled)))
        return torch.softmax(self.out_proj(h), dim=-1)


class IntentModel(nn.Module):
    def __init__(self, vocab, n_labels, dim=48):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        layer = nn.TransformerEncoderLayer(dim, 4, 96, dropout=0.1, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.head = ClassificationHead(dim, n_labels)
        self.loss_fct = nn.CrossEntropyLoss()

    def forward(self, input_ids, attention_mask, labels=None):
        h = self.encoder(self.embed(input_ids), src_key_padding_mask=attention_mask == 0)
        m = attention_mask.unsqueeze(-1).float()
        logits = self.head((h * m).sum(1) / m.sum(1))
        out = {"logits": logits}
        if labels is not None:
            out = {"loss": self.loss_fct(logits, labels), "logits": logits}
        return out


def compute_metrics(pred):
    hat = np.argmax(pred.predictions, axis=-1)
    return {"accuracy": float((hat == pred.label_ids).mean())}


def main():
    rng = random.Random(42)
    rows = [sample_utterance(rng) for _ in range(3000)]
    rows = list(dict.fromkeys(rows))
    cut = len(rows) * 5 // 6
    tok = WordTokenizer(t for t, _ in rows[:cut])
    encode = lambda part: [{"input_ids": tok(t), "labels": y} for t, y in part]
    train_ds, eval_ds = encode(rows[:cut]), encode(rows[cut:])

    model = IntentModel(len(tok.index), len(INTENTS))
    with tempfile.TemporaryDirectory() as tmp:
        args = TrainingArguments(
            output_dir=tmp, num_train_epochs=8, per_device_train_batch_size=32, per_device_eval_batch_size=256,
            learning_rate=2e-3, warmup_steps=40, weight_decay=0.01, lr_scheduler_type="linear",
            logging_steps=100, save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True,
            remove_unused_columns=False, seed=42, dataloader_num_workers=0)
        trainer = Trainer(model=model, args=args, train_dataset=train_ds, eval_dataset=eval_ds,
                          data_collator=collate, compute_metrics=compute_metrics)
        trainer.train()
        metrics = trainer.evaluate()
    print(f"eval accuracy over {len(INTENTS)} intents: {metrics['eval_accuracy']:.3f}")


if __name__ == "__main__":
    main()
