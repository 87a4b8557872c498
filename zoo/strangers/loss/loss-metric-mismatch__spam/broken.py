# Filtro de spam: bolsa de palabras con embeddings (textos sintéticos)
import random
import torch
import torch.nn as nn
from torch.utils.data import DataLoader

SEMILLA = 8
random.seed(SEMILLA)
torch.manual_seed(SEMILLA)

COMUNES = """hola mañana reunión informe equipo proyecto gracias favor cliente fecha adjunto llamada oficina
viernes lunes horario cuenta pago servicio oferta nuevo semana equipo correo mensaje enlace plan""".split()
SPAM = "gratis premio ganador urgente crédito millonario descuento sorteo clic dinero".split()
NORMAL = "acta presupuesto calendario borrador revisión contrato almuerzo vacaciones factura entrega".split()


def mensaje(es_spam):
    largo = random.randint(8, 20)
    propias, ajenas = (SPAM, NORMAL) if es_spam else (NORMAL, SPAM)
    palabras = []
    for _ in range(largo):
        r = random.random()
        if r < 0.28:
            palabras.append(random.choice(propias))
        elif r < 0.33:
            palabras.append(random.choice(ajenas))
        else:
            palabras.append(random.choice(COMUNES))
    return " ".join(palabras)


def corpus(n):
    datos = [(mensaje(i % 2 == 1), i % 2) for i in range(n)]
    random.shuffle(datos)
    return datos


entreno, validacion, prueba = corpus(4000), corpus(1000), corpus(1000)

vocab = {"<unk>": 0}
for texto, _ in entreno:
    for p in texto.split():
        vocab.setdefault(p, len(vocab))


def juntar(lote):
    ids, inicio, etiquetas = [], [], []
    for texto, y in lote:
        inicio.append(len(ids))
        ids += [vocab.get(p, 0) for p in texto.split()]
        etiquetas.append(float(y))
    return torch.tensor(ids), torch.tensor(inicio), torch.tensor(etiquetas)


class Filtro(nn.Module):
    def __init__(self, n_palabras, dim=16):
        super().__init__()
        self.emb = nn.EmbeddingBag(n_palabras, dim, mode="mean")
        self.salida = nn.Sequential(nn.Linear(dim, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, ids, inicio):
        return self.salida(self.emb(ids, inicio))


cargador = DataLoader(entreno, batch_size=50, shuffle=True, collate_fn=juntar)
cargador_val = DataLoader(validacion, batch_size=250, collate_fn=juntar)
cargador_prueba = DataLoader(prueba, batch_size=250, collate_fn=juntar)

red = Filtro(len(vocab))
criterio = nn.BCEWithLogitsLoss()
opt = torch.optim.Adam(red.parameters(), lr=5e-3, weight_decay=1e-4)
EPOCAS = 12
agenda = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=EPOCAS)


def evaluar(datos):
    red.eval()
    perdida = aciertos = 0.0
    n = 0
    with torch.no_grad():
        for ids, inicio, y in datos:
            logits = red(ids, inicio)
            perdida += criterio(logits.squeeze(1), y).item() * len(y)
            pred = (logits > 0).float()
            aciertos += (pred == y).float().mean().item() * len(y)
            n += len(y)
    return perdida / n, aciertos / n


for epoca in range(1, EPOCAS + 1):
    red.train()
    suma, n = 0.0, 0
    for ids, inicio, y in cargador:
        opt.zero_grad()
        perdida = criterio(red(ids, inicio).squeeze(1), y)
        perdida.backward()
        opt.step()
        suma += perdida.item() * len(y)
        n += len(y)
    agenda.step()
    pv, av = evaluar(cargador_val)
    print(f"época {epoca:2d} | pérdida {suma / n:.4f} | val {pv:.4f} | exactitud val {av:.3f}")

pp, ap = evaluar(cargador_prueba)
print(f"prueba: pérdida {pp:.4f}, exactitud {ap:.3f}")
