"""Instruction-tuning in miniature: a causal transformer learns to answer `sort these digits` prompts.

Each training example is  <bos> d d d d d <sep> answer... <eos>.  Only the answer part contributes to the loss.
"""
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

PAD, BOS, SEP, EOS, OFFSET = 0, 1, 2, 3, 4
IGNORE_INDEX = -100


@dataclass
class Args:
    n_digits: int = 6          # size of the digit alphabet
    min_len: int = 3
    max_len: int = 5
    n_train: int = 3000
    n_val: int = 300
    d_model: int = 48
    n_heads: int = 4
    n_layers: int = 2
    epochs: int = 12
    batch_size: int = 100
    lr: float = 3e-3
    seed: int = 1234


def generate_prompts(args: Args, generator: torch.Generator) -> list[tuple[int, ...]]:
    seen: set[tuple[int, ...]] = set()
    while len(seen) < args.n_train + args.n_val:
        n = int(torch.randint(args.min_len, args.max_len + 1, (1,), generator=generator))
        seen.add(tuple(torch.randint(0, args.n_digits, (n,), generator=generator).tolist()))
    prompts = sorted(seen)
    order = torch.randperm(len(prompts), generator=generator).tolist()
    return [prompts[i] for i in order]


class SortInstructions(Dataset):
    def __init__(self, prompts: list[tuple[int, ...]]):
        self.prompts = prompts

    def __len__(self) -> int:
        return len(self.prompts)

    def __getitem__(self, idx: int) -> dict[str, list[int]]:
        digits = list(self.prompts[idx])
        prompt = [BOS] + [d + OFFSET for d in digits] + [SEP]
        answer = [d + OFFSET for d in sorted(digits)] + [EOS]
        input_ids = prompt
        input_ids += answer
        labels = [IGNORE_INDEX] * len(prompt) + input_ids[len(prompt):]
        return {"input_ids": input_ids, "labels": labels}


def collate(features: list[dict[str, list[int]]]) -> dict[str, torch.Tensor]:
    width = max(len(f["input_ids"]) for f in features)
    ids = torch.full((len(features), width), PAD)
    labels = torch.full((len(features), width), IGNORE_INDEX)
    for row, f in enumerate(features):
        ids[row, : len(f["input_ids"])] = torch.tensor(f["input_ids"])
        labels[row, : len(f["labels"])] = torch.tensor(f["labels"])
    return {"input_ids": ids, "labels": labels}


class TinyCausalLM(nn.Module):
    def __init__(self, args: Args):
        super().__init__()
        vocab = OFFSET + args.n_digits
        self.tok = nn.Embedding(vocab, args.d_model, padding_idx=PAD)
        self.pos = nn.Embedding(2 * args.max_len + 3, args.d_model)
        layer = nn.TransformerEncoderLayer(
            args.d_model, args.n_heads, 4 * args.d_model, dropout=0.0, batch_first=True, norm_first=True
        )
        self.blocks = nn.TransformerEncoder(layer, args.n_layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(args.d_model)
        self.head = nn.Linear(args.d_model, vocab)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        t = ids.size(1)
        mask = nn.Transformer.generate_square_subsequent_mask(t)
        h = self.tok(ids) + self.pos(torch.arange(t))
        return self.head(self.norm(self.blocks(h, mask=mask, is_causal=True)))


def lm_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Token-averaged loss; the target of position t is the label at t + 1."""
    shifted, target = logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten()
    total = F.cross_entropy(shifted, target, ignore_index=IGNORE_INDEX, reduction="sum")
    return total / (target != IGNORE_INDEX).sum().clamp(min=1)


@torch.no_grad()
def exact_match(model: nn.Module, prompts: list[tuple[int, ...]]) -> float:
    """Greedy decoding, one length bucket at a time so that no padding is needed."""
    model.eval()
    hits = 0
    for n in sorted({len(p) for p in prompts}):
        bucket = torch.tensor([p for p in prompts if len(p) == n]) + OFFSET
        ids = F.pad(F.pad(bucket, (1, 0), value=BOS), (0, 1), value=SEP)
        for _ in range(n + 1):
            ids = torch.cat([ids, model(ids)[:, -1].argmax(-1, keepdim=True)], dim=1)
        expected = F.pad(bucket.sort(dim=1).values, (0, 1), value=EOS)
        hits += (ids[:, n + 2:] == expected).all(dim=1).sum().item()
    return hits / len(prompts)


def main() -> None:
    args = Args()
    torch.manual_seed(args.seed)
    prompts = generate_prompts(args, torch.Generator().manual_seed(args.seed))
    train_prompts, val_prompts = prompts[: args.n_train], prompts[args.n_train:]
    loader = DataLoader(SortInstructions(train_prompts), args.batch_size, shuffle=True, collate_fn=collate)
    model = TinyCausalLM(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)
    total_steps = args.epochs * len(loader)
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min(1.0, (s + 1) / 30) * (0.55 + 0.45 * math.cos(math.pi * s / total_steps))
    )
    for epoch in range(args.epochs):
        model.train()
        epoch_loss = 0.0
        for batch in loader:
            loss = lm_loss(model(batch["input_ids"]), batch["labels"])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            scheduler.step()
            epoch_loss += loss.item()
        print(f"epoch {epoch + 1:2d} | train loss {epoch_loss / len(loader):.4f}")
    print(f"exact match on held-out prompts: {exact_match(model, val_prompts):.3f}")


if __name__ == "__main__":
    main()
