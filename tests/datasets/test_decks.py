"""Tests of Arbitro's own decks: drawings, pictures, random printings, backs and printable sheets."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from datasets.decks import DECKS, back_names, french, italian, load_back, load_face, size_mm, svg
from datasets.decks.__main__ import main
from datasets.decks.backs import DESIGNS, STANDARD_BACKS, BackStyle, back_svg
from datasets.decks.generate import drawings
from datasets.decks.lettering import Lettering, draw_text, text_width
from datasets.decks.pictures import FOLDER, RASTER_HEIGHT_PX
from rules.cards import FRENCH_CODES, ITALIAN_CODES

raster = pytest.importorskip("datasets.decks.raster", reason="needs the package resvg-py")

SVG = "{http://www.w3.org/2000/svg}"
FACES = [("italian", code) for code in ITALIAN_CODES] + [("french", code) for code in FRENCH_CODES]
DRAW = {"italian": italian.face_svg, "french": french.face_svg}


def pips(text: str) -> list[ElementTree.Element]:
    """Give the elements that are marked as pips of the layout."""
    return [element for element in ElementTree.fromstring(text).iter() if element.get("class") == "pip"]


def rank_count(code: str) -> int | None:
    """Give how many pips a card shows, or None for a court."""
    rank = code[:-1]
    return 1 if rank in ("1", "A") else int(rank) if rank.isdigit() else None


def on_grey(image: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """Lay a BGRA picture on a grey ground."""
    alpha = image[..., 3:].astype(np.float32) / 255
    return image[..., :3] * alpha + 128 * (1 - alpha)


@pytest.mark.parametrize(("deck", "code"), FACES)
def test_a_face_is_valid_svg_of_the_true_size_with_the_right_number_of_pips(deck: str, code: str) -> None:
    text = DRAW[deck](code)
    root = ElementTree.fromstring(text)
    width, height = size_mm(deck)
    assert root.tag == f"{SVG}svg"
    assert root.get("width") == f"{svg.num(width)}mm"
    assert root.get("viewBox") == f"0 0 {svg.num(width * 10)} {svg.num(height * 10)}"
    assert text == DRAW[deck](code)
    expected = rank_count(code)
    if expected is not None:
        assert len(pips(text)) == expected


@pytest.mark.parametrize(("deck", "code"), FACES)
def test_every_id_that_a_face_repeats_is_defined_once(deck: str, code: str) -> None:
    root = ElementTree.fromstring(DRAW[deck](code))
    defined = [element.get("id") for element in root.iter() if element.get("id")]
    used = {(element.get("href") or "")[1:] for element in root.iter(f"{SVG}use")}
    used |= {
        name
        for element in root.iter()
        for name in re.findall(r"url\(#(.+)\)", element.get("clip-path") or "")
    }
    assert len(defined) == len(set(defined))
    assert used <= set(defined)


def test_the_committed_drawings_are_what_the_code_draws() -> None:
    stale = [
        name for name, text in drawings() if (FOLDER / f"{name}.svg").read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run: python -m datasets.decks"


def test_no_committed_file_is_left_over_and_the_files_are_small() -> None:
    names = {name for name, _ in drawings()}
    files = [file for file in FOLDER.rglob("*") if file.suffix in (".svg", ".webp")]
    assert {file.relative_to(FOLDER).with_suffix("").as_posix() for file in files} == names
    assert len(files) == 2 * len(names)
    assert max(file.stat().st_size for file in files if file.suffix == ".svg") < 15_000
    assert sum(file.stat().st_size for file in files if file.suffix == ".webp") < 3_000_000


@pytest.mark.parametrize(
    ("deck", "code"), [("italian", "7d"), ("italian", "Cs"), ("french", "10C"), ("french", "QH")]
)
def test_a_committed_picture_shows_its_drawing(deck: str, code: str) -> None:
    drawn = raster.face_image(DRAW[deck](code), RASTER_HEIGHT_PX)
    stored = load_face(deck, code, RASTER_HEIGHT_PX)
    # Rasterisers may round differently from version to version.
    assert np.abs(on_grey(drawn) - on_grey(stored)).mean() < 0.5


@pytest.mark.parametrize(("height_px", "least"), [(40, 1.2), (RASTER_HEIGHT_PX, 1.2)])
@pytest.mark.parametrize("deck", list(DECKS))
def test_all_faces_of_a_deck_look_different(deck: str, height_px: int, least: float) -> None:
    looks = {code: on_grey(load_face(deck, code, height_px)) for code in DECKS[deck]}
    closest = min((float(np.abs(looks[a] - looks[b]).mean()), a, b) for a, b in combinations(DECKS[deck], 2))
    assert closest[0] > least, closest


@pytest.mark.parametrize("deck", list(DECKS))
def test_a_card_is_opaque_with_clear_rounded_corners(deck: str) -> None:
    width, height = size_mm(deck)
    for code in DECKS[deck][:3]:
        image = load_face(deck, code, 300)
        assert image.dtype == np.uint8
        assert image.shape[::2] == (300, 4)
        assert abs(image.shape[1] - 300 * width / height) <= 1
        assert image[0, 0, 3] == image[-1, -1, 3] == 0
        assert image[150, 1:-1, 3].min() == 255


def test_no_dark_rim_comes_in_when_a_picture_is_scaled_down() -> None:
    image = load_face("french", "2H", 40)
    rim = image[(image[..., 3] > 30) & (image[..., 3] < 220)]
    assert len(rim)
    assert rim[:, :3].min() > 120


@pytest.mark.parametrize("deck", list(DECKS))
def test_back_pictures_have_the_size_of_the_deck(deck: str) -> None:
    for name in back_names():
        assert load_back(deck, name, 90).shape == load_face(deck, DECKS[deck][0], 90).shape


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: load_face("tarot", "7d", 40), "no deck 'tarot'"),
        (lambda: load_face("italian", "8d", 40), "no card '8d'"),
        (lambda: load_face("french", "7d", 40), "no card '7d'"),
        (lambda: load_face("italian", "7d", 0), "0 px"),
        (lambda: load_back("italian", "tartan", 40), "no back 'tartan'"),
        (lambda: italian.face_svg("7D"), "no Italian card"),
        (lambda: french.face_svg("1H"), "no French card"),
        (lambda: raster.face_image(french.face_svg("AH"), 0), "0 px"),
    ],
)
def test_what_cannot_be_drawn_says_so(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        call()  # type: ignore[operator]


@given(seed=st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_a_random_italian_printing_is_valid_and_the_same_for_the_same_seed(seed: int) -> None:
    style = italian.ItalianStyle.random(random.Random(seed))
    assert style == italian.ItalianStyle.random(random.Random(seed))
    for code in random.Random(seed).sample(ITALIAN_CODES, 6):
        text = italian.face_svg(code, style)
        expected = rank_count(code)
        if expected is None:
            ElementTree.fromstring(text)
        else:
            assert len(pips(text)) == expected


@example(seed=1915)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_a_random_french_printing_is_valid_and_its_pips_lie_on_the_card(seed: int) -> None:
    style = french.FrenchStyle.random(random.Random(seed))
    assert style == french.FrenchStyle.random(random.Random(seed))
    for code in random.Random(seed).sample(FRENCH_CODES, 6):
        found = pips(french.face_svg(code, style))
        expected = rank_count(code)
        if expected is not None and (style.pips in ("standard", "boxed") or expected == 1):
            assert len(found) <= expected
            assert len(found) == expected or expected == 1
        for pip in found:
            numbers = re.match(r"translate\((\S+) (\S+)\).*scale\((\S+)\)", pip.get("transform") or "")
            assert numbers
            # A pip is drawn 100 units high; printings without an index may set it close to the edge.
            x, y, half = float(numbers[1]), float(numbers[2]), 50 * float(numbers[3])
            assert half < x < style.size_mm[0] * 10 - half
            assert half < y < style.size_mm[1] * 10 - half


def test_random_printings_differ_from_one_another() -> None:
    assert len({italian.ItalianStyle.random(random.Random(seed)) for seed in range(50)}) == 50
    assert len({french.FrenchStyle.random(random.Random(seed)) for seed in range(50)}) == 50
    assert len({BackStyle.random(random.Random(seed)) for seed in range(50)}) == 50


@pytest.mark.parametrize("tradition", ["southern", "northern"])
@pytest.mark.parametrize("double_headed", [False, True])
@pytest.mark.parametrize("mirrored", [False, True])
def test_every_kind_of_italian_court_can_be_rasterised(
    tradition: str, double_headed: bool, mirrored: bool
) -> None:
    style = replace(
        italian.ItalianStyle(), tradition=tradition, double_headed=double_headed, mirrored=mirrored
    )
    image = on_grey(raster.face_image(italian.face_svg("Rb", style), 120))
    # A mirrored half stands upside down below: the drawing maps onto itself.
    turned = np.abs(image[8:-8, 8:-8] - image[::-1, ::-1][8:-8, 8:-8]).mean()
    assert (turned < 8) == double_headed


@pytest.mark.parametrize("rank", ["J", "Q", "K"])
@pytest.mark.parametrize("courts", ["figures", "busts", "emblem"])
def test_a_french_court_reads_the_same_upside_down(rank: str, courts: str) -> None:
    style = replace(french.FrenchStyle(), courts=courts)
    image = on_grey(raster.face_image(french.face_svg(f"{rank}H", style), 200))
    difference = np.abs(image - image[::-1, ::-1]).mean()
    # The one large sign of an emblem stands upright.
    assert difference < (6 if courts == "emblem" else 1.5)


@pytest.mark.parametrize("design", DESIGNS)
def test_a_back_does_not_betray_which_end_is_up(design: str) -> None:
    text = back_svg(BackStyle(design=design))
    ElementTree.fromstring(text)
    image = on_grey(raster.face_image(text, 220))
    assert np.abs(image - image[::-1, ::-1]).mean() < 4


def test_the_standard_backs_differ() -> None:
    assert len({back_svg(style) for style in STANDARD_BACKS.values()}) == len(STANDARD_BACKS) >= 4


@pytest.mark.parametrize("serif", [False, True])
@pytest.mark.parametrize("skeleton", ["round", "angular"])
@pytest.mark.parametrize("weight", [10.0, 22.0])
def test_index_characters_stay_apart_in_every_design(skeleton: str, serif: bool, weight: float) -> None:
    style = Lettering(skeleton=skeleton, serif=serif, weight=weight, contrast=1.5)
    looks = {}
    for character in "0123456789AJQKTVDRB":
        mark = draw_text(character, 50, 10, 80, "#000", style)
        looks[character] = on_grey(raster.face_image(svg.document(100, 100, mark, 0, "#fff"), 60))
    closest = min((float(np.abs(looks[a] - looks[b]).mean()), a, b) for a, b in combinations(looks, 2))
    assert closest[0] > 3, closest


def test_a_joined_ten_is_narrower_than_two_characters() -> None:
    style = Lettering()
    assert text_width("10", 70, style, 0.62) < text_width("10", 70, style)
    assert text_width("7", 140, style) == pytest.approx(2 * text_width("7", 70, style))


@pytest.mark.parametrize(
    ("value", "text"), [(3.0, "3"), (2.25, "2.2"), (-0.04, "0"), (-1.5, "-1.5"), (100.0, "100")]
)
def test_numbers_are_written_short(value: float, text: str) -> None:
    assert svg.num(value) == text


def test_path_data_is_stretched_without_its_pen() -> None:
    assert svg.stretched("M10 20H30V40L5-6Z", 2, 10) == "M 20 200 H 60 V 400 L 10 -60 Z"


@pytest.mark.parametrize(("deck", "pages"), [("italian", 10), ("french", 12)])
def test_a_sheet_has_faces_and_backs_on_the_right_paper(
    deck: str, pages: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("reportlab", reason="needs the package reportlab")
    from datasets.decks import sheet

    # Few dots: the number of pages and their size do not depend on it.
    monkeypatch.setattr(sheet, "DPI", 30)
    path = tmp_path / "deck.pdf"
    assert sheet.write_pdf(deck, path) == pages
    content = path.read_bytes()
    assert content.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b", content)) == pages
    boxes = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", content)
    assert len(boxes) == pages
    assert {(round(float(w) / 72 * 25.4), round(float(h) / 72 * 25.4)) for w, h in boxes} == {(210, 297)}


@pytest.mark.parametrize("deck", list(DECKS))
@pytest.mark.parametrize("paper", ["A4", "Letter", "A3"])
def test_cards_and_their_cut_marks_fit_on_the_paper(deck: str, paper: str) -> None:
    from datasets.decks import sheet

    columns, rows = sheet.grid(deck, paper)
    width, height = size_mm(deck)
    assert columns >= 2
    assert rows >= 2
    assert columns * width < sheet.PAPERS_MM[paper][0] - 12
    assert rows * height < sheet.PAPERS_MM[paper][1] - 12


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["paint"], "usage:"),
        (["print", "italian"], "usage:"),
        (["print", "tarot", "x.pdf"], "no deck 'tarot'"),
        (["print", "italian", "x.pdf", "A9"], "no paper 'A9'"),
    ],
)
def test_a_wrong_command_line_ends_with_one_line_and_status_two(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("reportlab", reason="needs the package reportlab")
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.strip().splitlines()) == 1


@given(seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_jumbo_index_signs_do_not_cover_the_pips_of_the_layout(seed: int) -> None:
    drawn = french.FrenchStyle.random(random.Random(seed))
    style = replace(drawn, index=max(drawn.index, 180.0), pips="standard", corners=2, index_beside=False)
    root = ElementTree.fromstring(french.face_svg("10C", style))
    signs = [element for element in root.iter(f"{SVG}use") if element.get("href") == "#pip-10C"]
    places: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for sign in signs:
        numbers = re.match(
            r"translate\((\S+) \S+\)(?: rotate\(180\))? scale\((\S+)\)", sign.get("transform") or ""
        )
        assert numbers
        half = float(numbers[2]) * 50 * style.shape.width
        places[sign.get("class") == "pip"].append((float(numbers[1]) - half, float(numbers[1]) + half))
    left = min(start for start, _ in places[True])
    # Two millimetres at most: the outermost pips of a wide layout.
    assert all(end <= left + 20 for _, end in places[False])
