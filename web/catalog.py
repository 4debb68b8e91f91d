"""Keep the translations: `python -m web.catalog` brings the .po files up to date and compiles them.

The English texts stand in the sources; web/translations/it/LC_MESSAGES/messages.po holds the Italian ones, and the
compiled messages.mo beside it is what the running dashboard reads.
"""

from __future__ import annotations

import io
import sys
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOM = Path(__file__).resolve().parent
TRANSLATIONS = ROOM / "translations"
# English is the language of the sources themselves.
TRANSLATED = ("it",)
# Catalogs carry dates; a fixed one makes the same texts the same file, byte for byte.
_DATE = datetime(2000, 1, 1, tzinfo=UTC)
_METHODS = [("**.py", "python"), ("**/templates/**.html", "jinja2")]


def po_path(language: str) -> Path:
    """Return where a language's translations are written by people."""
    return TRANSLATIONS / language / "LC_MESSAGES" / "messages.po"


def source_texts() -> Catalog:
    """Return every text of the dashboard's sources, with the files it stands in."""
    texts = Catalog(charset="utf-8")
    for file, _line, message, comments, context in extract_from_dir(ROOM, method_map=_METHODS):
        texts.add(
            message, None, [(f"web/{Path(file).as_posix()}", 0)], auto_comments=comments, context=context
        )
    return texts


def read_translations(language: str) -> Catalog:
    """Read a language's .po file."""
    with po_path(language).open("rb") as file:
        translations = read_po(file, locale=language)
    translations.creation_date = translations.revision_date = _DATE
    translations.project, translations.version = "Arbitro", "1"
    translations.msgid_bugs_address = translations.last_translator = translations.language_team = "Arbitro"
    translations.header_comment = (
        "# The dashboard's texts. Made up to date and compiled by `python -m web.catalog`."
    )
    return translations


def compiled(translations: Catalog) -> bytes:
    """Return the content of the .mo file."""
    file = io.BytesIO()
    write_mo(file, translations)
    return file.getvalue()


def untranslated(language: str) -> list[str]:
    """Return the sources' texts that a language has no translation for, or only a doubtful one."""
    translations = read_translations(language)
    missing = []
    for message in source_texts():
        if not message.id:
            continue
        translated = translations.get(message.id, message.context)
        if translated is None or not translated.string or translated.fuzzy:
            missing.append(str(message.id))
    return missing


def main() -> int:
    """Bring all catalogs up to date; exit status 1 tells that texts are missing."""
    complete = True
    for language in TRANSLATED:
        translations = read_translations(language)
        translations.update(source_texts(), no_fuzzy_matching=True, update_creation_date=False)
        translations.obsolete.clear()
        with po_path(language).open("wb") as file:
            write_po(file, translations, width=110, sort_output=True, omit_header=False, include_lineno=False)
        po_path(language).with_suffix(".mo").write_bytes(compiled(translations))
        for text in untranslated(language):
            complete = False
            print(f"{language}: not translated: {text}", file=sys.stderr)
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
