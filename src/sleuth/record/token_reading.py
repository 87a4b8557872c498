"""One model that is fed tokens, as a record shows it: what its batches hold, phase by phase."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from sleuth.finding import Where
from sleuth.record.entries import Record
from sleuth.record.questions import at, needed
from sleuth.record.token_entries import Adapters, Generation, LanguageModel, TokenBatch, Vocabulary
from sleuth.record.token_rows import batches, texts_of, vocabulary_of


@dataclass(frozen=True)
class Reading:
    """All that is asked of one model."""

    record: Record
    model: LanguageModel

    def batches(self, phase: str) -> list[TokenBatch]:
        return batches(self.record, phase, self.model.model)

    @cached_property
    def train(self) -> list[TokenBatch]:
        return self.batches("train")

    @cached_property
    def judged(self) -> list[TokenBatch]:
        """Training batches of which it was seen what enters the loss."""
        return [batch for batch in self.train if batch.trained]

    @cached_property
    def written(self) -> list[Generation]:
        return [one for one in self.record.of(Generation) if one.model == self.model.model]

    @cached_property
    def adapters(self) -> list[Adapters]:
        return [one for one in self.record.of(Adapters) if one.model == self.model.model]

    @cached_property
    def vocabulary(self) -> Vocabulary | None:
        known = (vocabulary_of(self.record, batch) for batch in self.record.of(TokenBatch))
        mine = (batch for batch in self.record.of(TokenBatch) if batch.model == self.model.model)
        return next((one for batch in mine if (one := vocabulary_of(self.record, batch))), None) or (
            next((one for one in known if one), None) if not self.train else None
        )

    @property
    def next_token(self) -> bool:
        """Each prediction is compared with the token that follows."""
        return bool(self.judged) and all(batch.offset == 1 for batch in self.judged)

    @property
    def writes(self) -> bool:
        """It predicts what comes after, as its configuration says or its use shows."""
        return bool(self.model.causal) or bool(self.written)

    @property
    def by_reward(self) -> bool:
        """Some of what is in the loss is pushed away: preferences or rewards decide, not the text alone."""
        return any(batch.pushed_away for batch in self.judged)

    def text(self, number: int | None) -> str:
        """How an id reads, between quotation marks; its number where that is not kept."""
        if number is None:
            return "?"
        known = texts_of(self.record, self.vocabulary.id if self.vocabulary else None)
        return repr(known[number]) if number in known else str(number)

    def rows(self, found: Iterable[TokenBatch]) -> int:
        return sum(batch.shape[0] for batch in found)


def readings(record: Record) -> list[Reading]:
    """Of each model that was fed tokens; the reason why there is none to be asked about."""
    told = needed(record.of(LanguageModel), "batches of tokens")
    return [Reading(record, model) for model in told]


def trained(record: Record) -> list[Reading]:
    """Those whose loss was seen, token by token."""
    found = [one for one in readings(record) if one.judged]
    return needed(found, "tokens that enter a loss")


def where_fed(found: Iterable[TokenBatch]) -> Where | None:
    return next((at(batch) for batch in found if batch.line), None)
