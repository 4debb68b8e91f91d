"""The referee: what the rules make of hands that were seen, and films that cannot be judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from arbitro.__main__ import main
from arbitro.errors import UnusableInputError
from arbitro.referee import Referee
from tests.vision.builders import write_film
from tests.vision.hands.painted import PaintedArm, frames
from vision.camera import Frame
from vision.hands.approach import Approach
from vision.hands.seats import Seats
from vision.hands.slaps import Dispute, HandSeen, SlapLook
from vision.hands.stacking import Stacking
from vision.replay import ReplayBuffer

SEATS = Seats((270.0, 0.0, 90.0))
NO_LOOK = cast(SlapLook, None)


def hand(player: int | None, t_ms: float, error_ms: float = 10.0, pile: int | None = 0) -> HandSeen:
    return HandSeen(player, 0.0, t_ms, error_ms, 0, 9, "slap", cast(Approach, None), pile)


def dispute(*hands: HandSeen, on_top: tuple[tuple[int, int], ...] = (), hovers: tuple[HandSeen, ...] = (),
            unseen: int = 0, watched: bool = True) -> Dispute:
    """`on_top` holds pairs of places, the upper one first."""
    stackings = {}
    for upper, lower in on_top:
        pair = (min(upper, lower), max(upper, lower))
        stackings[pair] = Stacking(200, 0 if upper == pair[0] else 1, 0.95, 150)
    return Dispute(hands, hovers, unseen, watched, stackings)


def tops(card: str | None, player: int | None = 1, t_ms: float | None = 600.0) -> list[dict[str, Any]]:
    return [{"t_ms": t_ms, "error_ms": 20.0, "player": player, "pile": 0, "card": card, "confidence": 0.9,
             "call": None, "counted": True}]


def judged(game: str, case: Dispute, card: str | None, **more: Any) -> dict[str, Any]:
    referee = Referee(game, SEATS, None, **more)
    # The card came during the film, upon what lay there when it began.
    lying, came = referee.with_calls([*tops(None, None, None), *tops(card)], referee.laid)
    return referee.settle(NO_LOOK, case, [came] if came["call"] or game != "irish-snap" else [lying, came]).document


def test_the_first_at_a_jack_wins_by_time() -> None:
    told = judged("slapjack", dispute(hand(2, 1000), hand(0, 1060)), "JS")
    assert (told["verdict"], told["evidence"], told["top_card"]) == ("player 2", "time", "JS")
    assert [touch["player"] for touch in told["order"]] == [2, 0]


def test_who_lies_underneath_wins_whatever_the_times_leave_open() -> None:
    told = judged("slapjack", dispute(hand(2, 1000), hand(0, 1005), on_top=((0, 1),)), "JH")
    assert (told["verdict"], told["evidence"]) == ("player 0", "occlusion")
    assert told["order"][1]["under"] == [2]


def test_both_together() -> None:
    told = judged("slapjack", dispute(hand(2, 1000), hand(0, 1060), on_top=((1, 0),)), "JH")
    assert (told["verdict"], told["evidence"]) == ("player 2", "both")


def test_times_within_the_errors_are_too_close() -> None:
    told = judged("slapjack", dispute(hand(2, 1000), hand(0, 1015)), "JH")
    assert (told["verdict"], told["evidence"]) == ("too-close", "")


def test_contradicting_evidence_is_not_clear() -> None:
    told = judged("slapjack", dispute(hand(2, 1000), hand(0, 1100), on_top=((0, 1),)), "JH")
    assert told["verdict"] == "unclear"


def test_a_slap_at_another_card_is_false() -> None:
    assert judged("slapjack", dispute(hand(2, 1000)), "7D")["verdict"] == "false"


def test_a_card_that_was_not_read_leaves_it_open() -> None:
    assert judged("slapjack", dispute(hand(2, 1000)), None)["verdict"] == "unclear"


def test_a_hand_that_is_nobodys_leaves_it_open() -> None:
    told = judged("slapjack", dispute(hand(None, 1000), hand(0, 1100)), "JH")
    assert (told["verdict"], told["why"]) == ("unclear", "slap-unknown-hand")


def test_a_hand_that_was_there_unseen_leaves_it_open() -> None:
    told = judged("slapjack", dispute(hand(2, 1000), hand(0, 1100), unseen=1), "JH")
    assert (told["verdict"], told["why"]) == ("unclear", "slap-unseen-hand")
    assert judged("slapjack", dispute(hand(2, 1000), unseen=1), "7H")["verdict"] == "false"


@pytest.mark.parametrize(("when", "verdict"), [(990.0, "unclear"), (1500.0, "player 2")])
def test_a_hand_that_came_and_went_matters_only_if_it_was_first(when: float, verdict: str) -> None:
    told = judged("slapjack", dispute(hand(2, 1000), hand(0, 1100), hovers=(hand(1, when),)), "JH")
    assert told["verdict"] == verdict


def test_a_pile_that_was_not_seen_just_before_leaves_it_open() -> None:
    """A second card had come, unseen, before the hands: what was read before it made a slap at a jack a false one."""
    told = judged("slapjack", dispute(hand(0, 1565), hand(2, 1680), watched=False), "10S")
    assert (told["verdict"], told["why"]) == ("unclear", "slap-unwatched")


SPIT_SEATS = Seats((90.0, 270.0))


def grabbed(*hands: HandSeen) -> dict[str, Any]:
    return Referee("spit", SPIT_SEATS, None).settle(NO_LOOK, dispute(*hands), tops("9D", None, None)).document


def test_hands_that_grab_different_piles_get_both() -> None:
    """Two players who each grabbed a pile were said to have grabbed one, which the first of them got."""
    told = grabbed(hand(0, 743, 27, pile=0), hand(1, 889, 24, pile=1))
    assert (told["verdict"], [touch["pile"] for touch in told["order"]]) == ("both", [0, 1])
    assert grabbed(hand(0, 743, 27), hand(1, 889, 24))["verdict"] == "player 0"


def landed(*came: dict[str, Any]) -> list[tuple[Any, ...]]:
    lying = {"t_ms": None, "error_ms": None, "player": None, "pile": 0, "card": "9H", "from": 0}
    told = Referee("spit", SPIT_SEATS, None)._landings(NO_LOOK, [lying, *came], [])
    return [(each["player"], each["card"], each["on"], each["ruling"]) for each in told]


def came(player: int | None, card: str | None, t_ms: float, seen_from: int) -> dict[str, Any]:
    return {"t_ms": t_ms, "error_ms": 30.0, "player": player, "pile": 0, "card": card, "from": seen_from}


def test_a_card_that_nobody_is_known_to_have_laid_lies_there_all_the_same() -> None:
    """The card after one whose player was not known was ruled on as if that one did not lie there."""
    assert landed(came(None, "6H", 1840, 27), came(0, "5S", 2720, 37)) == [(0, "5S", "6H", "legal")]


def test_after_two_cards_in_an_open_order_the_next_lies_on_the_one_that_is_seen() -> None:
    told = landed(came(0, None, 1000, 30), came(1, "6H", 1020, 30), came(0, "5S", 2000, 60))
    assert told[2] == (0, "5S", "6H", "legal")
    assert [each[3] for each in told[:2]] == ["unclear", "unclear"]


def test_a_hand_between_two_piles_leaves_it_open() -> None:
    told = grabbed(hand(0, 743, 27, pile=None), hand(1, 889, 24, pile=1))
    assert (told["verdict"], told["why"]) == ("unclear", "slap-between-piles")


def test_two_hands_of_one_player_are_his() -> None:
    told = judged("slapjack", dispute(hand(2, 1000), hand(2, 1005), hand(0, 1100), on_top=((1, 0),)), "JC")
    assert told["verdict"] == "player 2"
    assert told["order"][0]["under"] == []


def test_irish_snap_needs_the_call_to_be_known() -> None:
    case = dispute(hand(2, 1000), hand(0, 1060), hand(1, 1200))
    assert judged("irish-snap", case, "4D", laid=3)["verdict"] == "player 1"
    # Called was "Five": all of these are false slaps, and the first takes the pile.
    assert judged("irish-snap", case, "4D", laid=4)["verdict"] == "player 2"


def test_irish_snap_who_did_not_slap_takes() -> None:
    told = judged("irish-snap", dispute(hand(2, 1000), hand(0, 1060)), "4D", laid=3)
    assert told["verdict"] == "player 1"


def test_the_record_before_the_film_goes_on() -> None:
    before = [
        {"type": "match", "format": 1, "game": "slapjack", "players": ["A", "B", "C"], "dealer": 0, "options": {}},
        {"type": "flip", "player": 1, "card": "4H"},
    ]
    settled = Referee("slapjack", SEATS, None, before=before).settle(
        NO_LOOK, dispute(hand(2, 1000)), tops("JH", player=2)
    )
    assert [event["type"] for event in settled.events] == ["match", "flip", "flip", "slap"]


@pytest.mark.parametrize("game", ["scopa", "speed"])
def test_games_without_slaps_are_refused(game: str) -> None:
    with pytest.raises(UnusableInputError, match="no slaps"):
        Referee(game, SEATS, None)


def test_spit_is_for_two() -> None:
    with pytest.raises(UnusableInputError, match="two seats"):
        Referee("spit", SEATS, None)


# The command line


def called(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["referee", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_a_film_without_hands_has_no_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ReplayBuffer(patient=True) as buffer:
        for frame in frames([], length_ms=400):
            buffer.add(frame)
        buffer.save(tmp_path / "f.mp4", 0, 400)
    status, out, _ = called(capsys, str(tmp_path / "f.mp4"), "--json")
    assert status == 1
    document = json.loads(out)
    assert (document["slaps"], document["warnings"]) == ([], ["slap-no-hands"])


def test_a_film_of_three_frames_is_too_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_film(tmp_path / "f.mp4", 3)
    status, out, _ = called(capsys, str(tmp_path / "f.mp4"), "--lang", "it")
    assert status == 1
    assert out.count("\n") == 1 and "troppo corto" in out


def filmed(path: Path, arms: list[PaintedArm], *, turned: bool = False, length_ms: float = 1300) -> str:
    """Film arms; `turned` as by a camera that hangs upside down."""
    with ReplayBuffer(patient=True) as buffer:
        for frame in frames(arms, length_ms=length_ms):
            image = np.ascontiguousarray(frame.image[::-1, ::-1]) if turned else frame.image
            buffer.add(Frame(image, frame.t_ms, frame.index))
        buffer.save(path, 0, length_ms)
    return str(path)


def test_a_film_with_hands_and_no_slap_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    film = filmed(tmp_path / "f.mp4", [PaintedArm(270, 600, 720, feint_mm=70)])
    status, out, _ = called(capsys, film, "--no-pictures", "--json")
    document = json.loads(out)
    assert (status, document["slaps"], document["warnings"]) == (1, [], ["slap-none"])


def test_a_film_upside_down_makes_hands_nobodys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    film = filmed(tmp_path / "f.mp4", [PaintedArm(270, 600, 1200), PaintedArm(0, 700, 1200)], turned=True)
    status, out, _ = called(capsys, film, "--seats", "bottom,right", "--no-pictures", "--json")
    (slap,) = json.loads(out)["slaps"]
    assert (status, slap["verdict"], slap["why"]) == (1, "unclear", "slap-unknown-hand")


def test_a_film_with_seven_hands_gets_a_plain_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    angles = [round(270 + 360 * seat / 7) % 360 for seat in range(7)]
    arms = [PaintedArm(angle, 600 + 40 * place, 1300, beyond_px=-14) for place, angle in enumerate(angles)]
    film = filmed(tmp_path / "f.mp4", arms, length_ms=1250)
    status, out, _ = called(capsys, film, "--seats", ",".join(map(str, angles)), "--no-pictures", "--json")
    (slap,) = json.loads(out)["slaps"]
    # No card can be read there, so nothing is decided; every hand that is told is that of somebody who was there.
    assert (status, slap["verdict"]) == (1, "unclear")
    assert len(slap["order"]) >= 2 and {touch["player"] for touch in slap["order"]} <= set(range(7))


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("missing.mp4",), "no file"),
        (("{film}", "--seats", "bottom,middle"), "no seat"),
        (("{film}", "--seats", "bottom,top", "--players", "A"), "give each player a seat"),
        (("{film}", "--game", "scopa"), "no slaps"),
        (("{film}", "--record", "missing.jsonl"), "cannot be read"),
        (("{broken}",), "not a film"),
    ],
)
def test_what_cannot_be_used_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], why: str
) -> None:
    write_film(tmp_path / "f.mp4")
    (tmp_path / "broken.mp4").write_bytes(b"\x00\x01broken" * 400)
    named = {"film": str(tmp_path / "f.mp4"), "broken": str(tmp_path / "broken.mp4")}
    status, out, err = called(capsys, *(argument.format(**named) for argument in arguments))
    assert (status, out) == (2, "")
    assert err.count("\n") == 1 and why in err
