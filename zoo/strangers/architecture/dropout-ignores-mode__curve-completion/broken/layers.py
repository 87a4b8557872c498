import torch.nn as nn
import torch.nn.functional as F


class MLP(nn.Sequential):
    def __init__(self, *widths):
        mods = []
        for a, b in zip(widths[:-2], widths[1:-1]):
            mods += [nn.Linear(a, b), nn.GELU()]
        super().__init__(*mods, nn.Linear(widths[-2], widths[-1]))


class MultiheadAttend(nn.Module):
    """Attention of `q` (B, M, D) over `kv` (B, N, D)."""

    def __init__(self, dim, heads, p_drop):
        super().__init__()
        assert dim % heads == 0
        self.heads, self.p_drop = heads, p_drop
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, 2 * dim, bias=False)
        self.proj = nn.Linear(dim, dim)

    def _heads(self, t):
        b, n, d = t.shape
        return t.view(b, n, self.heads, d // self.heads).transpose(1, 2)

    def forward(self, q, kv):
        k, v = self.to_kv(kv).chunk(2, dim=-1)
        q, k, v = self._heads(self.to_q(q)), self._heads(k), self._heads(v)
        out = F.scaled_dot_product_attention(q, k, v, dropout_p=self.p_drop)
        return self.proj(out.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, dim, heads, p_drop):
        super().__init__()
        self.norm_q, self.norm_kv, self.norm_ff = nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attend = MultiheadAttend(dim, heads, p_drop)
        self.ff = MLP(dim, 2 * dim, dim)
        self.resid_drop = nn.Dropout(0.02)

    def forward(self, x, ctx):
        x = x + self.resid_drop(self.attend(self.norm_q(x), self.norm_kv(ctx)))
        return x + self.resid_drop(self.ff(self.norm_ff(x)))
