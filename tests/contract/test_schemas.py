"""What verbs write is what `docs/schemas` says, field by field."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from sleuth.archive.facts import START
from sleuth.cli import run
from tests.archive import made
from tests.contract.messages import SOURCE
from tests.evidence.maps import SMALL, write_small
from tests.sweep.runs import grid, write_csv

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "schemas"
PUBLISHED: Mapping[str, Mapping[str, Any]] = {
    schema["title"]: schema
    for path in FOLDER.glob("*.json")
    for schema in [json.loads(path.read_text("utf-8"))]
}
BROKEN = ROOT / "zoo" / "handmade" / "loss" / "double-softmax" / "broken.py"
LOSSES = ROOT / "tests" / "surface" / "losses.py"
MODEL = """
import torch
def make():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
    return model, (torch.randn(12, 4), torch.arange(12) % 3), torch.nn.CrossEntropyLoss()
"""
TRAIN = """
import torch
torch.manual_seed(0)
x, y = torch.randn(64, 4), torch.randn(64, 1)
model = torch.nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.02)
for step in range(30):
    size = model(x).mean()
    loss = (model(x) - y).pow(2).mean() + (size - 3.0) ** 2
    opt.zero_grad(); loss.backward(); opt.step()
"""
AGENT = """
def learn(make_env, steps, seed, gamma):
    env = make_env()
    env.reset(seed=seed)
    for _ in range(steps):
        *_, ended, cut, _ = env.step(env.action_space.sample())
        if ended or cut:
            env.reset()
    class Agent:
        def value(self, obs):
            return 0.0
    return Agent()
"""
SWEPT = 'import sys\\nprint("acc =", float(sys.argv[1]) + int(sys.argv[2]))'


def closed(schema: Any) -> Any:
    """The same, and nothing that it does not name: fields of ours are to be written down."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    told = {name: closed(part) for name, part in schema.items()}
    if isinstance(told.get("properties"), dict) and "anyOf" not in told:
        told.setdefault("additionalProperties", False)
    return told


def faults(data: Mapping[str, Any]) -> list[str]:
    """Why a document is not as its schema says."""
    validator = Draft202012Validator(closed(PUBLISHED[data["schema"]]))
    return [f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(data)]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SLEUTH_HOME", raising=False)
    return tmp_path


def written(*words: object) -> dict[str, Any]:
    code = run([*map(str, words), "--json", "told.json"])
    assert code in (0, 1), (words, code)
    told: dict[str, Any] = json.loads(Path("told.json").read_text("utf-8"))
    return told


def _two_runs() -> None:
    script = made.project(Path("work").absolute())
    for lr in (0.1, 0.2):
        made.finished(Path(".sleuth"), script, made.steps(20, lr), 0, "--lr", str(lr))


def _ids() -> list[str]:
    return sorted(path.name for path in Path(".sleuth/runs").iterdir() if path.is_dir())


def _runs(*words: str) -> Callable[[], dict[str, Any]]:
    def ask() -> dict[str, Any]:
        _two_runs()
        first, second = _ids()
        return written(*(word.format(first, second) for word in words))

    return ask


def _sweep(*words: str, **fixed: Any) -> Callable[[], dict[str, Any]]:
    def ask() -> dict[str, Any]:
        write_csv(Path("runs.csv"), grid(**fixed))
        return written("sweep", *words)

    return ask


def _tasks() -> dict[str, Any]:
    rows = [
        row | {"algorithm": algorithm, "task": task}
        for algorithm in ("a", "b")
        for task in ("x", "y")
        for row in grid(values=(0.1,), salt=ord(algorithm) + ord(task))
    ]
    write_csv(Path("runs.csv"), rows)
    return written(
        "sweep", "tasks", "runs.csv", "--algorithm", "algorithm", "--task", "task", "--metric", "acc"
    )


def _planned() -> dict[str, Any]:
    Path("train.py").write_text(SWEPT.replace("\\n", "\n"))
    command = "python train.py {value} {seed}"
    words = ("--command", command, "--param", "lr", "--values", "0.1,0.2", "--metric", "acc", "--seeds", "2")
    return written("sweep", "plan", "plan.toml", *words)


def _ran() -> dict[str, Any]:
    _planned()
    return written("sweep", "run", "plan.toml")


def _locked() -> dict[str, Any]:
    chosen = write_small(Path.cwd(), SMALL)
    run(["evidence", "check", str(chosen), "--lock"])
    told: dict[str, Any] = json.loads(Path(f"{chosen}.lock").read_text("utf-8"))
    return told


def _case(*words: str) -> Callable[[], dict[str, Any]]:
    def ask() -> dict[str, Any]:
        run(["case", "open", "The loss is odd", "--catalog"])
        run(["case", "add", "hypothesis", "too hot"])
        run(["case", "observe", "undo(double-softmax)", "no"])
        return written("case", *words)

    return ask


def _note() -> dict[str, Any]:
    return written("journal", "add", "it learns")


def _journal() -> dict[str, Any]:
    _two_runs()
    _note()
    return written("journal")


def _file(name: str, code: str, *words: str) -> Callable[[], dict[str, Any]]:
    def ask() -> dict[str, Any]:
        Path(name).write_text(code)
        return written(*words)

    return ask


def _begun() -> dict[str, Any]:
    """What the folder of a run says of it."""
    _two_runs()
    told: dict[str, Any] = json.loads(Path(".sleuth", "runs", _ids()[0], START).read_text("utf-8"))
    return told


def _logged() -> dict[str, Any]:
    """Two seeds of one agent, as their logs tell."""
    for seed in range(2):
        rows = [f"{1000 * n},{20 + n + seed}" for n in range(40)]
        Path(f"seed{seed}").mkdir()
        Path(f"seed{seed}", "progress.csv").write_text(
            "\n".join(["time/total_timesteps,rollout/ep_rew_mean", *rows])
        )
    return written("rl", "watch", ".")


def _judged() -> dict[str, Any]:
    _file("train.py", TRAIN, "watch", "train.py")()
    return written("judge", _ids()[0])


LIGHT: Mapping[str, Callable[[], dict[str, Any]]] = {
    "lint": lambda: written("lint", BROKEN),
    "audit": lambda: written("lint", "--audit", BROKEN),
    "cause": lambda: written("explain", "double-softmax"),
    "rule": lambda: written("explain", "overfit-first"),
    "flaw": lambda: written("explain", "dead-zone"),
    "causes": lambda: written("causes"),
    "case": _case("status"),
    "cases": _case("list"),
    "preflight": lambda: written("case", "preflight", BROKEN),
    "runs": _runs("runs"),
    "run": _runs("runs", "show", "{0}"),
    "run as it begins": _begun,
    "series": _runs("runs", "show", "{0}", "--series", "step/loss"),
    "runs-diff": _runs("runs", "diff", "{0}", "{1}"),
    "export": _runs("runs", "export", "{0}", "{1}", "--to", "all.csv"),
    "removed": _runs("runs", "remove", "{0}"),
    "journal": _journal,
    "note": _note,
    "sweep": _sweep("analyze", "runs.csv", "--param", "lr", "--metric", "acc"),
    "sweep in which all is equal": _sweep(
        "analyze", "runs.csv", "--param", "lr", "--metric", "acc", noise=0.0
    ),
    "sensitivity": _sweep("sensitivity", "runs.csv", "--metric", "acc", seeds=range(12)),
    "tasks": _tasks,
    "plan": _planned,
    "ran": _ran,
    "logs of agents": _logged,
    "settings": lambda: written("rl", "defaults", "ppo"),
    "evidence": lambda: written("evidence", "check", write_small(Path.cwd(), SMALL)),
    "evidence-map": lambda: written("evidence", "export", write_small(Path.cwd(), SMALL)),
    "evidence-why": lambda: written("evidence", "why", "Wires First", write_small(Path.cwd(), SMALL)),
    "evidence-lock": _locked,
}
HEAVY: Mapping[str, Callable[[], dict[str, Any]]] = {
    "probe": _file("make.py", MODEL, "probe", "make.py:make"),
    "poles": lambda: written("surface", "--poles"),
    "surface": lambda: written(
        "surface", f"{LOSSES}:product", "--x", "a=-1:2", "--y", "b=-1:2", "--want", "1,1"
    ),
    "surface-comparison": lambda: written(
        "surface", f"{LOSSES}:barrier", "--x", "distance=-3:3", "--compare", f"{LOSSES}:soft_barrier"
    ),
    "environment": lambda: written("rl", "check", "CartPole-v1", "--steps", "300"),
    "agent": _file(
        "agent.py", AGENT, "rl", "probe", "agent.py:learn", "--only", "constant", "--steps", "200"
    ),
}
SLOW: Mapping[str, Callable[[], dict[str, Any]]] = {
    "watch": _file("train.py", TRAIN, "watch", "train.py"),
    "judge": _judged,
    "diagnose": _file("train.py", TRAIN, "diagnose", "--budget", "40s", "train.py"),
    "triage": _file("train.py", TRAIN, "triage", "--budget", "40s", "train.py"),
    "stuck": _file("train.py", TRAIN, "stuck", "--budget", "40s", "train.py", "--metric", "size"),
}


@pytest.mark.parametrize("verb", LIGHT)
def test_a_document_is_as_its_schema_says(verb: str) -> None:
    assert faults(LIGHT[verb]()) == []


@pytest.mark.parametrize("verb", HEAVY)
def test_a_document_about_tensors_is_as_its_schema_says(verb: str) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("gymnasium")
    assert faults(HEAVY[verb]()) == []


@pytest.mark.slow
@pytest.mark.parametrize("verb", SLOW)
def test_a_document_about_a_script_is_as_its_schema_says(verb: str) -> None:
    pytest.importorskip("torch")
    assert faults(SLOW[verb]()) == []


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_schema_is_one(name: str) -> None:
    Draft202012Validator.check_schema(PUBLISHED[name])


def test_every_document_has_a_schema_and_every_schema_a_document() -> None:
    code = "".join(path.read_text("utf-8") for path in SOURCE.rglob("*.py"))
    assert set(re.findall(r'"(sleuth\.[a-z.-]+/\d+)"', code)) == set(PUBLISHED)


SPOILT = {
    "a field is gone": lambda told: told["findings"][0].pop("fix"),
    "a field is new": lambda told: told["findings"][0].update(mood="calm"),
    "a word for a number": lambda told: told["findings"][0].update(line="7"),
    "an unknown word": lambda told: told["findings"][0].update(severity="grave"),
    "another kind": lambda told: told.update(findings={}),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_what_differs_from_the_schema_is_noticed(spoil: Callable[[dict[str, Any]], object]) -> None:
    told = LIGHT["lint"]()
    assert faults(told) == []
    spoil(told)
    assert faults(told) != []


def test_a_reader_lets_new_fields_pass() -> None:
    told = LIGHT["lint"]() | {"mood": "calm"}
    Draft202012Validator(PUBLISHED["sleuth.lint/1"]).validate(told)
