"""Hugging Face Trainer, a very small BERT from scratch: does the sentence praise or blame the dish?"""
import os
import random
import tempfile

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments, set_seed
from transformers.utils import logging as hf_logging

hf_logging.set_verbosity_error()

PAD, CLS, UNK = 0, 1, 2
GOOD, BAD = "tasty crisp lovely fresh perfect warm".split(), "soggy burnt bland stale awful cold".split()
DISH = "soup bread salad fish stew pie rice curry".split()
FILL = "today again really for us at lunch with friends we thought the".split()


def review(rng, positive):
    """the last 'but' clause decides; what stands before it says the opposite half of the time"""
    word = lambda pos: rng.choice(GOOD if pos else BAD)
    tail = ["the", rng.choice(DISH), "was", word(positive)] if rng.random() < 0.5 else \
        ["the", rng.choice(DISH), "was", "not", word(not positive)]
    head = []
    if rng.random() < 0.5:
        head = ["the", rng.choice(DISH), "was", word(rng.random() < 0.5), "but"]
    return head + tail + rng.sample(FILL, rng.randint(0, 3))


class Reviews(Dataset):
    def __init__(self, n, seed, vocab):
        rng = random.Random(seed)
        self.rows = []
        for i in range(n):
            label = i % 2
            ids = [CLS] + [vocab.get(w, UNK) for w in review(rng, bool(label))]
            self.rows.append({"input_ids": ids, "labels": label})

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def pad(rows):
    longest = max(len(r["input_ids"]) for r in rows)
    ids = torch.full((len(rows), longest), PAD)
    for i, r in enumerate(rows):
        ids[i, :len(r["input_ids"])] = torch.tensor(r["input_ids"])
    return {"input_ids": ids, "attention_mask": (ids != PAD).long(), "labels": torch.tensor([r["labels"] for r in rows])}


def metrics(pred):
    return {"accuracy": float((np.argmax(pred.predictions, axis=-1) == pred.label_ids).mean())}


class Show(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kw):
        keep = {k: round(float(v), 4) for k, v in logs.items() if k in ("loss", "eval_loss", "eval_accuracy", "learning_rate")}
        if keep:
            print(f"step {state.global_step:4d}", keep)


def main():
    set_seed(9)
    words = sorted(set(GOOD + BAD + DISH + FILL + "the was not but".split()))
    vocab = {w: i + 3 for i, w in enumerate(words)}
    train, val, test = Reviews(3000, 1, vocab), Reviews(500, 2, vocab), Reviews(500, 3, vocab)
    seen = {tuple(r["input_ids"]) for r in train.rows}
    val.rows = [r for r in val.rows if tuple(r["input_ids"]) not in seen]
    seen |= {tuple(r["input_ids"]) for r in val.rows}
    test.rows = [r for r in test.rows if tuple(r["input_ids"]) not in seen]
    print(f"train {len(train)}, val {len(val)}, test {len(test)}")

    config = BertConfig(vocab_size=len(vocab) + 3, hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
                        intermediate_size=96, max_position_embeddings=24, hidden_dropout_prob=0.05,
                        attention_probs_dropout_prob=0.05, pad_token_id=PAD, num_labels=2)
    model = BertForSequenceClassification(config)
    with tempfile.TemporaryDirectory() as out:
        args = TrainingArguments(output_dir=out, num_train_epochs=4, per_device_train_batch_size=32,
                                 per_device_eval_batch_size=128, learning_rate=2e-3, lr_scheduler_type="cosine",
                                 warmup_steps=50, weight_decay=0.01, logging_steps=94, eval_strategy="epoch", save_strategy="no",
                                 report_to="none", use_cpu=True, disable_tqdm=True, seed=9)
        trainer = Trainer(model=model, args=args, train_dataset=train, eval_dataset=val, data_collator=pad,
                          compute_metrics=metrics, callbacks=[Show()])
        trainer.pop_callback(next(c for c in trainer.callback_handler.callbacks if type(c).__name__ == "PrinterCallback"))
        trainer.train()
        final = trainer.predict(test).metrics
        print(f"test loss {final['test_loss']:.4f}  accuracy {final['test_accuracy']:.4f}")


if __name__ == "__main__":
    main()
