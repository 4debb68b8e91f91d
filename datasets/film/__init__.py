"""Films of whole hands of cards, as a camera above the table sees them, with exact ground truth.

A film is drawn from nothing but the project's own files: `hands` deals and plays, `script` gives every card and hand
its motions, `setting` furnishes the room, `render` draws the frames, `write` encodes them and writes the truth beside.
"""

from pathlib import Path

#: Where the demo film lies, and its name without ending.
DEMO_FOLDER, DEMO_NAME = Path(__file__).parent / "demo", "scopa"


def demo_film_path() -> Path:
    """Return the film of a hand of Scopa for two that comes with the project; its record lies beside it (.jsonl).

    Raises:
        FileNotFoundError: when the film is missing from this copy of the project.
    """
    film = DEMO_FOLDER / f"{DEMO_NAME}.mp4"
    if not film.is_file():
        raise FileNotFoundError(f"the demo film {film.name} is missing from {film.parent}; fetch the project again")
    return film


def demo_record_path() -> Path:
    """Return the hand record of the demo film: what the film truly shows."""
    return demo_film_path().with_suffix(".jsonl")
