import numpy as np
from datasets import load_dataset
from transformers import (AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding,
                          Trainer, TrainingArguments, set_seed)

set_seed(42)
raw = load_dataset("glue", "mrpc")
tok = AutoTokenizer.from_pretrained("bert-base-uncased")


def preprocess(ex):
    return tok(ex["sentence1"], ex["sentence2"], truncation=True)


def compute_metrics(p):
    return {"accuracy": (np.argmax(p.predictions, axis=1) == p.label_ids).mean()}


data = raw.map(preprocess, batched=True)
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
args = TrainingArguments(
    "out", learning_rate=2e-5, per_device_train_batch_size=16, gradient_accumulation_steps=2,
    num_train_epochs=3, warmup_ratio=0.06, weight_decay=0.01, eval_strategy="epoch",
    save_strategy="epoch", load_best_model_at_end=True, metric_for_best_model="accuracy",
)
trainer = Trainer(
    model=model, args=args, train_dataset=data["train"], eval_dataset=data["validation"],
    data_collator=DataCollatorWithPadding(tok), compute_metrics=compute_metrics,
)
trainer.train()
print(trainer.evaluate(data["test"]))
