"""The trainers that people use, each cut to a few steps: what they train is read at the model's door."""

from pathlib import Path

import pytest

from sleuth.record.entries import Record, Trouble
from sleuth.record.token_entries import Adapters, Generation, TokenBatch
from tests.language.tiny import HEAD
from tests.watching.recording import watched

pytestmark = pytest.mark.slow

USUAL = 'report_to=[], use_cpu=True, save_strategy="no", disable_tqdm=True, per_device_train_batch_size=4'
OF_TRL = f"{USUAL}, max_length=48, bf16=False, max_steps=2"


def seen(folder: Path, body: str) -> Record:
    record = watched(folder, HEAD + body.replace("OUT", repr(str(folder / "out"))), level="default").record
    assert [one.text for one in record.of(Trouble)] == []
    return record


def trained(record: Record) -> TokenBatch:
    return next(batch for batch in record.of(TokenBatch) if batch.phase == "train")


def test_the_trainer_of_transformers(tmp_path: Path) -> None:
    record = seen(
        tmp_path,
        f"""
from transformers import Trainer, TrainingArguments, DataCollatorForLanguageModeling
tok = tokenizer(); m = model(tok)
rows = [tok(q + tok.eos_token) for q in QUESTIONS]
args = TrainingArguments(OUT, max_steps=2, {USUAL})
Trainer(m, args, DataCollatorForLanguageModeling(tok, mlm=False), rows).train()
""",
    )
    batch = trained(record)
    assert (batch.seen_by, batch.offset, batch.ended) == ("gradient", 1, 4)
    assert batch.specials_trained["1"] == 4


def test_fine_tuning_with_trl_and_adapters(tmp_path: Path) -> None:
    record = seen(
        tmp_path,
        f"""
from datasets import Dataset
from peft import LoraConfig
from trl import SFTConfig, SFTTrainer
tok = tokenizer(); m = model(tok)
data = Dataset.from_list([dict(prompt=q, completion=" " + a) for q, a in zip(QUESTIONS, ANSWERS)])
adapted = LoraConfig(r=2, target_modules=["c_attn"], task_type="CAUSAL_LM")
SFTTrainer(m, SFTConfig(OUT, {OF_TRL}), train_dataset=data, processing_class=tok, peft_config=adapted).train()
""",
    )
    batch = trained(record)
    assert (batch.seen_by, batch.offset, batch.last_trained) == ("gradient", 1, 4)
    assert batch.examples[0].targets[0] is None
    assert record.of(Adapters)[0].trainable == 2


def test_preferences_push_the_rejected_away(tmp_path: Path) -> None:
    record = seen(
        tmp_path,
        f"""
from datasets import Dataset
from trl import DPOConfig, DPOTrainer
tok = tokenizer(); m = model(tok)
data = Dataset.from_list([dict(prompt=q, chosen=" " + a, rejected=" no") for q, a in zip(QUESTIONS, ANSWERS)])
DPOTrainer(m, model(tok), DPOConfig(OUT, {OF_TRL}), train_dataset=data, processing_class=tok).train()
""",
    )
    batch = trained(record)
    assert batch.trained is not None
    assert 0 < batch.pushed_away < batch.trained


def test_rewards_with_trl(tmp_path: Path) -> None:
    record = seen(
        tmp_path,
        f"""
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer
tok = tokenizer(); m = model(tok)
data = Dataset.from_list([dict(prompt=q) for q in QUESTIONS])
args = GRPOConfig(OUT, num_generations=4, max_completion_length=6, bf16=False, max_steps=1, {USUAL})
def reward(completions, **_):
    return [float(len(one)) for one in completions]
GRPOTrainer(m, reward, args, data, processing_class=tok).train()
""",
    )
    assert record.of(Generation)[0].new_tokens == 6
    assert trained(record).seen_by == "gradient"
