"""Dictionary learning: codes by a few inner steps, atoms by an optimizer, in turn."""
import torch

torch.manual_seed(10)
true = torch.nn.functional.normalize(torch.randn(12, 20), dim=1)
z_true = torch.randn(800, 12) * (torch.rand(800, 12) < 0.25)
X = z_true @ true + 0.02 * torch.randn(800, 20)

atoms = torch.nn.Parameter(torch.nn.functional.normalize(torch.randn(12, 20), dim=1))
opt = torch.optim.Adam([atoms], lr=2e-2)
for outer in range(120):
    rows = X[torch.randint(0, 700, (100,))]
    D = atoms.detach()
    code = torch.zeros(100, 12)
    L = torch.linalg.matrix_norm(D, 2) ** 2
    with torch.no_grad():
        for _ in range(15):
            code = code - (code @ D - rows) @ D.T / L
            code = torch.sign(code) * torch.relu(code.abs() - 0.03 / L)
    loss = ((code @ atoms - rows) ** 2).sum(1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        atoms.data = torch.nn.functional.normalize(atoms.data, dim=1)
    if outer % 20 == 0:
        print(outer, f"{loss.item():.4f}")
with torch.no_grad():
    code = X[700:] @ torch.linalg.pinv(atoms)
    print(f"reconstruction {1 - ((code @ atoms - X[700:]) ** 2).sum().item() / (X[700:] ** 2).sum().item():.3f}")
