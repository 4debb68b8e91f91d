"""Measure enrolment: `python -m datasets.evaluate.enrolment` writes docs/enrolment-figures.md.

Decks that the models were not trained on are enrolled from rendered photos, and other rendered pictures of them are
read with and without what was learnt. Decks of other kinds show whether an unknown deck is said to be unknown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import fill
from typing import Any

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.evaluate.figures import MOSTLY_FROM, Tally, matched
from datasets.evaluate.report import percent
from datasets.render.assets import Assets, Deck, load_assets
from datasets.render.dataset import FACES, upright_box
from datasets.render.other_decks import FITTING_KINDS, KINDS, other_deck
from datasets.render.scene import Rendering, render
from datasets.render.spread import render_spread
from datasets.render.sprites import DeckLook
from datasets.train.export import MODELS, note_in_manifest
from rules.cards import FRENCH_CODES, ITALIAN_CODES
from vision.boxes import is_card
from vision.classifier import NONE, Readings
from vision.detections import FACE, Detections
from vision.enrolment import Enrolment
from vision.likeness import FEWEST_TO_CHOOSE, KnownDeck, Pooling, choose_deck, is_unknown, surest_half
from vision.mirror import looks_mirrored
from vision.models import ModelError, Models
from vision.reading import CardReader, read_together

PROJECT = Path(__file__).resolve().parents[2]
FIGURES = ("bresciane_zzandro_ccbysa", "sarde_pac_lowres", "fr_aguilar_lgpl3")
"""Decks that the figures are of; patterns that training keeps out."""
FITTED_ON = ("siciliane_dalnegro_profumato4", "napoletane_modiano_numerone", "fr_jumbo_saulspatz_pd")
"""Decks that the weights of likeness are chosen on; printings that training keeps out."""
FITTED_ON_OTHERS = tuple(f"other-{kind}" for kind in FITTING_KINDS)
"""Decks that what reads decks of other images is chosen on; the figures are of other ones."""
SEED = 91
PHOTOS = 10
PHOTO_PX = (1280, 960)


@dataclass
class Learnt:
    """What came of enrolling one deck.

    Attributes:
        deck: its name.
        cards: how many it has.
        found: how many of them the photos' finds hold.
        sure: finds that are not asked about, and how many of those are right.
        questions: finds that a person is asked about.
        in_rows: questions when each suit lies in one row, in order.
        known: the enrolled deck.
        without, with_gallery: what was read in other pictures of it.
        chosen: in how many of the pictures with enough cards it was known again among all enrolled decks, and of how
            many.
    """

    deck: str
    cards: int
    found: int = 0
    sure: tuple[int, int] = (0, 0)
    questions: int = 0
    in_rows: int = 0
    known: KnownDeck | None = None
    without: Tally = field(default_factory=Tally)
    with_gallery: Tally = field(default_factory=Tally)
    chosen: tuple[int, int] = (0, 0)


def assets_of(name: str) -> Assets:
    """Load tables that training never sees, and one deck: a printing, or ``other-KIND`` of an other deck's kind."""
    kind = name.removeprefix("other-")
    other = kind in (*KINDS, *FITTING_KINDS)
    assets = load_assets("test", SEED, decks=FIGURES[-1] if other else name, procedural=12)
    if other:
        assets.decks[:] = [other_deck(kind, np.random.default_rng(SEED), assets.clutter)]
    return assets


def enrolled(
    reader: CardReader, assets: Assets, deck: Deck, rng: np.random.Generator, in_rows: bool
) -> tuple[Enrolment, list[tuple[str | None, bool, bool]]]:
    """Enrol a deck from rendered photos; a person answers what is asked.

    Returns:
        The enrolment, and for each find its true code, whether it was asked about, and whether what was proposed
        for it was right.
    """
    look = DeckLook.random(rng)
    all_codes = FRENCH_CODES if set(deck.faces) <= set(FRENCH_CODES) else ITALIAN_CODES
    codes = [code for code in all_codes if code in deck.faces]
    if not in_rows:
        rng.shuffle(codes)
    photos = 4 if in_rows else PHOTOS
    each = -(-len(codes) // photos)
    enrolment = Enrolment(reader, "other" if deck.name.startswith("other") else None)
    truth: dict[tuple[int, int], str | None] = {}
    for photo in range(photos):
        laid = codes[photo * each : (photo + 1) * each]
        if not laid:
            break
        columns = -(-len(laid) // 2) if in_rows else min(3, len(laid))
        columns = len(laid) if in_rows and len(laid) <= 10 else columns
        shown = render_spread(rng, assets, deck, laid, columns, look, size_px=PHOTO_PX)
        finds = enrolment.add_photo(shown.image, f"photo {photo + 1}")
        for find, code in zip(finds, _true_codes(shown, [find.quad for find in finds]), strict=True):
            truth[photo, find.number] = code
    told = []
    for proposal in enrolment.proposals():
        true = truth[proposal.photo, proposal.number]
        told.append((true, proposal.state == "doubtful", proposal.card == true))
        if proposal.state == "doubtful":
            enrolment.answer(proposal.photo, proposal.number, true or "")
    return enrolment, told


def _true_codes(shown: Rendering, quads: Sequence[NDArray[np.floating]]) -> list[str | None]:
    truth = [upright_box(card.quad_px) for card in shown.cards]
    pairs = matched(truth, np.array(quads, np.float32).reshape(-1, 4, 2), np.ones(len(quads)), 0.4)
    return [shown.cards[pairs[i]].code if i in pairs else None for i in range(len(quads))]


def learn(reader: CardReader, name: str) -> Learnt:
    """Enrol a deck in both ways and say what that took."""
    assets = assets_of(name)
    deck = assets.decks[0]
    learnt = Learnt(name, len(deck.faces))
    enrolment, told = enrolled(reader, assets, deck, np.random.default_rng([SEED, 1]), in_rows=False)
    learnt.found = len({true for true, _, _ in told if true})
    sure = [right for true, asked, right in told if not asked and true]
    learnt.sure = (len(sure), sum(sure))
    learnt.questions = sum(asked for _, asked, _ in told)
    learnt.known = KnownDeck(enrolment.gallery(gallery_name(name)), reader.classifier)
    if not name.startswith("other"):
        _, rows = enrolled(reader, assets, deck, np.random.default_rng([SEED, 2]), in_rows=True)
        learnt.in_rows = sum(asked for _, asked, _ in rows)
    return learnt


def gallery_name(name: str) -> str:
    """Return a deck's name as a gallery may be called."""
    return "".join(c if c.isalnum() else " " for c in name)[:30].strip()


def pictures_of(name: str, count: int, seed: int) -> list[Rendering]:
    """Render pictures of a deck like those that the models are measured on, from easy to everything."""
    assets = assets_of(name)
    return [
        render(np.random.default_rng([seed, i]), assets, 0.2 + 0.8 * i / max(1, count - 1)) for i in range(count)
    ]


def read_pictures(reader: CardReader, learnt: Learnt, decks: Sequence[KnownDeck], count: int) -> None:
    """Read other pictures of an enrolled deck without and with what was learnt, and choose it among all decks."""
    chosen = possible = 0
    for rendering in pictures_of(learnt.deck, count, SEED + 1):
        found = reader.detector.detect(rendering.image)
        cards = found.pick(is_card(found.class_ids))
        readings = reader.classifier.read(rendering.image, cards.quads)
        size = (rendering.image.shape[0], rendering.image.shape[1])
        learnt.without.add_reading(rendering, read_together(cards, readings, size))
        assert learnt.known is not None
        known = learnt.known
        learnt.with_gallery.add_reading(
            rendering,
            read_together(
                cards,
                known.read(readings),
                size,
                deck=known.family,
                other_images=known.gallery.kind == "other",
            ),
        )
        face = readings.pick(cards.class_ids == FACE)
        if len(face) >= 4:
            possible += 1
            chosen += choose_deck(face, decks) is known
    learnt.chosen = (chosen, possible)


def unknown_rates(reader: CardReader, names: Sequence[str], count: int) -> dict[str, tuple[int, int]]:
    """Return by deck how many pictures with four faces or more are said to be of an unknown deck, and of how many."""
    rates = {}
    for name in names:
        said = possible = 0
        for rendering in pictures_of(name, count, SEED + 2):
            found = reader.detector.detect(rendering.image)
            faces = found.pick((found.class_ids == FACE) & (found.scores >= reader.detector.score))
            if len(faces) >= 4:
                possible += 1
                readings = reader.classifier.read(rendering.image, faces.quads)
                said += is_unknown(readings.log_probs, Pooling.of(reader.classifier.details).unknown)
        rates[name] = (said, possible)
    return rates


def mirrored_rates(reader: CardReader, names: Sequence[str], count: int) -> tuple[int, int, int]:
    """Return how many mirrored pictures are noticed, how many plain ones are taken for mirrored, and of how many."""
    noticed = wrong = total = 0
    for name in names:
        assets = assets_of(name)
        deck, rng = assets.decks[0], np.random.default_rng([SEED, 3])
        for _ in range(count):
            codes = [str(code) for code in rng.choice(list(deck.faces), 8, replace=False)]
            shown = render_spread(rng, assets, deck, codes, 4, DeckLook.random(rng), size_px=(960, 720))
            total += 1
            for flipped in (False, True):
                image = np.ascontiguousarray(shown.image[:, ::-1]) if flipped else shown.image
                found = reader.detector.detect(image)
                cards = found.pick(is_card(found.class_ids))
                readings = reader.classifier.read(image, cards.quads)
                said = looks_mirrored(image, cards, readings, reader.classifier)
                noticed += said and flipped
                wrong += said and not flipped
    return noticed, wrong, total


@dataclass(frozen=True, eq=False)
class Part:
    """Hold the cards of one picture of a deck that the values are chosen on.

    Attributes:
        known: the deck, enrolled.
        readings: n cards, each read by itself.
        truth: (n,) classes; `NONE` for what is no face of the deck.
        mostly: (n,) bool, whether so much of a card is seen that it should be read.
        alike: what `KnownDeck.picture_likeness` says of the cards.
    """

    known: KnownDeck
    readings: Readings
    truth: NDArray[np.int64]
    mostly: NDArray[np.bool_]
    alike: NDArray[np.float32]

    def loss(self, joined: Readings) -> NDArray[np.float64]:
        """Return how unlikely the truth is by some readings, (n,), as a negative logarithm.

        Of a card that is mostly covered it is as true that nothing can be said.
        """
        right = joined.log_probs[np.arange(len(self.truth)), self.truth].astype(np.float64)
        either = np.logaddexp(right, joined.log_probs[:, NONE])
        return -np.where(self.mostly | (self.truth == NONE), right, either)


def fit(reader: CardReader, count: int, progress: Callable[[str], None]) -> dict[str, float]:
    """Choose the values of `Pooling` on decks of `FITTED_ON`, those for other images on decks of `FITTED_ON_OTHERS`.

    Weights and temperature are those that make the truth likeliest; an enrolled deck must be so like that its own
    cards and those of the next printing are told apart equally well; as good as no picture of a deck of a trained
    kind is to be called unknown.
    """
    parts = parts_of(reader, FITTED_ON, count, progress)
    others = parts_of(reader, FITTED_ON_OTHERS, count, progress)
    weight, temperature, none, loss = _likeliest(parts)
    alone_picture, alone_temperature, alone_none, alone_loss = _likeliest_alone(others)
    values = {
        "weight": weight,
        "temperature": temperature,
        "none": none,
        "alone_temperature": alone_temperature,
        "alone_none": alone_none,
        "alone_picture": alone_picture,
    }
    suited = [(part.known, part.readings, part.truth) for part in parts]
    values |= {"known": _known_from(suited), "unknown": _unknown_below(suited)}
    progress(f"best: {values}, loss {loss:.3f}, of other images {alone_loss:.3f}")
    return values


def parts_of(
    reader: CardReader, names: Sequence[str], count: int, progress: Callable[[str], None]
) -> list[Part]:
    """Enrol decks, and read so many other pictures of each.

    Of a deck of other images, what is found as a back is read as well: many of its faces are, and a real back must not
    become a face.
    """
    parts = []
    for name in names:
        assets = assets_of(name)
        rng = np.random.default_rng([SEED, 1])
        enrolment, _ = enrolled(reader, assets, assets.decks[0], rng, in_rows=False)
        known = KnownDeck(enrolment.gallery(gallery_name(name)), reader.classifier)
        for rendering in pictures_of(name, count, SEED + 3):
            found = reader.detector.detect(rendering.image)
            wanted = is_card(found.class_ids) if known.gallery.kind == "other" else found.class_ids == FACE
            cards = found.pick(wanted)
            if len(cards):
                parts.append(_part(known, reader.classifier.read(rendering.image, cards.quads), cards, rendering))
        progress(f"{name}: read")
    return parts


def _part(known: KnownDeck, readings: Readings, cards: Detections, rendering: Rendering) -> Part:
    quads = cards.quads if readings.quads is None else readings.quads
    codes = _true_codes(rendering, list(quads))
    in_gallery = [code if code in known.gallery.pictures or known.gallery.kind != "other" else None for code in codes]
    truth = np.array([NONE if code is None else FACES.index(code) for code in in_gallery])
    seen = {card.code: card.visible for card in rendering.cards if card.code is not None}
    mostly = np.array([code is not None and seen[code] >= MOSTLY_FROM for code in codes])
    return Part(known, readings, truth, mostly, known.picture_likeness(readings))


def _likeliest(parts: Sequence[Part]) -> tuple[float, float, float, float]:
    """Return the weight, temperature and likeness of none with which the truth is likeliest, and its loss then."""
    found = (1.0, Pooling.temperature, Pooling.none, np.inf)
    for weight in (0.3, 0.4, 0.5, 0.65, 0.8, 1.0):
        for temperature in (0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.13, 0.17, 0.22):
            for none in (0.35, 0.45, 0.55, 0.65, 0.75, 0.85):
                # Of a deck of suits a mostly covered card is read as well: its index alone may tell it.
                losses = [
                    -part.known.joined(part.readings, weight, temperature, none).log_probs[
                        np.arange(len(part.truth)), part.truth
                    ]
                    for part in parts
                ]
                loss = float(np.minimum(np.concatenate(losses), 8.0).mean())
                if loss < found[3]:
                    found = (weight, temperature, none, loss)
    return found


def _likeliest_alone(parts: Sequence[Part]) -> tuple[float, float, float, float]:
    """Return the same for decks of other images: the share of the picture, temperature and likeness of none."""
    found = (Pooling.alone_picture, Pooling.alone_temperature, Pooling.alone_none, np.inf)
    for picture in (0.0, 0.2, 0.4, 0.6, 0.8):
        for temperature in (0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.13):
            for none in (0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85):
                losses = [
                    part.loss(part.known.alone(part.readings, temperature, none, picture, part.alike))
                    for part in parts
                ]
                loss = float(np.minimum(np.concatenate(losses), 8.0).mean()) if losses else np.inf
                if loss < found[3]:
                    found = (picture, temperature, none, loss)
    return found


def _known_from(parts: Sequence[tuple[KnownDeck, Readings, NDArray[np.int64]]]) -> float:
    """Return the likeness that tells a deck's own pictures best from those of other decks of the family."""
    decks = list({id(known): known for known, _, _ in parts}.values())
    own, others = [], []
    for known, readings, _ in parts:
        if len(readings) >= FEWEST_TO_CHOOSE:
            own.append(surest_half(known.familiarity(readings.features)))
            others += [
                surest_half(deck.familiarity(readings.features))
                for deck in decks
                if deck is not known and deck.family == known.family
            ]
    if not own or not others:
        return Pooling.known
    steps = np.arange(0.5, 1.0, 0.01)
    wrong = [np.mean(np.array(own) < step) + np.mean(np.array(others) >= step) for step in steps]
    least = np.flatnonzero(np.array(wrong) <= min(wrong) + 1e-9)
    return round(float(steps[least].mean()), 3)


def _unknown_below(parts: Sequence[tuple[KnownDeck, Readings, NDArray[np.int64]]]) -> float:
    """Return a confidence that all but one in fifty pictures of decks of a trained kind come to."""
    sure = [
        surest_half(np.exp(readings.log_probs[:, :NONE].max(axis=1)))
        for _, readings, _ in parts
        if len(readings) >= FEWEST_TO_CHOOSE
    ]
    return round(float(np.clip(np.quantile(sure, 0.02), 0.2, 0.7)), 3) if sure else Pooling.unknown


def document(
    learnt: Sequence[Learnt],
    unknown: dict[str, tuple[int, int]],
    mirrored: tuple[int, int, int],
    model: str,
) -> str:
    """Return docs/enrolment-figures.md."""
    lines = [
        "# Enrolment, measured",
        "",
        f"Made by `python -m datasets.evaluate.enrolment` with the classifier {model[:12]}. All pictures are rendered, "
        f"on tables that training never sees. Each deck was enrolled from at most {PHOTOS} photos ({PHOTO_PX[0]} x "
        f"{PHOTO_PX[1]}), a camera up to 25 degrees off the vertical; what was asked was answered rightly. “In rows” "
        "is the number of questions when each suit lies in a row, in order, one photo a suit.",
        "",
        "| deck | cards found | not asked about, right | questions | in rows |",
        "| --- | --- | --- | --- | --- |",
    ]
    for one in learnt:
        sure, right = one.sure
        rows = "-" if one.deck.startswith("other") else str(one.in_rows)
        lines.append(
            f"| {one.deck} | {one.found}/{one.cards} | {right}/{sure} | {one.questions} | {rows} |"
        )
    lines += [
        "",
        "Other pictures of the same decks, from easy to everything that tables do (as in "
        "[accuracy.md](accuracy.md)), read without and with what was learnt; the last column is how often the deck "
        "was known again among all of these, in pictures with at least four faces.",
        "",
        "| deck | | cards | found and read right | mostly visible | of what is read, right | known again |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in learnt:
        for words, tally in (("without", one.without), ("enrolled", one.with_gallery)):
            rates = tally.rates()
            again = f"{one.chosen[0]}/{one.chosen[1]}" if words == "enrolled" else "-"
            lines.append(
                f"| {one.deck} | {words} | {rates['cards']} | {percent(rates['found and read right'])} | "
                f"{percent(rates.get('mostly visible: found and read right'))} | "
                f"{percent(rates['of what is read, right'])} | {again} |"
            )
    lines += [
        "",
        "Said to be an unknown deck, of pictures with at least four faces:",
        "",
        "| deck | unknown |",
        "| --- | --- |",
        *(f"| {name} | {said}/{total} |" for name, (said, total) in unknown.items()),
        "",
        f"Mirrored pictures of eight cards: {mirrored[0]} of {mirrored[2]} noticed; {mirrored[1]} of {mirrored[2]} "
        "plain ones taken for mirrored.",
        "",
    ]
    return "\n".join(line if line.startswith("|") else fill(line, 120) for line in lines)


@click.command()
@click.option("--models", type=click.Path(path_type=Path), default=MODELS, help="Folder of the models.")
@click.option("--pictures", type=int, default=25, show_default=True, help="Pictures to read of each deck.")
@click.option("--deck", "chosen", multiple=True, help="Measure only these decks (repeatable).")
@click.option("--fit", "fits", is_flag=True, help="First choose the weights, and note them in the manifest.")
@click.option("--out", type=click.Path(path_type=Path), default=PROJECT / "docs" / "enrolment-figures.md")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Also write all figures there.")
def main(
    models: Path, pictures: int, chosen: tuple[str, ...], fits: bool, out: Path, json_path: Path | None
) -> None:
    """Measure enrolment, unknown decks and mirrored pictures."""
    cv2.setNumThreads(1)

    def progress(text: str) -> None:
        click.echo(text, err=True)

    try:
        reader = CardReader(Models(models))
        if fits:
            note_in_manifest(models, "classifier", {"likeness": fit(reader, pictures, progress)})
            reader = CardReader(Models(models))
        learnt = []
        for name in chosen or (*FIGURES, *(f"other-{kind}" for kind in KINDS)):
            learnt.append(learn(reader, name))
            progress(f"{name}: enrolled, {learnt[-1].questions} questions")
        decks = [one.known for one in learnt if one.known is not None]
        for one in learnt:
            read_pictures(reader, one, decks, pictures)
            progress(f"{one.deck}: read")
        unknown = unknown_rates(reader, [one.deck for one in learnt], pictures)
        suited = [one.deck for one in learnt if not one.deck.startswith("other")]
        mirrored = mirrored_rates(reader, suited, max(4, pictures // 3))
    except (ModelError, FileNotFoundError) as error:
        raise click.ClickException(str(error)) from error
    out.write_text(document(learnt, unknown, mirrored, reader.classifier.model_id), encoding="utf-8")
    if json_path is not None:
        figures: dict[str, Any] = {
            one.deck: {"without": one.without.rates(), "enrolled": one.with_gallery.rates()} for one in learnt
        }
        json_path.write_text(json.dumps({"decks": figures, "unknown": unknown, "mirrored": mirrored}, indent=1))
    click.echo(f"written: {out}")


if __name__ == "__main__":
    main()
