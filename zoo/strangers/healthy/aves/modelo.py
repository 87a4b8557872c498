import torch
from torch import nn


class RedPoisson(nn.Module):
    """Devuelve el logaritmo del conteo esperado: log(tasa por minuto) + log(minutos).

    El esfuerzo entra como *offset* con coeficiente fijo 1, al modo de un GLM, y no como una variable más.
    """

    def __init__(self, n_continuas, n_habitats, tasa_media, oculto=48):
        super().__init__()
        self.emb = nn.Embedding(n_habitats, 4)
        self.tronco = nn.Sequential(
            nn.Linear(n_continuas + 4, oculto), nn.SiLU(),
            nn.Linear(oculto, oculto), nn.SiLU(),
        )
        self.cabeza = nn.Linear(oculto, 1)
        with torch.no_grad():
            self.cabeza.bias.fill_(float(torch.log(torch.as_tensor(tasa_media))))

    def forward(self, x, habitat, log_min):
        h = self.tronco(torch.cat([x, self.emb(habitat)], dim=1))
        return self.cabeza(h).squeeze(1) + log_min
