"""The token's-eye view: of a batch at hand, of a script, on the terminal, as a page, as JSON."""

import json
import re
from pathlib import Path

import pytest
import torch
from jsonschema import Draft202012Validator

import sleuth
from sleuth.cli import run
from sleuth.errors import SleuthError
from sleuth.record.entries import Record, Run
from sleuth.record.token_entries import LanguageModel, TokenBatch, TokenRow, TokenTexts, Vocabulary
from sleuth.token_view.shown import as_text
from sleuth.token_view.shown import page as shown
from sleuth.token_view.view import viewed
from tests.language.test_door import GPT, PLAIN, WRITE
from tests.watching.recording import HEAD

WORDS = ["<pad>", "<eos>", "<user>", "<bot>", "hi", " there", "you"]
BATCH = {
    "input_ids": torch.tensor([[2, 4, 5, 3, 6, 1], [2, 4, 3, 6, 1, 0]]),
    "attention_mask": torch.tensor([[1] * 6, [1] * 5 + [0]]),
    "labels": torch.tensor([[-100] * 4 + [6, 1], [-100] * 3 + [6, 1, -100]]),
}


def test_a_batch_at_hand_shows_what_is_trained() -> None:
    shown = sleuth.tokens(BATCH, WORDS)
    text = repr(shown)
    assert "<user>hi there<bot>⟦you«<eos>»⟧" in text
    assert "␣×1" in text
    assert "36% trained" in text
    (model,) = shown.to_dict()["models"]
    assert [token["trained"] for token in model["examples"][0]["tokens"]] == [False] * 4 + [True] * 2
    assert model["examples"][0]["tokens"][3]["target_text"] == "you"
    assert shown.to_dict()["schema"] == "sleuth.tokens/1"


def test_without_a_tokenizer_ids_are_shown() -> None:
    text = repr(sleuth.tokens(BATCH["input_ids"]))
    assert "‹2›‹4›‹5›" in text
    assert "no tokenizer found" in text


@pytest.mark.parametrize(
    ("batch", "tokenizer", "words"),
    [
        ({"labels": [1]}, None, "no 'input_ids'; it holds labels"),
        ({"input_ids": [[0.5, 1.0]]}, None, "not rows of ids"),
        ({"input_ids": [[1, 2], [3]]}, None, "no matrix of whole numbers"),
        ({"input_ids": [[1, 2]], "labels": [[1, 2, 3]]}, None, "token by token"),
        ({"input_ids": [[1, 2]]}, object(), "no tokenizer Sleuth can read"),
        ({"input_ids": [[1, 99]]}, WORDS, "no tokenizer Sleuth can read"),
    ],
)
def test_a_wrong_batch_is_one_clear_sentence(batch: object, tokenizer: object, words: str) -> None:
    with pytest.raises(SleuthError, match=words):
        sleuth.tokens(batch, tokenizer)


def record_of(*batches: TokenBatch) -> Record:
    words = TokenTexts(1, {str(at): word for at, word in enumerate(WORDS)})
    known = Vocabulary(1, "dict", 7, specials={"pad": 0, "eos": 1}, special_ids=(0, 1, 2, 3))
    return Record((Run("train.py"), known, words, LanguageModel(1, "GPT", 7), *batches))


def of(phase: str, ids: tuple[int, ...], **more: object) -> TokenBatch:
    row = TokenRow(ids=ids, length=len(ids), head=len(ids))
    return TokenBatch(0, 1, phase, 9, "train.py", (1, len(ids)), examples=(row,), vocabulary=1, **more)  # type: ignore[arg-type]


def test_the_document_is_as_its_schema_says() -> None:
    schema = json.loads((Path(__file__).parents[2] / "docs" / "schemas" / "tokens-1.json").read_text("utf-8"))
    view = viewed(record_of(of("train", (2, 4, 5, 3, 6, 1)), of("generate", (2, 4, 5, 6))))
    for document in (sleuth.tokens(BATCH, WORDS).to_dict(), view.to_dict()):
        Draft202012Validator(schema).validate(json.loads(json.dumps(document)))
    broken = view.to_dict() | {"models": [{"model": "one"}]}
    assert not Draft202012Validator(schema).is_valid(broken)


def test_a_prompt_is_shown_beside_training_up_to_where_they_part() -> None:
    view = viewed(record_of(of("train", (2, 4, 5, 3, 6, 1)), of("generate", (2, 4, 5, 6))))
    (parting,) = view.models[0].partings
    assert (parting.same, parting.training[:2], parting.prompt) == (3, ("<bot>", "you"), ("you",))
    assert "the first 3 tokens agree, then they part" in as_text.page(view)
    same = viewed(record_of(of("train", (2, 4, 5, 3, 6, 1)), of("generate", (2, 4, 5, 3))))
    assert same.models[0].partings[0].ends


def test_the_page_shows_text_as_text() -> None:
    view = sleuth.tokens({"input_ids": [[4, 5]]}, [*WORDS[:4], "<script>", "&", "x"]).view
    page = shown.document(view)
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_a_script_is_shown_in_every_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script, page, told = tmp_path / "gpt.py", tmp_path / "page.html", tmp_path / "tokens.json"
    script.write_text(HEAD + GPT.replace("LOSS", PLAIN) + WRITE)
    words = ["tokens", str(script), "--examples", "2", "--html", str(page), "--json", str(told)]
    assert run(words) == 0
    shown = capsys.readouterr().out
    assert re.search(r"training: 5 batches, 20 rows, 240 tokens · 100% trained", shown)
    assert "generation (line" in shown
    data = json.loads(told.read_text())
    (model,) = data["models"]
    assert [one["phase"] for one in model["sums"]] == ["train", "generate"]
    assert len([one for one in model["examples"] if one["phase"] == "train"]) == 2
    assert "compared with" in page.read_text()


def test_no_text_is_kept_where_none_is_wanted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "gpt.py"
    script.write_text(HEAD + GPT.replace("LOSS", PLAIN))
    assert run(["tokens", str(script), "--no-text", "--json", "-"]) == 0
    tokens = json.loads(capsys.readouterr().out)["models"][0]["examples"][0]["tokens"]
    assert all(re.fullmatch(r"‹\d+›", token["text"]) for token in tokens)


def test_a_script_without_tokens_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "line.py"
    script.write_text("print(1)")
    assert run(["tokens", str(script), "-q"]) == 0
    assert "No model was fed rows of token ids" in capsys.readouterr().out


def test_a_script_that_cannot_run_is_one_clear_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "broken.py"
    script.write_text("import torch\nraise RuntimeError('the data is not there')")
    assert run(["tokens", str(script)]) == 2
    assert (
        "broken.py could not be run: RuntimeError the data is not there (line 2)" in capsys.readouterr().err
    )
    assert run(["tokens", str(tmp_path / "none.py")]) == 2
