"""Sentences that stay translatable wherever they are passed on."""

import copy
import json
import pickle

from matrix.domain.errors import InvalidClaim, InvalidValue
from matrix.domain.phrases import Phrase, join_phrases


def test_a_phrase_is_plain_english_and_remembers_what_it_is_made_of() -> None:
    phrase = Phrase("at most {most} of {what!r}", most=3, what="{x}")
    assert phrase == "at most 3 of '{x}'"
    assert json.dumps(phrase) == "\"at most 3 of '{x}'\""
    assert (phrase.template, phrase.values["most"]) == ("at most {most} of {what!r}", 3)


def test_a_phrase_survives_str_copies_and_pickles() -> None:
    phrase = Phrase("at most {most}", most=3)
    for same in (
        str(phrase), copy.deepcopy(phrase), pickle.loads(pickle.dumps(phrase)),
        str(ValueError(phrase)),
    ):  # fmt: skip
        assert isinstance(same, Phrase)
        assert (same, same.values) == ("at most 3", {"most": 3})


def test_joined_phrases_stay_phrases_whatever_the_separator_holds() -> None:
    one = Phrase("line {line}", line=2)
    joined = join_phrases(" {} ", [one, "plain {text}"])
    assert joined == "line 2 {} plain {text}"
    assert one in joined.values.values()
    assert join_phrases("; ", []) == ""


def test_an_error_keeps_the_phrases_in_its_sentence() -> None:
    accepted = Phrase("a whole number from {least} on", least=1)
    error = InvalidValue(name="count", value="x", accepted=accepted)
    said = str(error)
    assert said == "count is 'x'; accepted: a whole number from 1 on."
    assert isinstance(said, Phrase)
    assert said.values["accepted"] is accepted
    both = InvalidClaim(problems=[Phrase("no source is cited"), "second"]).message
    assert both == "The claim breaks the data rules: no source is cited; second."
    assert isinstance(both, Phrase)
    assert isinstance(both.values["problems"], Phrase)
