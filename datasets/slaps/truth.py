"""What a film of slaps shows, exactly, and what the rules say of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.slaps.case import Case, side_of
from datasets.slaps.course import SlapCourse
from datasets.slaps.layers import HandLayer
from datasets.slaps.stage import Stage
from datasets.slaps.timeline import Slot
from rules.cards import FRENCH_RANKS
from rules.games.spit import lay_out
from rules.record import Event, parse_record, read_header, write_record
from scorer import score_record

#: Hands are looked at on a picture this much smaller; an overlap counts from this share of the smaller hand on.
_SCALE, _OVERLAP_SHARE = 0.5, 0.02

#: How long after the later of two contacts their overlap is looked at, ms.
_SETTLED_MS = 12.0


def film_truth(stage: Stage, slots: Sequence[Slot], fps: float) -> dict[str, Any]:
    """Return the truth of a film; docs/films.md has its form. Times are ms of the film, pixels of the picture."""
    case, room = stage.case, stage.room
    overlaps = hand_overlaps(stage)
    events = record_of(case, overlaps)
    document = score_record(events)
    piles = [{"quad": _quad(_pile_quad(stage, pile)), "height_mm": round(stage.heights_mm[pile], 2),
              "cards": list(case.piles[pile])} for pile in range(len(case.piles))]
    truth: dict[str, Any] = {
        "game": case.game, "fps": fps, "size": list(room.camera.size), "kind": case.kind, "gap_class": case.gap_class,
        "seats": [{"player": player, "side": side_of(angle), "angle_deg": round(angle % 360, 1)}
                  for player, angle in enumerate(case.angles_deg)],
        "pile": piles[0], "piles": piles, "px_per_mm": round(room.px_per_mm, 4),
        "laid_before": len(case.piles[0]), "plays": _plays(stage, document),
        "slaps": [_dispute(stage, overlaps, events, document)] if case.hands else [],
        "shutter": {"interval_ms": round(room.shutter.interval_ms, 3),
                    "exposure_ms": round(room.shutter.exposure_ms, 3),
                    "readout_ms": round(room.shutter.readout_ms, 3)},
        "frames": [slot.as_json(room.shutter.exposure_ms) for slot in slots],
    }
    return truth


# The record ---------------------------------------------------------------------------------------------------------


def record_of(case: Case, overlaps: Sequence[tuple[int, int]]) -> list[Event]:
    """Return the hand record that somebody with perfect knowledge would write of a case.

    Args:
        case: what happens.
        overlaps: pairs of hands of the case, the lower one first.
    """
    players = [f"Player {player}" for player in range(case.players)]
    events: list[Event] = [{"type": "match", "format": 1, "game": case.game, "players": players,
                            "dealer": (case.first_player - 1) % case.players, "options": {}}]
    timed: list[tuple[float, Event]] = []
    if case.game == "spit":
        laid = [len(cards) for cards in case.piles]
        header = read_header(events[0])
        layout = lay_out(header, (26, 26))
        events.append({"type": "layout", "stocks": list(layout.stocks), "spit": list(layout.spit)})
        events += [{"type": "spit", "cards": list(cards)} for cards in zip(*case.piles, strict=False)][:min(laid)]
        timed += [(flip.lands_ms, {"type": "land", "player": flip.player, "card": flip.code, "pile": flip.pile,
                                   "t_ms": flip.lands_ms, "error_ms": 0}) for flip in case.flips]
    else:
        events += [{"type": "flip", "player": (case.first_player + index) % case.players, "card": code}
                   for index, code in enumerate(case.piles[0])]
        timed += [(flip.lands_ms, {"type": "flip", "player": flip.player, "card": flip.code, "t_ms": flip.lands_ms})
                  for flip in case.flips]
    counts = counting_hands(case)
    for index in counts:
        hand = case.hands[index]
        above = [case.hands[upper].player for lower, upper in overlaps if lower == index and upper in counts]
        event: Event = {"type": "grab" if case.game == "spit" else "slap", "player": hand.player,
                        "t_ms": hand.touches_ms, "error_ms": 0, "under": above}
        if case.game == "spit":
            event["pile"] = hand.pile
        timed.append((hand.touches_ms, event))
    return events + [event for _, event in sorted(timed, key=lambda pair: pair[0])]


def counting_hands(case: Case) -> list[int]:
    """Return the numbers of the hands that count: of every player the first that touched."""
    found: dict[int, int] = {}
    for index, hand in sorted(enumerate(case.hands), key=lambda pair: pair[1].touches_ms):
        if not hand.feint:
            found.setdefault(hand.player, index)
    return sorted(found.values())


def record_text(case: Case, overlaps: Sequence[tuple[int, int]]) -> str:
    """Return the record as text, checked by the project's own reader."""
    text = write_record(record_of(case, overlaps))
    parse_record(text)
    return text


# What is seen -------------------------------------------------------------------------------------------------------


def hand_overlaps(stage: Stage) -> list[tuple[int, int]]:
    """Return the pairs of hands of the case of which one lies partly on the other, the lower one first."""
    hands = stage.case.hands
    pairs = []
    for a in range(len(hands)):
        for b in range(len(hands)):
            if a == b or hands[a].feint or hands[b].feint or (hands[a].touches_ms, a) > (hands[b].touches_ms, b):
                continue
            t_ms = hands[b].touches_ms + _SETTLED_MS
            if t_ms >= hands[a].parted_ms:
                continue
            lower, upper = (stage.hands[i].mask(t_ms, stage.room.camera.size, _SCALE, hand_only=True) for i in (a, b))
            smaller = min(int(lower.sum()), int(upper.sum()))
            if smaller and int((lower & upper).sum()) > _OVERLAP_SHARE * smaller:
                pairs.append((a, b))
    return pairs


def _arms_cross(stage: Stage) -> bool:
    """Tell whether a forearm lies over another one, or over a hand, when the last hand has touched."""
    down = [index for index, hand in enumerate(stage.case.hands) if not hand.feint]
    if len(down) < 2:
        return False
    t_ms = max(stage.case.hands[index].touches_ms for index in down) + _SETTLED_MS
    size = stage.room.camera.size
    found = [(layer.mask(t_ms, size, _SCALE), layer.mask(t_ms, size, _SCALE, hand_only=True))
             for layer in (stage.hands[index] for index in down if stage.case.hands[index].parted_ms > t_ms)]
    return any(int((whole & ~hand & other).sum()) > _OVERLAP_SHARE * int(hand.sum())
               for i, (whole, hand) in enumerate(found) for j, (other, _) in enumerate(found) if i != j)


def outlines(stage: Stage, t_ms: float) -> list[dict[str, Any]]:
    """Return every hand that is in the picture at a time: player, hand, palm, its whole outline and the part seen.

    The outline is that of hand and arm, in pixels, also where other hands lie over it; `seen` is the share of it that
    is not covered by others.
    """
    size = stage.room.camera.size
    found = []
    layers = [layer for layer in stage.layers if isinstance(layer, HandLayer) and layer.seen(t_ms, t_ms)]
    masks = [layer.mask(t_ms, size) for layer in layers]
    covered = np.zeros((size[1], size[0]), bool)
    for layer, mask in reversed(list(zip(layers, masks, strict=True))):
        area = int(mask.sum())
        if area:
            shapes, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
            shape = cv2.approxPolyDP(max(shapes, key=cv2.contourArea), 0.8, True).reshape(-1, 2)
            _, palm, _ = layer.fingers_px(t_ms)
            found.append({
                "player": layer.player, "hand": layer.side, "slaps": isinstance(layer.course, SlapCourse),
                "z_mm": round(layer.course.at(t_ms).z, 1), "palm": [round(float(v), 1) for v in palm],
                "outline": shape.tolist(), "seen": round(1 - int((mask & covered).sum()) / area, 3)})
        covered |= mask
    return found[::-1]


def _pile_quad(stage: Stage, pile: int) -> NDArray[np.float32]:
    """Return the smallest rectangle around the cards that lie in a pile at the film's start."""
    points = [layer.quad(0.0) for layer in stage.cards[pile] if layer.course.track is None]
    if not points:
        points = [stage.room.pixels(np.array([(*stage.piles_mm[pile], 0.0)]))]
    return cv2.boxPoints(cv2.minAreaRect(np.concatenate(points)))


def _quad(quad: NDArray[np.floating]) -> list[list[float]]:
    return [[round(float(x) + 0.5, 1), round(float(y) + 0.5, 1)] for x, y in quad]


# What the rules say -------------------------------------------------------------------------------------------------


def _plays(stage: Stage, document: dict[str, Any]) -> list[dict[str, Any]]:
    case = stage.case
    flips = sorted(case.flips, key=lambda flip: flip.lands_ms)
    told = document["landings" if case.game == "spit" else "flips"]
    told = told[len(told) - len(flips):]
    plays = []
    for number, (flip, ruling) in enumerate(zip(flips, told, strict=True)):
        play: dict[str, Any] = {"card": flip.code, "player": flip.player, "t_ms": round(flip.lands_ms, 2),
                                "quad": _quad(stage.flips[number].quad(flip.lands_ms))}
        if case.game == "spit":
            play.update(pile=flip.pile, on=ruling["on"], ruling=ruling["ruling"], reasons=ruling["reasons"])
        elif case.game == "irish-snap":
            play["call"] = FRENCH_RANKS[(len(case.piles[0]) + number) % len(FRENCH_RANKS)]
        plays.append(play)
    return plays


def _dispute(stage: Stage, overlaps: Sequence[tuple[int, int]], events: Sequence[Event], document: dict[str, Any]
             ) -> dict[str, Any]:
    case = stage.case
    touching = [hand.touches_ms for hand in case.hands if not hand.feint]
    first = min(touching, default=min(hand.touches_ms for hand in case.hands))
    counts = counting_hands(case)
    pairs = [(case.hands[a].player, case.hands[b].player) for a, b in overlaps if a in counts and b in counts]
    stacked = sorted({index for pair in overlaps if pair[0] in counts and pair[1] in counts for index in pair},
                     key=lambda index: case.hands[index].touches_ms)
    rulings = _rulings(events, document)
    dispute: dict[str, Any] = {
        "t_ms": round(first, 3), "top_card": _top_card(case, first),
        "hands": [_hand_truth(stage, index, counts) for index in range(len(case.hands))],
        "order_bottom_up": [case.hands[index].player for index in stacked],
        "overlaps": [list(pair) for pair in pairs], "hand_overlaps": [list(pair) for pair in overlaps],
        "arms_cross": _arms_cross(stage), "kind": case.kind, "verdict": _verdict(case, rulings), "rulings": rulings,
    }
    deciding = deciding_hands(case, rulings)
    if deciding is not None:
        a, b = (case.hands[index] for index in deciding)
        dispute["deciding"] = list(deciding)
        dispute["gap_ms"] = round(abs(b.touches_ms - a.touches_ms), 3)
        dispute["gap_frames"] = round(abs(b.touches_ms - a.touches_ms) / stage.room.shutter.interval_ms, 3)
        dispute["deciding_overlap"] = any(set(pair) == set(deciding) for pair in overlaps)
    return dispute


def _hand_truth(stage: Stage, index: int, counts: Sequence[int]) -> dict[str, Any]:
    case, hand = stage.case, stage.case.hands[index]
    truth: dict[str, Any] = {
        "player": hand.player, "hand": hand.side,
        "contact_ms": None if hand.feint else round(hand.touches_ms, 3), "parted_ms": round(hand.parted_ms, 3),
        "counts": index in counts,
    }
    if hand.feint:
        truth["stops_ms"], truth["stops_mm"] = round(hand.touches_ms, 3), round(hand.stops_mm, 1)
    if len(case.piles) > 1:
        truth["pile"] = hand.pile
    return truth


def _top_card(case: Case, t_ms: float) -> str | None:
    """Return the card that lies uppermost on the first pile at a time."""
    landed = [flip for flip in sorted(case.flips, key=lambda flip: flip.lands_ms)
              if flip.lands_ms <= t_ms and flip.pile == 0]
    return landed[-1].code if landed else case.piles[0][-1] if case.piles[0] else None


def _rulings(events: Sequence[Event], document: dict[str, Any]) -> list[dict[str, Any]]:
    told = document["grabs" if events[0]["game"] == "spit" else "slaps"]
    return [{key: entry[key] for key in ("player", "pile", "verdict", "why_code") if key in entry} for entry in told]


def _verdict(case: Case, rulings: Sequence[dict[str, Any]]) -> str:
    """Return who wins, takes or gets the pile as `player N`; `both`, `false`, `unclear` or `none` else."""
    if sum(ruling["verdict"] == "gets" for ruling in rulings) > 1:
        return "both"
    for ruling in rulings:
        if ruling["verdict"] in ("wins", "takes", "gets") and (
                case.game != "irish-snap" or ruling["verdict"] == "takes"):
            return f"player {ruling['player']}"
    words = {ruling["verdict"] for ruling in rulings}
    return next((word for word in ("unclear", "too-close", "false") if word in words), "none")


def deciding_hands(case: Case, rulings: Sequence[dict[str, Any]]) -> tuple[int, int] | None:
    """Return the two hands whose order decides: the first two, or the last two where the last one takes the pile."""
    counts = sorted(counting_hands(case), key=lambda index: case.hands[index].touches_ms)
    if counts and case.game == "spit":
        counts = [index for index in counts if case.hands[index].pile == case.hands[counts[0]].pile]
    if len(counts) < 2 or (case.game == "slapjack" and case.kind == "false"):
        return None
    if case.game == "irish-snap" and case.kind == "slap":
        slapped = {case.hands[index].player for index in counts}
        return None if len(slapped) < case.players else (counts[-2], counts[-1])
    return counts[0], counts[1]
