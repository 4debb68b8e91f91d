"""What the program itself says to people, in English and Italian, by code.

Rulings and points have their words in `scorer.wording`; the dashboard's own labels are in its translations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.options import OptionError

LANGUAGES = ("en", "it")

_TEXTS: dict[str, tuple[str, str]] = {
    # Warnings about the picture.
    "camera-lost": (
        "The camera gives no picture: check its plug; it is tried again by itself.",
        "La telecamera non dà immagine: controllare la spina; il programma riprova da solo.",
    ),
    "too-dark": (
        "The picture is very dark: more light on the table makes the cards readable.",
        "L'immagine è molto buia: con più luce sul tavolo le carte si leggono meglio.",
    ),
    "out-of-focus": (
        "The picture is blurred: focus the camera on the cards.",
        "L'immagine è sfocata: mettere a fuoco la telecamera sulle carte.",
    ),
    "cards-too-small": (
        "The cards are only {pixels} pixels high in the picture: bring the camera nearer.",
        "Le carte sono alte solo {pixels} pixel nell'immagine: avvicinare la telecamera.",
    ),
    "too-bright": (
        "Much of the picture is burnt out: dim the light or lower the camera's exposure.",
        "Gran parte dell'immagine è bruciata: abbassare la luce o l'esposizione della telecamera.",
    ),
    "glare": (
        "The cards reflect a lamp: move the lamp or the camera.",
        "Le carte riflettono una lampada: spostare la lampada o la telecamera.",
    ),
    "falling-behind": (
        "This machine looks at {fps} pictures a second: quick plays may be missed.",
        "Questo computer guarda {fps} immagini al secondo: le giocate rapide possono sfuggire.",
    ),
    # Warnings about the play.
    "lost-thread": (
        "What happened here could not be followed: look at the last plays and correct them if need be.",
        "Qui non si è capito che cosa è successo: guardare le ultime giocate e correggerle se serve.",
    ),
    "missing-plays": (
        "The hand ended with {plays} plays not seen.",
        "La mano è finita con {plays} giocate non viste.",
    ),
    # What a photo lets one read.
    "nothing-found": (
        "No card was found: photograph the cards from above, large and well lit.",
        "Nessuna carta trovata: fotografare le carte dall'alto, grandi e ben illuminate.",
    ),
    "unread": (
        "Seen but not read with enough confidence: {0:.0f}. Move them apart, or photograph them again from nearer.",
        "Viste ma non lette con abbastanza sicurezza: {0:.0f}. Distanziarle, o fotografarle di nuovo da più vicino.",
    ),
    "cut": (
        "Cut by the picture's border: {0:.0f}. Move back a little.",
        "Tagliate dal bordo della foto: {0:.0f}. Allontanarsi un po'.",
    ),
    "small": (
        "Very small in the picture: {0:.0f} (down to {1:.0f} pixels high). Photograph them from nearer.",
        "Molto piccole nella foto: {0:.0f} (fino a {1:.0f} pixel di altezza). Fotografarle da più vicino.",
    ),
    "two-decks": (
        "The photos show different decks ({decks}): photograph one pile at a time.",
        "Le foto mostrano mazzi diversi ({decks}): fotografare un mazzo alla volta.",
    ),
    "mirrored": (
        "The picture is mirrored, as selfie cameras do; it was turned back for reading.",
        "L'immagine è speculare, come fanno le fotocamere per i selfie; è stata raddrizzata per leggerla.",
    ),
    "unknown-deck": (
        "I do not know this deck: nothing on it is read for sure. Show it to me once (arbitro enroll).",
        "Non conosco questo mazzo: non ne leggo niente di sicuro. Mostramelo una volta (arbitro enroll).",
    ),
    "two-kinds": (
        "Italian and French cards lie together: those of the other deck are not read.",
        "Ci sono carte italiane e francesi insieme: quelle dell'altro mazzo non vengono lette.",
    ),
    # Reports on a terminal.
    "report-total": ("total", "totale"),
    "report-photo": ("{file}: cards: {count}{deck}", "{file}: carte: {count}{deck}"),
    "report-deck-italian": (" (Italian)", " (italiane)"),
    "report-deck-french": (" (French)", " (francesi)"),
    "report-unread": (
        "not read, at {x}, {y}: perhaps {candidates}",
        "non letta, in {x}, {y}: forse {candidates}",
    ),
    "report-face-down": ("face down: {count}", "coperte: {count}"),
    "report-pile": ("different cards read: {count}", "carte diverse lette: {count}"),
    "report-uncertain": (
        "cards not read: {count}; the points may be other ones",
        "carte non lette: {count}; i punti possono essere altri",
    ),
    # Decks.
    "decks-line": ("{name}: {cards} cards", "{name}: {cards} carte"),
    "decks-printings": ("Printings it has learnt from: {printings}", "Mazzi da cui ha imparato: {printings}"),
    "decks-enrolled": ("{name}: {cards} cards, enrolled", "{name}: {cards} carte, imparato"),
    "decks-missing": ("still missing: {missing}", "mancano ancora: {missing}"),
    "decks-exported": ("The deck {name} is in {file}.", "Il mazzo {name} è in {file}."),
    "decks-imported": ("The deck {name} is known now: {cards} cards.", "Il mazzo {name} ora è noto: {cards} carte."),
    "decks-removed": ("The deck {name} is forgotten.", "Il mazzo {name} è dimenticato."),
    "enroll-ask": (
        "{file}, card {number} (row {row}, place {place}): {candidates}. What is it? "
        "(code, - for none, ? for later; {count} to go)",
        "{file}, carta {number} (fila {row}, posto {place}): {candidates}. Che carta è? "
        "(codice, - per nessuna, ? per dopo; ne restano {count})",
    ),
    "enroll-doubtful": (
        "{file}, card {number}: perhaps {candidates}; say it with --card {photo}#{number}=CODE",
        "{file}, carta {number}: forse {candidates}; dirlo con --card {photo}#{number}=CODICE",
    ),
    "enroll-missing": ("Not seen yet: {missing}", "Non ancora viste: {missing}"),
    "enroll-kept": (
        "The deck {name} is known now: {count} cards, in {file}.",
        "Il mazzo {name} ora è noto: {count} carte, in {file}.",
    ),
    "enroll-not-kept": (
        "Not kept yet: {doubtful} cards are doubtful. Answer with --card or --answers, or keep the sure ones with "
        "--partial.",
        "Non ancora salvato: {doubtful} carte sono dubbie. Rispondere con --card o --answers, o salvare quelle sicure "
        "con --partial.",
    ),
    "decks-printed": (
        "The {deck} deck is in {file}, {pages} pages: print it on both sides at 100 % on stiff paper, "
        "and cut along the marks.",
        "Il mazzo ({deck}) è in {file}, {pages} pagine: stamparlo fronte e retro al 100 % su cartoncino, "
        "e tagliare lungo i segni.",
    ),
    # The doctor.
    "doctor-name-program": ("program", "programma"),
    "doctor-name-disk": ("disk", "disco"),
    "doctor-name-model": ("model", "modello"),
    "doctor-name-camera": ("camera", "immagine"),
    "doctor-name-light": ("light", "luce"),
    "doctor-name-overexposed": ("overexposed", "bruciato"),
    "doctor-name-frame-rate": ("frame-rate", "ritmo"),
    "doctor-name-steadiness": ("steadiness", "fermezza"),
    "doctor-name-cards": ("cards", "carte"),
    "doctor-name-card-size": ("card-size", "altezza carte"),
    "doctor-name-focus": ("focus", "fuoco"),
    "doctor-name-glare": ("glare", "riflessi"),
    "doctor-name-angle": ("angle", "inclinazione"),
    "doctor-disk": ("{free} MB free for journals in {folder}", "{free} MB liberi per i diari in {folder}"),
    "doctor-disk-full": (
        "Make room: a journal cannot be kept on a full disk.",
        "Fare spazio: a disco pieno il diario non si può tenere.",
    ),
    "doctor-model": (
        "{name}: {file}, for pictures of {width} x {height}",
        "{name}: {file}, per immagini di {width} x {height}",
    ),
    "doctor-camera": ("gives pictures of {width} x {height}", "dà immagini di {width} x {height}"),
    # Questions.
    "which-play": (
        "What did {player} play? The camera saw it with {percent}% confidence.",
        "Che cosa ha giocato {player}? La telecamera l'ha visto con una sicurezza del {percent}%.",
    ),
    "which-play-nobody": (
        "What was played here? The camera saw it with {percent}% confidence.",
        "Che cosa è stato giocato qui? La telecamera l'ha visto con una sicurezza del {percent}%.",
    ),
    # Decks on the dashboard.
    "deck-unknown-name": ("There is no deck “{name}”.", "Il mazzo “{name}” non c'è."),
    "deck-name-taken": (
        "There is a deck “{name}” already: choose another name.",
        "C'è già un mazzo “{name}”: scegliere un altro nome.",
    ),
    "deck-no-picture": ("The camera has given no picture yet.", "La telecamera non ha ancora dato un'immagine."),
    "deck-not-begun": ("No deck is being learnt: begin first.", "Non si sta imparando nessun mazzo: prima iniziare."),
    "deck-too-many-photos": ("{count} photos are enough: save the deck.", "{count} foto bastano: salvare il mazzo."),
    "deck-refused": ("That cannot be: {why}", "Non è possibile: {why}"),
    # Slaps.
    "slap-verdict-player": ("{player}, on {card}", "{player}, su {card}"),
    "slap-verdict-false": ("False slap, on {card}", "Battuta falsa, su {card}"),
    "slap-verdict-late": ("Too late, on {card}", "Troppo tardi, su {card}"),
    "slap-verdict-both": ("Each gets the pile slapped", "A ciascuno il mazzetto che ha battuto"),
    "slap-verdict-too-close": ("Too close to call, on {card}", "Troppo vicini per decidere, su {card}"),
    "slap-verdict-unclear": ("Not clear, on {card}", "Non chiaro, su {card}"),
    "slap-line": ("{time} s: {verdict} ({why})", "{time} s: {verdict} ({why})"),
    "slap-hand": ("{player}: {time} ms, within {error} ms{under}", "{player}: {time} ms, entro {error} ms{under}"),
    "slap-under": (", under {players}", ", sotto {players}"),
    "slap-landing": ("{time} ms: {player} lays {card}: {ruling}", "{time} ms: {player} posa {card}: {ruling}"),
    "slap-none": ("No hand came down on the pile.", "Nessuna mano è scesa sul mazzo."),
    "slap-no-hands": ("No hand was seen in the film.", "Nel filmato non si è vista nessuna mano."),
    "slap-few-frames": (
        "The film is too short to see a slap: give at least half a second before it.",
        "Il filmato è troppo corto per vedere una battuta: serve almeno mezzo secondo prima.",
    ),
    "slap-hover": (
        "a hand came and went too quickly to tell whether it touched",
        "una mano è venuta e andata troppo in fretta per dire se ha toccato",
    ),
    "slap-unwatched": (
        "the pile was not seen before the hands came: another card may have lain on top",
        "il mazzo non si vedeva prima che arrivassero le mani: in cima poteva esserci un'altra carta",
    ),
    "slap-between-piles": (
        "a hand came down between the piles: it is not clear which one it grabbed",
        "una mano è scesa fra i mazzi: non è chiaro quale abbia preso",
    ),
    "slap-unseen-hand": (
        "a hand was at the pile too, and it could not be seen when it touched",
        "anche un'altra mano era sul mazzo, e non si è visto quando ha toccato",
    ),
    "slap-unknown-hand": (
        "a hand is nobody's: say with --seats where everybody sits",
        "una mano non è di nessuno: dire con --seats dove siede ciascuno",
    ),
    # Refused commands.
    "command-unknown": ("There is no command “{type}”.", "Il comando “{type}” non esiste."),
    "command-no-event": (
        "Event {event} is not on the record: it has {count}.",
        "L'evento {event} non è nel verbale: ne ha {count}.",
    ),
    "command-not-a-play": (
        "Event {event} is no play: there is nothing to do with it.",
        "L'evento {event} non è una giocata: non c'è niente da farci.",
    ),
    "command-not-correctable": (
        "Event {event} cannot be corrected: only plays and deals can.",
        "L'evento {event} non si può correggere: si correggono solo giocate e distribuzioni.",
    ),
    "command-nothing": (
        "A correction must say what was right: the card, the cards taken or the player.",
        "Una correzione deve dire che cosa era giusto: la carta, le prese o il giocatore.",
    ),
    "command-card": (
        "“{card}” is not a card of this deck.",
        "“{card}” non è una carta di questo mazzo.",
    ),
    "command-takes": (
        "The cards taken must be a list of cards, each once and without the card played.",
        "Le carte prese devono essere un elenco di carte, ciascuna una volta e senza la carta giocata.",
    ),
    "command-player": (
        "There is no player {player}: the seats are 0 to {last}.",
        "Il giocatore {player} non c'è: i posti vanno da 0 a {last}.",
    ),
    "command-choice": (
        "Event {event} has no reading {choice} to choose.",
        "L'evento {event} non ha una lettura {choice} da scegliere.",
    ),
    "command-taken-back": (
        "Event {event} has been taken back already: say again what was right.",
        "L'evento {event} è già stato annullato: dire di nuovo che cosa era giusto.",
    ),
    "command-too-late": (
        "More has happened since event {event}: correct the play itself.",
        "Dopo l'evento {event} è successo altro: correggere la giocata stessa.",
    ),
    "command-no-session": (
        "Nothing is being watched yet.",
        "Non si sta ancora guardando nessuna partita.",
    ),
    "command-match": ("The match cannot be set up like that: {why}", "La partita non si può preparare così: {why}"),
    "command-match-begun": (
        "Cards of this match have been played: it can be set up anew when it is over.",
        "Di questa partita si sono già giocate carte: se ne prepara un'altra quando è finita.",
    ),
    "command-not-followed": (
        "A watch that has begun cannot go over to {game}: begin one with arbitro watch --game {game}.",
        "Non si può passare a {game} a partita già seguita: cominciare con arbitro watch --game {game}.",
    ),
    # Setting up a match.
    "match-no-names": ("give the players' names", "dare i nomi dei giocatori"),
    "match-count": ("{game} is for {fewest} players, not {count}", "a {game} si gioca in {fewest}, non in {count}"),
    "match-counts": (
        "{game} is for {fewest} to {most} players, not {count}",
        "a {game} si gioca da {fewest} a {most}, non in {count}",
    ),
    "match-name": (
        "the name on seat {seat} must have 1 to {most} letters",
        "il nome al posto {seat} deve avere da 1 a {most} lettere",
    ),
    "match-same-name": (
        "two players are called {name}: give each another name",
        "due giocatori si chiamano {name}: dare a ciascuno un altro nome",
    ),
    "match-dealer": ("the dealer must be one of the players", "chi dà le carte deve essere uno dei giocatori"),
    "match-options": ("options are names and values", "le opzioni sono nomi e valori"),
    "match-pairs": ("pairs need 4 players, not {count}", "a coppie si gioca in 4, non in {count}"),
    "command-refused": ("The record refuses it: {why}", "Il verbale lo rifiuta: {why}"),
}


class WordedError(Exception):
    """What people want cannot be done, and nothing was changed; `text` says why in "en" or "it".

    Args:
        code: code of the reason, as `say` knows it.
        args: what the reason is said of; errors with a text of their own are said in the same language.
    """

    def __init__(self, code: str, **args: Any) -> None:
        super().__init__(say(code, args))
        self.code = code
        self.args_by_name = args

    def text(self, language: str) -> str:
        """Return the reason in a language."""
        args = {
            name: arg.text(language) if isinstance(arg, (OptionError, WordedError)) else arg
            for name, arg in self.args_by_name.items()
        }
        return say(self.code, args, language)


def say(code: str, args: Mapping[str, Any] | Sequence[float] = (), language: str = "en") -> str:
    """Return the text of `code` in a language ("en" or "it"), with its arguments by name or by place."""
    english, italian = _TEXTS[code]
    text = italian if language == "it" else english
    return text.format(**args) if isinstance(args, Mapping) else text.format(*args)
