"""What must stand in code for it to be worth an abstract run: most code does not train anything."""

from sleuth.source.word_search import AnyOf, Pattern

# Code without any of these words holds nothing that a lint rule looks at.
INTERESTING = AnyOf(
    "torch sklearn loss optim backward DataLoader train_test_split fit( jax optax gymnasium gamma reward",
    {"nn.": r"\bnn\.", "gym.": r"\bgym\."},
)
# Pictures are prepared for training in files of their own, which name no framework.
READS_PICTURES = AnyOf("imread( Image.open(", {})
# Of functions that nobody in the file calls, only those are run that hold one of these (frequent ones first).
WORTH_RUNNING = AnyOf(
    "loss Loss entropy normalize( mean( sum( detach .view( reshape( .step( softmax norm( backward zero_grad "
    "__call__ optim state_dict seed split( DataLoader no_grad inference_mode .eval( .item( exp( sqrt( "
    "__getitem__ __iter__ collate imread read_image Image.open uint8 astype shuffle permut random. "
    ".transform( listdir glob( reward gamma BatchNorm std( dropout Dropout nn.Sequential terminated "
    "truncated argmax round( .train( sigmoid .load( cross_val .zeros_( .ones_( .fill_( .constant_(",
    {
        "fit": r"\bfit",
        "rand": r"\brand",
        "except": r"\bexcept\b",
        "def forward": r"\bdef forward",
        ".data": r"\.data\b",
        ".grad": r"\.grad\b",
        "log": r"\blog\w*\(",
        "Dataset": r"Dataset\b",
        "transforms": r"transforms\b",
        "init.": r"init\.\w+_\(",
        "done": r"\bdones?\b",
        "env.": r"\benv\.",
        ".": r"[<>]=?\s*0?\.\d",
    },
)
# A function that does this is looked at inside the loops of whoever calls it.
TRAINS = Pattern(r"\.backward\(|\.step\(|zero_grad\(|state_dict\(")
MAY_TRAIN = Pattern(r"(?:backward|step|zero_grad|state_dict)\s*\(")

# What code must mention to matter to any rule: numbers, models, data, randomness, or the handing on of them.
WORTH_FOLLOWING = AnyOf(
    "return self. torch numpy jax jnp sklearn pandas pd. loss grad optim model train eval split fit load "
    "data batch seed scal norm layer forward yield append",
    {"nn": r"\bnn\b", "F.": r"\bF\.", "np.": r"\bnp\.", "net": r"\bnet"},
)

# A function of another file is followed for what it does to models and data, not for its housekeeping.
WORTH_FOLLOWING_ABROAD = WORTH_RUNNING | AnyOf(
    "sklearn",
    {
        "nn.": r"\bnn\.\w",
        "torch.": r"\btorch\.\w",
        "optim.": r"\boptim\.",
        "np.": r"\bnp\.\w",
        "Tensor": r"Tensor\b",
        "super": r"def __init__\(self[^)]*\):\s+super",
    },
)
