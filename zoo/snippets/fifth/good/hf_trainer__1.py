args = TrainingArguments("out", per_device_train_batch_size=16, num_train_epochs=3, learning_rate=2e-5, eval_strategy="epoch", load_best_model_at_end=True)
def compute_metrics(p):
    preds = np.argmax(p.predictions, axis=-1)
    return {"acc": (preds == p.label_ids).mean()}
trainer = Trainer(model=model, args=args, train_dataset=tok["train"], eval_dataset=tok["validation"], compute_metrics=compute_metrics)
trainer.train()
print(trainer.evaluate(tok["test"]))
