"""`arbitro enroll NAME PHOTO...`: learn a deck from photos of its cards."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arbitro.cli import json_option, language_option, print_json, tell
from arbitro.errors import DONE, NO_ANSWER, UnusableInputError

if TYPE_CHECKING:
    from vision.enrolment import Enrolment, Proposal


@click.command()
@click.argument("name")
@click.argument("photos", metavar="PHOTO...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--kind", type=click.Choice(["auto", "italian", "french", "other"]), default="auto", show_default=True,
    help="Suits of the deck; “other” for images of its own, which then stand for Italian or French cards.",
)  # fmt: skip
@click.option(
    "--codes", type=click.Choice(["italian", "french"]), default="italian", show_default=True,
    help="For --kind other: what cards the images stand for.",
)  # fmt: skip
@click.option(
    "--order", default=None, metavar="dcsb",
    help="The cards lie in this order over all photos: suits from the ace upwards, or codes with commas.",
)  # fmt: skip
@click.option(
    "--card", "cards", multiple=True, metavar="PHOTO#N=CODE",
    help="What card N of a photo is (its file name or number); “-” leaves it out (repeatable).",
)  # fmt: skip
@click.option(
    "--answers", type=click.Path(path_type=Path), default=None, metavar="FILE",
    help="Answers like those of --card, one a line.",
)  # fmt: skip
@click.option("--note", default="", help="What else is known of the deck: its pattern, its maker.")
@click.option("--add", is_flag=True, help="Add to a deck that is enrolled already.")
@click.option("--replace", is_flag=True, help="Replace a deck of that name.")
@click.option("--partial", is_flag=True, help="Keep what is sure, without asking for the rest.")
@click.option(
    "--numbered", type=click.Path(path_type=Path), default=None, metavar="FOLDER",
    help="Write the photos there with the number of each card on it.",
)  # fmt: skip
@json_option
@language_option
@click.pass_obj
def enroll(
    settings_file: Path | None,
    name: str,
    photos: tuple[Path, ...],
    kind: str,
    codes: str,
    order: str | None,
    cards: tuple[str, ...],
    answers: Path | None,
    note: str,
    add: bool,
    replace: bool,
    partial: bool,
    numbered: Path | None,
    as_json: bool,
    language: str,
) -> int:
    """Learn a deck from photos: laid out in rows, or a few cards on each photo, each card at least once.

    What each card is, is proposed by itself; on a terminal the doubtful ones are asked about, elsewhere they are
    listed with their candidates and answered with --card or --answers.
    """
    from arbitro.decksight import KINDS, EnrolledDecks
    from arbitro.deckstore import DeckStore
    from arbitro.settings import load_settings
    from vision.enrolment import Enrolment
    from vision.gallery import GalleryError, checked_name
    from vision.models import Models
    from vision.photo import read_photo
    from vision.reading import CardReader

    settings = load_settings(settings_file)
    store = DeckStore()
    name = checked_name(name)
    if add and replace:
        raise UnusableInputError("--add and --replace exclude each other: leave one away")
    if name in store and not (add or replace):
        raise GalleryError(f"there is a deck “{name}” already: give --add, --replace, or another name")
    said = [*cards, *_lines_of(answers)]
    pictures = [(path, read_photo(path)) for path in photos]
    reader = CardReader(Models(threads=settings.computing.threads))
    enrolment = Enrolment(
        reader,
        None if kind == "auto" else kind,  # type: ignore[arg-type]
        family=codes,
        known=store.load(name, reader.classifier) if add else None,
        decks=[
            known
            for known in EnrolledDecks(store, reader.classifier).of(KINDS)
            if known.name.casefold() != name.casefold() and kind in ("auto", known.gallery.kind)
        ],
    )
    for path, picture in pictures:
        found = enrolment.add_photo(picture, str(path))
        tell(f"{path}: {len(found)} cards")
    if order is not None:
        enrolment.set_order(order)
    for text in said:
        _answer(enrolment, photos, text)
    if not as_json and not partial and sys.stdin.isatty():
        _ask(enrolment, language)
    if numbered is not None:
        _number(enrolment, pictures, numbered)

    proposals = enrolment.proposals()
    doubtful = [proposal for proposal in proposals if proposal.state == "doubtful"]
    keeps = bool(proposals) and (partial or not doubtful)
    document = _document(name, enrolment, proposals)
    if keeps:
        document["file"] = str(store.save(enrolment.gallery(name, note), overwrite=add or replace))
    document["kept"] = keeps
    if as_json:
        print_json(document)
    else:
        _report(document, enrolment, language)
    return DONE if keeps else NO_ANSWER


def _lines_of(path: Path | None) -> list[str]:
    """Return the answers in a file: one a line, empty lines and those that begin with # left out."""
    if path is None:
        return []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise UnusableInputError(f"the answers {path} cannot be read ({reason}); check the name") from None
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _answer(enrolment: Enrolment, photos: tuple[Path, ...], text: str) -> None:
    """Give the enrolment an answer like ``photo3.jpg#2=7d``."""
    where, equals, code = text.partition("=")
    photo_text, hash_sign, number_text = where.rpartition("#")
    if not equals or not hash_sign or not number_text.strip().isdigit():
        raise UnusableInputError(f"“{text}” is no answer: write it like {photos[0].name}#1=7d")
    photo_text = photo_text.strip()
    matching = [i for i, path in enumerate(photos) if photo_text in (str(path), path.name, path.stem)]
    if not matching and photo_text.isdigit() and 1 <= int(photo_text) <= len(photos):
        matching = [int(photo_text) - 1]
    if len(matching) != 1:
        which = "several photos are" if matching else "no photo is"
        raise UnusableInputError(f"{which} called “{photo_text}”: name one of those given, or its number")
    enrolment.answer(matching[0], int(number_text), _code_of(code))


def _code_of(text: str) -> str:
    from vision.enrolment import NOTHING

    text = text.strip()
    return NOTHING if text == "-" else text


def _ask(enrolment: Enrolment, language: str) -> None:
    """Ask about the doubtful cards, the likeliest first: what is settled makes the others surer."""
    from arbitro.wording import say
    from vision.gallery import GalleryError

    skipped: set[tuple[int, int]] = set()
    while True:
        doubtful = [
            proposal
            for proposal in enrolment.proposals()
            if proposal.state == "doubtful" and (proposal.photo, proposal.number) not in skipped
        ]
        if not doubtful:
            return
        asked = max(doubtful, key=lambda proposal: proposal.confidence)
        about = {**_where(enrolment, asked), "candidates": _ranked(asked), "count": len(doubtful)}
        reply = click.prompt(say("enroll-ask", about, language), default=asked.card or "-", err=True).strip()
        if reply == "?":
            skipped.add((asked.photo, asked.number))
            continue
        try:
            enrolment.answer(asked.photo, asked.number, _code_of(reply))
        except GalleryError as error:
            tell(str(error))


def _where(enrolment: Enrolment, proposal: Proposal) -> dict[str, Any]:
    find = next(f for f in enrolment.finds if (f.photo, f.number) == (proposal.photo, proposal.number))
    return {
        "file": enrolment.photos[proposal.photo].name,
        "number": proposal.number,
        "row": find.row + 1,
        "place": find.place + 1,
    }


def _ranked(proposal: Proposal) -> str:
    return ", ".join(f"{code} {100 * p:.0f}%" for code, p in proposal.candidates) or "?"


def _document(name: str, enrolment: Enrolment, proposals: list[Proposal]) -> dict[str, Any]:
    quads = {(find.photo, find.number): find.quad for find in enrolment.finds}
    images = []
    for number, photo in enumerate(enrolment.photos):
        images.append(
            {
                "file": photo.name,
                "size": list(photo.size),
                "turned": photo.turned_deg,
                "mirrored": photo.mirrored,
                "cards": [
                    {
                        "number": p.number,
                        "card": p.card,
                        "state": p.state,
                        "confidence": round(p.confidence, 4),
                        "candidates": [[code, round(probability, 4)] for code, probability in p.candidates],
                        "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in quads[p.photo, p.number]],
                    }
                    for p in proposals
                    if p.photo == number
                ],
            }
        )
    return {
        "name": name,
        "kind": enrolment.deck_kind,
        "images": images,
        "cards": sorted({p.card for p in proposals if p.state in ("sure", "said") and p.card}),
        "missing": enrolment.missing(proposals),
        "doubtful": sum(p.state == "doubtful" for p in proposals),
    }


def _report(document: dict[str, Any], enrolment: Enrolment, language: str) -> None:
    from arbitro.wording import say

    for number, image in enumerate(document["images"]):
        if image["mirrored"]:
            click.echo(f"{image['file']}: {say('mirrored', language=language)}")
        for card in image["cards"]:
            if card["state"] == "doubtful":
                shown = ", ".join(f"{code} {100 * p:.0f}%" for code, p in card["candidates"]) or "?"
                click.echo(
                    say(
                        "enroll-doubtful",
                        {"file": image["file"], "photo": number + 1, "number": card["number"], "candidates": shown},
                        language,
                    )
                )
    if document["missing"]:
        click.echo(say("enroll-missing", {"missing": " ".join(document["missing"])}, language))
    found = sum(len(image["cards"]) for image in document["images"])
    if document["kept"]:
        click.echo(say("enroll-kept", {**document, "count": len(document["cards"])}, language))
    elif not found:
        click.echo(say("nothing-found", language=language))
    else:
        click.echo(say("enroll-not-kept", document, language))


def _number(enrolment: Enrolment, pictures: list[tuple[Path, Any]], folder: Path) -> None:
    """Write the photos with the number of each card on it."""
    from vision.numbered import numbered_photo

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number, (path, picture) in enumerate(pictures):
            finds = [find for find in enrolment.finds if find.photo == number]
            jpeg = numbered_photo(picture, [(find.number, find.quad) for find in finds])
            (folder / f"{number + 1:02d}-{path.stem}.jpg").write_bytes(jpeg)
    except OSError as error:
        raise UnusableInputError(f"{folder} cannot be written ({error.strerror}): name another folder") from None
