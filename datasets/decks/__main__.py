"""Write the decks again, or print one.

`python -m datasets.decks` draws every SVG file and picture of the two decks;
`python -m datasets.decks print italian deck.pdf` writes a sheet to cut out (add A4, Letter or A3).
"""

from __future__ import annotations

import sys


def main(arguments: list[str]) -> int:
    """Run the command line; give the exit status (2 for a usage error)."""
    if not arguments:
        from datasets.decks.generate import write_all

        print(f"{write_all()} drawings written")
        return 0
    if arguments[0] != "print" or len(arguments) not in (3, 4):
        print(
            "usage: python -m datasets.decks [print italian|french FILE.pdf [A4|Letter|A3]]", file=sys.stderr
        )
        return 2
    try:
        from datasets.decks.sheet import write_pdf

        pages = write_pdf(*arguments[1:])
    except ImportError as missing:
        print(f"printing needs the package {missing.name}: pip install 'arbitro[print]'", file=sys.stderr)
        return 2
    except (OSError, ValueError) as problem:
        print(problem, file=sys.stderr)
        return 2
    print(f"{arguments[2]}: {pages} pages, print them at 100 %, on both sides, turned over the long side")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
