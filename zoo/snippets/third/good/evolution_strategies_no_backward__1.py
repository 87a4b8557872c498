import torch


@torch.no_grad()
def es_step(model, fitness, sigma=0.02, lr=0.01, n=50):
    flat = torch.nn.utils.parameters_to_vector(model.parameters())
    eps = torch.randn(n, flat.numel())
    scores = []
    for e in eps:
        torch.nn.utils.vector_to_parameters(flat + sigma * e, model.parameters())
        scores.append(fitness(model))
    scores = torch.tensor(scores)
    scores = (scores - scores.mean()) / (scores.std() + 1e-8)
    flat = flat + lr / (n * sigma) * (eps.T @ scores)
    torch.nn.utils.vector_to_parameters(flat, model.parameters())
    return scores
