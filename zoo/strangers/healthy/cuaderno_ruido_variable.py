# %% [markdown]
# # Práctica 4 — Regresión con ruido que depende de la entrada
# La red predice media y varianza; la pérdida es la log-verosimilitud gaussiana negativa.

# %%
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEMILLA = 31
torch.manual_seed(SEMILLA)
azar = np.random.default_rng(SEMILLA)

# %% [markdown]
# ## Datos
# Sensores simulados: la señal es suave y el ruido crece con la primera variable.

# %%
n = 4000
x = azar.uniform(-2, 2, size=(n, 3)).astype(np.float32)
sigma_real = 0.04 + 0.10 * (x[:, 0] + 2)
y = np.sin(1.5 * x[:, 0]) + 0.5 * x[:, 1] * x[:, 2] + sigma_real * azar.normal(size=n)
y = y.astype(np.float32)

orden = azar.permutation(n)
i_ent, i_val, i_pru = np.split(orden, [2800, 3400])
media_x, desv_x = x[i_ent].mean(0), x[i_ent].std(0)
media_y, desv_y = y[i_ent].mean(), y[i_ent].std()


def tensores(indices):
    entradas = torch.from_numpy((x[indices] - media_x) / desv_x)
    salidas = torch.from_numpy((y[indices] - media_y) / desv_y).unsqueeze(1)
    return entradas, salidas


entrenamiento = DataLoader(TensorDataset(*tensores(i_ent)), batch_size=70, shuffle=True)
x_val, y_val = tensores(i_val)
x_pru, y_pru = tensores(i_pru)

# %% [markdown]
# ## Modelo

# %%
class RedGaussiana(nn.Module):
    def __init__(self, entradas, ocultas):
        super().__init__()
        self.tronco = nn.Sequential(
            nn.Linear(entradas, ocultas), nn.SiLU(),
            nn.Linear(ocultas, ocultas), nn.SiLU(),
        )
        self.media = nn.Linear(ocultas, 1)
        self.escala = nn.Linear(ocultas, 1)

    def forward(self, v):
        h = self.tronco(v)
        varianza = nn.functional.softplus(self.escala(h)) + 1e-4
        return self.media(h), varianza


red = RedGaussiana(3, 48)
perdida = nn.GaussianNLLLoss()
optimizador = torch.optim.Adam(red.parameters(), lr=4e-3)
plan = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizador, factor=0.5, patience=2)

# %% [markdown]
# ## Entrenamiento

# %%
historia = []
for epoca in range(30):
    red.train()
    acumulado = 0.0
    for entrada, objetivo in entrenamiento:
        optimizador.zero_grad()
        media, varianza = red(entrada)
        p = perdida(media, objetivo, varianza)
        p.backward()
        optimizador.step()
        acumulado += p.item() * len(entrada)
    red.eval()
    with torch.no_grad():
        media_val, varianza_val = red(x_val)
        p_val = perdida(media_val, y_val, varianza_val).item()
    plan.step(p_val)
    historia.append((acumulado / len(i_ent), p_val))
    if epoca % 5 == 4:
        print(f"época {epoca + 1:2d}: entrenamiento {historia[-1][0]:+.3f}, validación {p_val:+.3f}")

# %% [markdown]
# ## Prueba: error y cobertura de los intervalos al 90 %

# %%
red.eval()
with torch.no_grad():
    media, varianza = red(x_pru)
sigma = varianza.sqrt()
cobertura = ((y_pru - media).abs() <= 1.645 * sigma).float().mean().item()
r2 = 1 - ((y_pru - media) ** 2).sum().item() / ((y_pru - y_pru.mean()) ** 2).sum().item()
correlacion = np.corrcoef(sigma.squeeze(1).numpy() * desv_y, sigma_real[i_pru])[0, 1]
print(f"R2 = {r2:.3f}; cobertura al 90 % = {cobertura:.3f}; correlación con el ruido real = {correlacion:.3f}")
