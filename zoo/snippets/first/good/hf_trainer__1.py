import numpy as np
from datasets import load_dataset
from transformers import (AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding, Trainer,
                          TrainingArguments, set_seed)

set_seed(42)
raw = load_dataset("glue", "mrpc")
tok = AutoTokenizer.from_pretrained("bert-base-cased")
ds = raw.map(lambda e: tok(e["sentence1"], e["sentence2"], truncation=True), batched=True)
model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased", num_labels=2)


def metrics(p):
    return {"accuracy": float((np.argmax(p.predictions, axis=1) == p.label_ids).mean())}


args = TrainingArguments("out", learning_rate=2e-5, per_device_train_batch_size=16, num_train_epochs=3,
                         gradient_accumulation_steps=2, eval_strategy="epoch", save_strategy="epoch",
                         load_best_model_at_end=True, weight_decay=0.01, seed=42)
trainer = Trainer(model, args, train_dataset=ds["train"], eval_dataset=ds["validation"],
                  data_collator=DataCollatorWithPadding(tok), compute_metrics=metrics)
trainer.train()
print(trainer.evaluate())
