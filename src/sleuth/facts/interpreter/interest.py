"""What must stand in code for it to be worth an abstract run: most code does not train anything."""

from sleuth.facts.words import Pattern

# Code without any of these words holds nothing that a lint rule looks at.
INTERESTING = Pattern(
    r"torch|sklearn|\bnn\.|jax|optax|loss|backward|DataLoader|train_test_split|optim|fit\(|gymnasium|gamma|reward"
)
# Of functions that nobody in the file calls, only those are run that hold one of these.
WORTH_RUNNING = Pattern(
    r"backward|\.step\(|zero_grad|softmax|[Ll]oss|\bfit|split\(|DataLoader|no_grad|inference_mode|\.eval\(|"
    r"detach|\.data\b|\.item\(|\blog\w*\(|exp\(|sqrt\(|\.view\(|reshape\(|\bdef forward|__getitem__|__call__|"
    r"__iter__|collate|Dataset\b|imread|read_image|Image\.open|uint8|astype|shuffle|permut|\brand|random\.|"
    r"transforms\b|\.transform\(|listdir|glob\(|state_dict|init\.\w+_\(|\.(?:zeros|ones|fill|constant)_\(|seed|"
    r"reward|gamma|\bdones?\b|sum\(|norm\(|BatchNorm|std\(|mean\(|[Dd]ropout|\.grad\b|optim|nn\.Sequential|"
    r"terminated|truncated|argmax|round\(|[<>]=?\s*0?\.\d|"
    r"\.train\(|sigmoid|\.load\(|cross_val|\benv\.|\bexcept\b"
)
# A function that does this is looked at inside the loops of whoever calls it.
TRAINS = Pattern(r"\.backward\(|\.step\(|zero_grad\(")

# What code must mention to matter to any rule: numbers, models, data, randomness, or the handing on of them.
WORTH_FOLLOWING = Pattern(
    r"torch|\bnn\b|\bF\.|\bnp\.|numpy|jax|jnp|sklearn|pandas|pd\.|loss|grad|optim|model|\bnet|train|eval|split|fit|"
    r"load|data|batch|seed|scal|norm|layer|forward|return|yield|append|self\."
)

# A function of another file is followed for what it does to models and data, not for its housekeeping.
WORTH_FOLLOWING_ABROAD = Pattern(
    WORTH_RUNNING.pattern
    + r"|\bnn\.\w|\btorch\.\w|\boptim\.|\bnp\.\w|sklearn|Tensor\b|def __init__\(self[^)]*\):\s+super"
)
