import evaluate
import numpy as np
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments, set_seed

set_seed(13)
tok = AutoTokenizer.from_pretrained("distilbert-base-uncased")
ds = load_dataset("imdb").map(lambda b: tok(b["text"], truncation=True), batched=True)
split = ds["train"].train_test_split(0.1, seed=13, stratify_by_column="label")
model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=2)
metric = evaluate.load("accuracy")


def compute(p):
    return metric.compute(predictions=np.argmax(p.predictions, axis=1), references=p.label_ids)


args = TrainingArguments("out", learning_rate=2e-5, num_train_epochs=3, eval_strategy="epoch",
                         save_strategy="epoch", load_best_model_at_end=True, metric_for_best_model="accuracy")
trainer = Trainer(model, args, train_dataset=split["train"], eval_dataset=split["test"],
                  processing_class=tok, compute_metrics=compute)
trainer.train()
print(trainer.evaluate(ds["test"]))
