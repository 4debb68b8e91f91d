"""The options of the games, as data.

Each game has a typed set of options; each option has a default, its allowed values and one sentence that says what it
changes. The command line, the set-up form of the dashboard and the rules page of the documentation are all made from
this table, and a hand record is checked against it. A preset is a named set of options and nothing more.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

Value = bool | int | str
Options = Mapping[str, Value]
"""All options of one game, by name, each with an allowed value."""


class OptionError(ValueError):
    """Say which option or value is not known, and which one is nearest.

    ``code``, ``near`` and ``args_by_name`` tell the same without words; ``text`` words it.
    """

    def __init__(self, code: str, near: str | None = None, **args_by_name: str | Mapping[str, str]) -> None:
        """Keep what is wrong and what is nearest to it; the error's own text is the English one."""
        self.code = code
        self.near = near
        self.args_by_name = args_by_name
        super().__init__(self.text("en"))

    def text(self, language: str) -> str:
        """Give the error in ``en`` or ``it``, in one line."""
        words = {name: word if isinstance(word, str) else word[language]
                 for name, word in self.args_by_name.items()}
        hint = _DID_YOU_MEAN[language].format(near=self.near) if self.near else ""
        return _COMPLAINTS[self.code][language].format(hint=hint, **words).rstrip(": ")


_DID_YOU_MEAN = {"en": "did you mean {near}? ", "it": "forse {near}? "}
_COMPLAINTS = {
    "no-game": {"en": "{game} is not a game known here: {hint}the games are {known}",
                "it": "{game} non è un gioco che si conosca qui: {hint}i giochi sono {known}"},
    "no-option": {"en": "{game} has no option {name}: {hint}its options are {known}",
                  "it": "{game} non ha l'opzione {name}: {hint}le sue opzioni sono {known}"},
    "no-preset": {"en": "{game} has no preset {name}: {hint}its presets: {known}",
                  "it": "{game} non ha la raccolta {name}: {hint}le sue raccolte: {known}"},
    "not-allowed": {"en": "option {name}: {given} is not {known}: {hint}",
                    "it": "opzione {name}: {given} non è un valore possibile ({known}): {hint}"},
    "no-choice": {"en": "option {name}: {given} is not known: {hint}allowed: {known}",
                  "it": "opzione {name}: {given} non si conosce: {hint}valori: {known}"},
    "conflict": {"en": "option {name}: cannot go with {other}", "it": "opzione {name}: non va con {other}"},
    "pairs": {"en": "option team: scopone is played in pairs, so team cannot be no",
              "it": "opzione team: lo scopone si gioca a coppie, team non può essere no"},
}


@dataclass(frozen=True, slots=True)
class Option:
    """Describe one option of a game.

    ``default`` is of the option's type: a bool (yes or no), an int (``minimum`` to ``maximum``), or one of ``choices``.
    ``means`` gives other spellings of a choice. ``sentence`` says in ``en`` and ``it`` what the option changes.
    """

    name: str
    default: Value
    sentence: Mapping[str, str]
    choices: tuple[str, ...] = ()
    minimum: int = 0
    maximum: int = 0
    aliases: tuple[str, ...] = ()
    means: Mapping[Value, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """Give ``yes-no``, ``number`` or ``choice``."""
        if isinstance(self.default, bool):
            return "yes-no"
        return "number" if isinstance(self.default, int) else "choice"

    @property
    def allowed(self) -> Mapping[str, str]:
        """Give the allowed values in words, in ``en`` and ``it``."""
        if self.kind == "yes-no":
            return {"en": "yes or no", "it": "sì o no"}
        if self.kind == "number":
            return {"en": f"a whole number from {self.minimum} to {self.maximum}",
                    "it": f"un numero intero da {self.minimum} a {self.maximum}"}
        return dict.fromkeys(("en", "it"), " | ".join(self.choices))

    def value(self, given: object) -> Value:
        """Give the value that was meant, from JSON or from the text of a command line; raise ``OptionError``."""
        near = None
        if self.kind == "yes-no":
            meant = given if isinstance(given, bool) else _YES_NO.get(str(given).strip().lower())
            if meant is not None:
                return meant
        elif self.kind == "number":
            number = _whole_number(given)
            if number is not None and self.minimum <= number <= self.maximum:
                return number
            if number is not None:
                near = str(min(max(number, self.minimum), self.maximum))
        else:
            return self._choice(given)
        raise OptionError("not-allowed", near, name=self.name, given=_shown(given), known=self.allowed)

    def _choice(self, given: object) -> str:
        if isinstance(given, (bool, int, str)):
            # A truth value and the number 1 are the same key of a mapping, and must not be taken for one another.
            for spelling, choice in self.means.items():
                if type(spelling) is type(given) and spelling == given:
                    return choice
        text = str(given).strip().lower()
        if text in self.choices:
            return text
        spellings = {str(spelling).lower(): choice for spelling, choice in self.means.items()}
        if isinstance(given, str) and text in spellings:
            return spellings[text]
        raise OptionError("no-choice", nearest(text, self.choices), name=self.name, given=_shown(given),
                          known=self.allowed)


_YES_NO = {"yes": True, "no": False, "true": True, "false": False, "on": True, "off": False, "1": True, "0": False,
           "sì": True, "si": True}


def _whole_number(given: object) -> int | None:
    if isinstance(given, bool):
        return None
    if isinstance(given, int):
        return given
    if isinstance(given, str) and given.strip().isascii() and given.strip().isdigit() and len(given.strip()) < 10:
        return int(given.strip())
    return None


def _shown(given: object) -> str:
    text = repr(given)
    return text if len(text) <= 40 else text[:37] + "..."


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Give the name that is most like one that is not known, or none."""
    found = difflib.get_close_matches(name.lower(), list(names), n=1, cutoff=0.5)
    return found[0] if found else None


def _yes_no(name: str, en: str, it: str, aliases: tuple[str, ...] = ()) -> Option:
    return Option(name, False, {"en": en, "it": it}, aliases=aliases)


def _target(default: int, en: str, it: str) -> Option:
    return Option("target", default, {"en": en, "it": it}, minimum=1, maximum=1000)


_NAPOLA = _yes_no(
    "napola", "Ace, 2 and 3 of denari in one pile are worth 3 points, and each next denari in sequence one more.",
    "Asso, 2 e 3 di denari nello stesso mazzo valgono 3 punti, e ogni denari seguente in scala uno in più.")
_RE_BELLO = _yes_no("re_bello", "The king of denari is worth 1 point.", "Il re di denari vale 1 punto.")

_SCOPA = (
    _target(11, "Points that win the match; 21 in scopone unless another number is given.",
            "Punti che vincono la partita; 21 nello scopone se non se ne dà un altro numero."),
    _yes_no("first_past_the_post", "The first side to reach the target while the points are being called wins at once.",
            "Vince subito chi raggiunge per primo il traguardo mentre si contano i punti."),
    _yes_no("team", "Four players play in two pairs, partners opposite, and a pair has one pile.",
            "In quattro si gioca a coppie, compagni di fronte, con un solo mazzo di prese per coppia."),
    Option("asso_piglia_tutto", "no",
           {"en": "An ace takes the whole table: as a scopa, without a point, or traditionally (a scopa, but not with "
                  "the first card of a hand).",
            "it": "L'asso prende tutto il tavolo: con la scopa, senza punto, o alla tradizionale (con la scopa, ma non "
                  "alla prima carta della mano)."},
           choices=("no", "scopa", "no_scopa", "traditional"), means={False: "no", True: "scopa", "yes": "scopa"}),
    _NAPOLA,
    _RE_BELLO,
    Option("primiera", "four_suits",
           {"en": "How primiera is won: the best card of each suit with all four suits needed, sevens counted before "
                  "sixes and aces (settanta), or the sum of whatever suits there are.",
            "it": "Come si vince la primiera: la carta migliore di ogni seme avendoli tutti e quattro, contando i "
                  "sette e poi sei e assi (settanta), o la somma dei semi che si hanno."},
           choices=("four_suits", "settanta", "any_suits")),
    _yes_no("settanta", "Whoever has most sevens takes the primiera point; then sixes, aces, 5, 4, 3 and 2 decide.",
            "Il punto di primiera va a chi ha più sette; poi decidono sei, assi, 5, 4, 3 e 2.",
            aliases=("primiera_simple",)),
    _yes_no("scopa_di_quindici",
            "The card played and the cards taken sum to 15, and an equal card does not come first.",
            "La carta giocata e quelle prese sommano a 15, e la carta uguale non ha la precedenza."),
    Option("scopone", "no",
           {"en": "Four players in pairs get the whole deck at once: ten cards each and none on the table, or nine "
                  "each and four on the table; yes takes whichever is dealt.",
            "it": "In quattro a coppie si danno tutte le carte: dieci a testa e nessuna sul tavolo, o nove a testa e "
                  "quattro sul tavolo; sì vale per l'uno o l'altro, come si è dato."},
           choices=("no", "yes", "9+4", "10+0"),
           means={False: "no", True: "yes", 9: "9+4", 10: "10+0", "scientifico": "10+0", "true": "yes",
                  "false": "no"}),
    _yes_no("scopone_scientifico", "Scopone with ten cards each and none on the table.",
            "Scopone con dieci carte a testa e nessuna sul tavolo."),
    _yes_no("last_sweep", "The very last card of the hand may score a scopa.",
            "Anche l'ultima carta della mano può fare scopa."),
    _yes_no("fewest_cards", "Where several sets can be taken, only those with the fewest cards may.",
            "Tra più prese possibili valgono solo quelle con meno carte."),
)

_SCUPUNI = (
    _target(21, "Points that win the match.", "Punti che vincono la partita."),
    Option("both_over", "higher_wins",
           {"en": "What happens when both pairs are at or over the target and not level.",
            "it": "Che cosa succede quando le due coppie sono al traguardo o oltre e non pari."},
           choices=("higher_wins", "play_another_hand")),
    _NAPOLA,
    _RE_BELLO,
)

_SLURP = (
    _target(15, "Points that win a Partita.", "Punti che vincono una Partita."),
    Option("partite", 3, {"en": "Partite that win the Torneo.", "it": "Partite che vincono il Torneo."},
           minimum=1, maximum=100),
)

_SLAPJACK = (
    Option("time_limit", 0,
           {"en": "Minutes after which most cards win; 0 plays until one player has them all.",
            "it": "Minuti dopo i quali vince chi ha più carte; con 0 si gioca finché uno le ha tutte."},
           minimum=0, maximum=600),
)

_IRISH_SNAP = (
    _yes_no("winner", "Who has laid all his cards and slaps once more in time wins, instead of one player losing.",
            "Vince chi ha finito le carte e batte ancora una volta in tempo, invece di perdere l'ultimo che ne ha."),
)

_SPIT = (
    Option("stock_piles", 5, {"en": "Stock piles in front of each player: 5 or 4.",
                              "it": "Mazzetti davanti a ogni giocatore: 5 o 4."}, minimum=4, maximum=5),
    _yes_no("choose_pile", "Who gets rid of the stock first chooses a spit pile, without a slap.",
            "Chi finisce per primo i mazzetti sceglie un mazzo centrale, senza battere."),
    _yes_no("alternate_colours", "A card must also differ in colour from the one that it is laid on.",
            "La carta deve anche essere di colore diverso da quella su cui si posa."),
)

_SPEED = (
    Option("side_piles", "10", {"en": "Cards in each side pile: 10 (15 for each player) or 5 (20 for each player).",
                                "it": "Carte in ogni mazzetto laterale: 10 (15 a testa) o 5 (20 a testa)."},
           choices=("10", "5"), means={10: "10", 5: "5"}),
    _yes_no("scoring", "The winner of a round gets one point for each card that the other still holds.",
            "Chi vince il giro segna un punto per ogni carta rimasta all'altro."),
    _target(50, "Points that win the game when scoring.", "Punti che vincono la partita, se si contano."),
)

OPTIONS: Mapping[str, tuple[Option, ...]] = {
    "scopa": _SCOPA, "scupuni": _SCUPUNI, "slurp": _SLURP, "slapjack": _SLAPJACK, "irish-snap": _IRISH_SNAP,
    "spit": _SPIT, "speed": _SPEED,
}
"""The options of every game, in the order in which they are shown."""

PRESETS: Mapping[str, tuple[str, Options]] = {
    "scopa": ("scopa", {}),
    "scopa-bga": ("scopa", {"fewest_cards": True, "primiera": "any_suits", "asso_piglia_tutto": "traditional"}),
}
"""Presets by name: the game, and the options that differ from its defaults."""


def option(game: str, name: str) -> Option:
    """Give one option of a game by its name or another name it has; raise ``OptionError`` with the nearest one."""
    for known in OPTIONS[game]:
        if name == known.name or name in known.aliases:
            return known
    names = [known.name for known in OPTIONS[game]]
    near = nearest(name, names + [alias for known in OPTIONS[game] for alias in known.aliases])
    raise OptionError("no-option", near, game=game, name=_shown(name), known=", ".join(names))


def read_options(game: str, given: Mapping[str, object]) -> dict[str, Value]:
    """Give all options of a game, defaults included, from those given; raise ``OptionError``.

    Values may be of their type or texts as on a command line. The key ``preset`` names a preset, which the other
    options given may change. Options that follow from others are filled in: scopone means pairs and a target of 21.

    >>> read_options("scopa", {"target": "16"})["target"]
    16
    """
    if game not in OPTIONS:
        raise unknown_game(game)
    chosen: dict[str, Value] = {}
    rest = dict(given)
    preset = rest.pop("preset", None)
    if preset is not None:
        chosen.update(_preset(game, preset))
    for name, value in rest.items():
        known = option(game, name)
        chosen[known.name] = known.value(value)
    options = {known.name: chosen.get(known.name, known.default) for known in OPTIONS[game]}
    if game == "scopa":
        _fill_in_scopa(options, chosen)
    return options


def unknown_game(game: object) -> OptionError:
    """Give the error that says that a game is not known, and which is nearest."""
    near = nearest(game, OPTIONS) if isinstance(game, str) else None
    return OptionError("no-game", near, game=_shown(game), known=", ".join(OPTIONS))


def _preset(game: str, name: object) -> Options:
    fitting = [known for known, (of_game, _) in PRESETS.items() if of_game == game]
    if name not in fitting:
        known = ", ".join(fitting) or {"en": "none", "it": "nessuna"}
        raise OptionError("no-preset", nearest(str(name), fitting), game=game, name=_shown(name), known=known)
    return PRESETS[str(name)][1]


def _fill_in_scopa(options: dict[str, Value], chosen: Options) -> None:
    if options["settanta"]:
        if chosen.get("primiera", "settanta") not in ("settanta", "four_suits"):
            raise OptionError("conflict", name="settanta", other=f"primiera {options['primiera']}")
        options["primiera"] = "settanta"
    options["settanta"] = options["primiera"] == "settanta"
    if options["scopone_scientifico"]:
        if chosen.get("scopone", "10+0") not in ("10+0", "yes"):
            raise OptionError("conflict", name="scopone_scientifico", other=f"scopone {options['scopone']}")
        options["scopone"] = "10+0"
    options["scopone_scientifico"] = options["scopone"] == "10+0"
    if options["scopone"] != "no":
        if chosen.get("team") is False:
            raise OptionError("pairs")
        options["team"] = True
        options["target"] = chosen.get("target", 21)


def options_page(language: str = "en") -> str:
    """Give the options of all games as a page of documentation in Markdown, in ``en`` or ``it``."""
    titles = {"en": ("Options of the games", "option", "default", "allowed", "what it changes", "Presets"),
              "it": ("Opzioni dei giochi", "opzione", "se non si dice", "valori", "che cosa cambia", "Raccolte")}
    title, *labels, presets = titles[language]
    how = {
        "en": "A preset is a named set of options, given like an option: `--option preset=scopa-bga` on the command "
              'line, `"options": {"preset": "scopa-bga"}` in the first line of a record. Options given beside it '
              "count more.",
        "it": "Una raccolta è un insieme di opzioni con un nome, e si dà come un'opzione: `--option preset=scopa-bga` "
              'sulla riga di comando, `"options": {"preset": "scopa-bga"}` nella prima riga di una registrazione. Le '
              "opzioni date accanto valgono di più."}[language]
    lines = [f"# {title}"]
    for game, options in OPTIONS.items():
        lines += ["", f"## {game}", "", f"| {' | '.join(labels)} |", "| --- | --- | --- | --- |"]
        for known in options:
            names = " / ".join(f"`{name}`" for name in (known.name, *known.aliases))
            allowed = known.allowed[language].replace(" | ", ", ")
            lines.append(f"| {names} | {_written(known.default)} | {allowed} | {known.sentence[language]} |")
    lines += ["", f"## {presets}", "", how, ""]
    for name, (game, options_of_preset) in PRESETS.items():
        chosen = ", ".join(f"`{option_name}` {_written(value)}" for option_name, value in options_of_preset.items())
        lines.append(f"- `{name}` ({game}): {chosen or '-'}")
    return "\n".join(lines) + "\n"


def _written(value: Value) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
