"""The door of language models, with models made by hand: what is fed, what is trained, what is written."""

from pathlib import Path

import pytest
import torch

from sleuth.record.entries import Record, Trouble
from sleuth.record.token_entries import Generation, LanguageModel, TokenBatch, TokenTexts, TrainedTokens
from sleuth.watching.state import State
from sleuth.watching.tokens import guarded
from sleuth.watching.writer import Writer
from tests.language.tiny import HEAD
from tests.watching.recording import bare, watched

GPT = """
text = "the quick brown fox jumps over the lazy dog. " * 20
stoi = {letter: at for at, letter in enumerate(sorted(set(text)))}
data = torch.tensor([stoi[letter] for letter in text])
class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(len(stoi), 16)
        self.rnn = nn.GRU(16, 16, batch_first=True)
        self.head = nn.Linear(16, len(stoi))
    def forward(self, ids):
        return self.head(self.rnn(self.table(ids))[0])
net = GPT()
optimizer = torch.optim.AdamW(net.parameters(), 1e-2)
for step in range(5):
    at = torch.randint(len(data) - 13, (4,))
    x = torch.stack([data[i:i + 12] for i in at]); y = torch.stack([data[i + 1:i + 13] for i in at])
    loss = LOSS
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""
PLAIN = "F.cross_entropy(net(x).flatten(0, 1), y.flatten())"
WRITE = """
net.eval()
with torch.no_grad():
    ids = data[:6].unsqueeze(0)
    for _ in range(9):
        ids = torch.cat([ids, net(ids)[:, -1].argmax(-1, keepdim=True)], 1)
"""


def seen(folder: Path, source: str, level: str = "default") -> Record:
    record = watched(folder, source, level).record
    assert [one.text for one in record.of(Trouble)] == []
    return record


def test_a_loop_by_hand_is_read_token_by_token(tmp_path: Path) -> None:
    record = seen(tmp_path, GPT.replace("LOSS", PLAIN))
    first = record.of(TokenBatch)[0]
    row = first.examples[0]
    assert (first.shape, first.phase, first.offset, first.trained) == ((4, 12), "train", 1, 48)
    assert row.targets[:-1] == row.ids[1:]
    texts = record.of(TokenTexts)[0].texts
    assert "".join(texts[str(one)] for one in row.ids) in "the quick brown fox jumps over the lazy dog. " * 2
    assert record.of(LanguageModel)[0].embedding_rows == 28
    (summed,) = record.of(TrainedTokens)
    assert summed.targets == 5 * 48


def test_what_weighs_nothing_is_not_trained(tmp_path: Path) -> None:
    weighted = """(F.cross_entropy(net(x).flatten(0, 1), y.flatten(), reduction="none")
            * torch.tensor([0.0] * 5 + [1.0] * 5 + [0.5] * 2).repeat(4)).sum()"""
    row = seen(tmp_path, GPT.replace("LOSS", weighted)).of(TokenBatch)[0].examples[0]
    assert [target is not None for target in row.targets] == [False] * 5 + [True] * 7
    assert row.weights[5:] == pytest.approx([1.0] * 5 + [0.5] * 2, abs=0.01)


def test_a_loss_written_by_hand_is_read_as_well(tmp_path: Path) -> None:
    by_hand = "-net(x).log_softmax(-1).gather(-1, y.unsqueeze(-1)).mean()"
    batch = seen(tmp_path, GPT.replace("LOSS", by_hand)).of(TokenBatch)[0]
    assert (batch.seen_by, batch.offset, batch.trained) == ("gradient", 1, 48)


def test_a_loop_that_writes_is_seen(tmp_path: Path) -> None:
    record = seen(tmp_path, GPT.replace("LOSS", PLAIN) + WRITE)
    (made,) = record.of(Generation)
    assert (made.by, made.prompt_length, made.new_tokens) == ("loop", 6, 8)  # the last is fed to nobody
    assert [batch.phase for batch in record.of(TokenBatch)][-1] == "generate"


def test_evaluation_is_told_from_writing(tmp_path: Path) -> None:
    evaluation = """
net.eval()
with torch.no_grad():
    for at in (0, 20, 40, 60):
        F.cross_entropy(net(data[at:at + 12].unsqueeze(0))[0], data[at + 1:at + 13])
"""
    record = seen(tmp_path, GPT.replace("LOSS", PLAIN) + evaluation)
    held_out = [batch for batch in record.of(TokenBatch) if batch.phase == "eval"]
    assert [batch.seen_by for batch in held_out] == ["loss"] * 4
    assert record.of(Generation) == ()


def test_a_long_text_is_kept_without_its_middle(tmp_path: Path) -> None:
    long = """
net = nn.Sequential(nn.Embedding(50, 2), nn.Linear(2, 50))
ids = torch.randint(50, (1, 100_000))
F.cross_entropy(net(ids)[0, :-1], ids[0, 1:]).backward()
"""
    row = seen(tmp_path, long).of(TokenBatch)[0].examples[0]
    assert (row.length, len(row.ids), row.head) == (100_000, 640, 512)


def test_a_model_without_storage_and_columns_of_categories_are_left_alone(tmp_path: Path) -> None:
    odd = """
with torch.device("meta"):
    net = nn.Sequential(nn.Embedding(50, 4), nn.Linear(4, 50))
    net(torch.zeros(2, 9, dtype=torch.long))
table = nn.Embedding(9, 4)
class Users(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = table
    def forward(self, ids):
        return self.table(ids).sum(-1)
Users()(torch.arange(9)).sum().backward()
"""
    assert seen(tmp_path, odd).of(TokenBatch) == ()


def test_a_default_device_of_the_script_is_none_of_the_counts() -> None:
    torch.set_default_device("meta")
    try:
        with guarded(State(Writer(Path("/dev/null")), "default")):
            assert torch.tensor([1]).device.type == "cpu"
    finally:
        torch.set_default_device(None)


def test_a_watched_model_computes_the_same(tmp_path: Path) -> None:
    source = GPT.replace("LOSS", PLAIN) + WRITE + "\nstate = torch.get_rng_state()\n"
    alone, under_watch = bare(tmp_path, source), watched(tmp_path, source, "default").names
    weights = zip(alone["net"].parameters(), under_watch["net"].parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in weights)
    for name in ("state", "ids", "loss"):
        assert torch.equal(alone[name], under_watch[name])


def test_generate_of_transformers_is_seen_with_its_settings(tmp_path: Path) -> None:
    body = """
tok = tokenizer(); m = model(tok, "llama").eval()
batch = tok(["one", "what is one"], return_tensors="pt", padding=True, padding_side="left")
ids, mask = batch["input_ids"], batch["attention_mask"]
m.generate(input_ids=ids, attention_mask=mask, max_new_tokens=3, do_sample=False)
"""
    record = seen(tmp_path, HEAD + body)
    (made,) = record.of(Generation)
    assert (made.by, made.rows, made.new_tokens, made.settings["max_new_tokens"]) == ("generate", 2, 3, 3)
    assert made.pad_left > 0
    assert made.prompts[0].attended[0] == 0
