import torch
import torch.nn.functional as F
from transformers import Trainer


class DistilTrainer(Trainer):
    def __init__(self, *args, teacher=None, T=2.0, alpha=0.5, **kwargs):
        super().__init__(*args, **kwargs)
        self.teacher = teacher.to(self.model.device).eval()
        self.T, self.alpha = T, alpha

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        out = model(**inputs)
        with torch.no_grad():
            t_logits = self.teacher(**inputs).logits
        kd = F.kl_div(F.log_softmax(out.logits / self.T, dim=-1), F.softmax(t_logits / self.T, dim=-1),
                      reduction="batchmean") * self.T ** 2
        loss = self.alpha * kd + (1 - self.alpha) * out.loss
        return (loss, out) if return_outputs else loss
