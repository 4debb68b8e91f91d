"""Films of whole hands of cards, as a camera above the table sees them, with exact ground truth.

A film is drawn from nothing but the project's own files: `hands` deals and plays, `script` gives every card and hand
its motions, `setting` furnishes the room, `render` draws the frames, `write` encodes them and writes the truth beside.
"""

from pathlib import Path

_DEMO = Path(__file__).parent / "demo" / "scopa.mp4"


def demo_film_path() -> Path:
    """Return the film of a hand of Scopa for two that comes with the project; its record lies beside it (.jsonl).

    Raises:
        FileNotFoundError: when the film is missing from this copy of the project.
    """
    if not _DEMO.is_file():
        raise FileNotFoundError(f"the demo film {_DEMO.name} is missing from {_DEMO.parent}; fetch the project again")
    return _DEMO


def demo_record_path() -> Path:
    """Return the hand record of the demo film: what the film truly shows."""
    return demo_film_path().with_suffix(".jsonl")
