import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from datos import INI, REL


class Traductor(nn.Module):
    """GRU bidireccional -> atención -> GRU. `forward` con maestro (teacher forcing), `escribir` a solas."""

    def __init__(self, n_ent, n_sal, d=24, h=40):
        super().__init__()
        self.emb_e = nn.Embedding(n_ent, d, padding_idx=REL)
        self.emb_s = nn.Embedding(n_sal, d, padding_idx=REL)
        self.lector = nn.GRU(d, h, batch_first=True, bidirectional=True)
        self.puente = nn.Linear(2 * h, h)
        self.celda = nn.GRUCell(d + 2 * h, h)
        self.pregunta = nn.Linear(h, 2 * h, bias=False)
        self.salida = nn.Linear(3 * h, n_sal)

    def leer(self, x, largo):
        emp = pack_padded_sequence(self.emb_e(x), largo, batch_first=True, enforce_sorted=False)
        estados, ult = self.lector(emp)
        estados, _ = pad_packed_sequence(estados, batch_first=True, total_length=x.shape[1])
        h0 = torch.tanh(self.puente(torch.cat([ult[0], ult[1]], 1)))
        return estados, h0, x == REL

    def paso(self, letra, h, contexto, estados, tapado):
        h = self.celda(torch.cat([self.emb_s(letra), contexto], 1), h)
        nota = torch.einsum("bh,bth->bt", self.pregunta(h), estados) / estados.shape[-1] ** 0.5
        peso = nota.masked_fill(tapado, float("-inf")).softmax(1)
        contexto = torch.einsum("bt,bth->bh", peso, estados)
        return self.salida(torch.cat([h, contexto], 1)), h, contexto

    def forward(self, x, largo, y):
        estados, h, tapado = self.leer(x, largo)
        contexto = torch.zeros_like(estados[:, 0])
        antes = torch.cat([torch.full_like(y[:, :1], INI), y[:, :-1]], 1)      # la letra anterior verdadera
        notas = []
        for k in range(y.shape[1]):
            n, h, contexto = self.paso(antes[:, k], h, contexto, estados, tapado)
            notas.append(n)
        return torch.stack(notas, 1)

    @torch.no_grad()
    def escribir(self, x, largo, max_letras=12):
        """sin ver la respuesta: cada letra es la que la propia red acaba de escribir"""
        estados, h, tapado = self.leer(x, largo)
        contexto = torch.zeros_like(estados[:, 0])
        letra = torch.full((len(x),), INI)
        hecho = []
        for _ in range(max_letras):
            n, h, contexto = self.paso(letra, h, contexto, estados, tapado)
            letra = n.argmax(1)
            hecho.append(letra)
        return torch.stack(hecho, 1)
