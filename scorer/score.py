"""A record in, its document out: what ``arbitro score --json`` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.record import CAPTURE_GAMES, SLAP_GAMES, settle
from scorer.capture_document import capture_document
from scorer.race_document import race_document
from scorer.slap_document import slap_document
from scorer.wording import check_language

Document = dict[str, Any]


def score_record(events: Sequence[Mapping[str, Any]], language: str = "en") -> Document:
    """Give all rulings, points, counts and flags of a record, finished or not, with texts in ``en`` or ``it``.

    The document is that of ``arbitro score --json``, with ``state`` beside it: the newest moment of the table. Every
    text has its code and arguments beside it. Raise ``rules.record.RecordError`` when the form of an event is wrong;
    an illegal play or an impossible position is no error but part of the answer.
    """
    check_language(language)
    header, settled = settle(events)
    if header.game in CAPTURE_GAMES:
        return capture_document(header, settled, language)
    if header.game in SLAP_GAMES:
        return slap_document(header, settled, language)
    return race_document(header, settled, language)
