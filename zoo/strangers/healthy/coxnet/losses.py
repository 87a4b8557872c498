import torch


def neg_log_partial_likelihood(log_risk, time, event):
    """Breslow partial likelihood. The risk set of subject i is everybody with time >= time_i."""
    order = torch.argsort(time, descending=True)
    log_risk, event = log_risk[order], event[order]
    log_denominator = torch.logcumsumexp(log_risk, dim=0)
    return -((log_risk - log_denominator) * event).sum() / event.sum().clamp(min=1)
