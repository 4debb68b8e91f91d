"""What the referee says, in English and Italian.

A ruling, a point or a flag carries a code and arguments; ``say`` makes the sentence of them. Nothing else in the
program puts these into words, and nothing has to read the words to know what was meant.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from string import Formatter

from rules.cards import Card
from scorer.phrases import FRENCH_RANK_NAMES, ITALIAN_RANK_NAMES, PHRASES, SUIT_NAMES, WORDS

LANGUAGES = ("en", "it")

_SU_WITH = {"il": "sul", "lo": "sullo", "la": "sulla", "i": "sui", "gli": "sugli", "le": "sulle"}

# Embeddings, overrides and isolates of the bidirectional algorithm: they act on what follows them on the line.
_TURNING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")

Args = Mapping[str, object] | Sequence[tuple[str, object]]


class WordingError(ValueError):
    """Say that a language is not known."""


def say(code: str, args: Args = (), language: str = "en", players: Sequence[str] = ()) -> str:
    """Give the sentence for a code in ``en`` or ``it``; raise ``KeyError`` for a code that has none.

    Cards in the arguments are named, seats under ``player``, ``turn`` and ``to`` become the names of the players, and
    ``counts`` are joined with hyphens as people say them.

    >>> say("nobody", {"counts": (5, 5)})
    '5-5: nobody'
    """
    check_language(language)
    given = dict(args)
    fields = {name: _in_words(name, value, language, players) for name, value in given.items()}
    template = PHRASES[code][language]
    for _, name, _, _ in Formatter().parse(template):
        if name:
            fields.setdefault(name, "?")
    return template.format_map(fields)


def check_language(language: str) -> None:
    """Raise ``WordingError`` unless a language is known."""
    if language not in LANGUAGES:
        raise WordingError(f"language {language!r} is not known: expected {' or '.join(LANGUAGES)}")


def card_name(card: Card | str | None, language: str = "en") -> str:
    """Name a card in words: "7 of denari", "donna di picche"; a card that was not seen too."""
    if card is None:
        return WORDS["unseen-card"][language]
    if isinstance(card, str):
        card = Card.parse(card)
    ranks = FRENCH_RANK_NAMES if card.is_french else ITALIAN_RANK_NAMES
    rank = ranks[language].get(card.rank, card.rank)
    return f"{rank} {WORDS['of'][language]} {SUIT_NAMES[language][card.suit]}"


def cards_named(cards: Sequence[Card | str | None], language: str = "en") -> str:
    """Name several cards without articles: "7 of denari and 3 of coppe"."""
    return joined([card_name(card, language) for card in cards], language)


def the_card(card: Card | str | None, language: str = "en") -> str:
    """Name a card with its article: "the 7 of denari", "l'asso di coppe", "la donna di cuori"."""
    name = card_name(card, language)
    if card is None:
        return name
    if language == "en":
        return f"the {name}"
    if name.startswith(("asso", "8")):
        return f"l'{name}"
    return f"la {name}" if name.startswith("donna") else f"il {name}"


def the_cards(cards: Sequence[Card | str | None], language: str = "en") -> str:
    """Name several cards: "the 7 of denari and the 3 of coppe"."""
    return joined([the_card(card, language) for card in cards], language)


def onto_the_cards(tops: Sequence[Card | str | None], language: str = "en") -> str:
    """Say onto what a card came, or may have come: "onto the 7 of clubs", "sul 3 di fiori o sulla donna di cuori".

    A card that was not seen is ``None``, a pile without a card ``"empty"``.
    """
    named = [WORDS["empty-pile"][language] if top == "empty" else the_card(top, language) for top in tops]
    return joined([_with_su(name) if language == "it" else f"{WORDS['onto'][language]} {name}" for name in named],
                  language, "or")


def _with_su(name: str) -> str:
    """Put "su" before a name; it and an article become one word (sul, sulla, sull')."""
    article, _, rest = name.partition(" ")
    if name.startswith("l'"):
        return f"sul{name}"
    return f"{_SU_WITH[article]} {rest}" if article in _SU_WITH else f"su {name}"


def joined(words: Sequence[str], language: str = "en", word: str = "and") -> str:
    """Join words as a list with "and", or with another word."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {WORDS[word][language]} {words[-1]}"


def player_name(seat: object, players: Sequence[str], language: str = "en") -> str:
    """Give the name of the player on a seat, or the number of the seat where there is no name."""
    if isinstance(seat, int) and 0 <= seat < len(players):
        name = on_one_line(players[seat])
        if name:
            return name
    return f"{WORDS['player'][language]} {seat}"


def on_one_line(text: str) -> str:
    """Give a text that people wrote as one line, without characters that steer a terminal or turn the line around."""
    return " ".join("".join(" " if _steers(letter) else letter for letter in text).split())


def _steers(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cc", "Zl", "Zp") or unicodedata.bidirectional(letter) in _TURNING


def plain(value: object) -> object:
    """Give an argument as JSON can hold it: cards become codes, tuples lists."""
    if isinstance(value, Card):
        return value.code
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    return value


def _in_words(name: str, value: object, language: str, players: Sequence[str]) -> str:
    if name in ("player", "turn", "to"):
        return player_name(value, players, language)
    if name in ("counts", "sums") and isinstance(value, (tuple, list)):
        return "-".join(str(count) for count in value)
    if name == "where":
        return WORDS[str(value)][language]
    if name == "name":
        return WORDS[f"name-{value}"][language]
    if name == "captures" and isinstance(value, (tuple, list)):
        return joined([the_cards(take, language) for take in value], language, "or")
    if name == "onto" and isinstance(value, (tuple, list)):
        return onto_the_cards(value, language)
    if name == "on" and isinstance(value, (tuple, list)):
        return joined([the_card(card, language) for card in value], language, "or")
    if isinstance(value, Card) or name in ("card", "six", "on"):
        return the_card(value if isinstance(value, (Card, str)) else None, language)
    if name in ("cards", "takes", "equal") and isinstance(value, (tuple, list)):
        return the_cards(value, language) if value else WORDS["no-card"][language]
    return on_one_line(value) if isinstance(value, str) else str(value)
