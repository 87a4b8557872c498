from .sampler import TripletSampler
from .simulate import simulate_interactions, leave_last_out
from .metrics import rank_metrics
from .net import FactorModel
