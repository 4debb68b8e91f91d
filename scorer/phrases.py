"""The sentences of the referee: by code, in English and Italian. See ``scorer.wording`` for how they are filled in."""

from __future__ import annotations

from collections.abc import Mapping

SUIT_NAMES: Mapping[str, Mapping[str, str]] = {
    "en": {"d": "denari", "c": "coppe", "s": "spade", "b": "bastoni",
           "H": "hearts", "D": "diamonds", "C": "clubs", "S": "spades"},
    "it": {"d": "denari", "c": "coppe", "s": "spade", "b": "bastoni",
           "H": "cuori", "D": "quadri", "C": "fiori", "S": "picche"},
}

ITALIAN_RANK_NAMES: Mapping[str, Mapping[str, str]] = {
    "en": {"1": "ace", "F": "fante", "C": "cavallo", "R": "re"},
    "it": {"1": "asso", "F": "fante", "C": "cavallo", "R": "re"},
}

FRENCH_RANK_NAMES: Mapping[str, Mapping[str, str]] = {
    "en": {"A": "ace", "J": "jack", "Q": "queen", "K": "king"},
    "it": {"A": "asso", "J": "fante", "Q": "donna", "K": "re"},
}

WORDS: Mapping[str, Mapping[str, str]] = {
    "of": {"en": "of", "it": "di"},
    "and": {"en": "and", "it": "e"},
    "or": {"en": "or", "it": "o"},
    "player": {"en": "player", "it": "giocatore"},
    "unseen-card": {"en": "a card that was not seen", "it": "una carta non vista"},
    "table": {"en": "on the table", "it": "sul tavolo"},
    "pile": {"en": "in a pile", "it": "in un mazzo di prese"},
    "name-carte": {"en": "carte", "it": "carte"},
    "name-denari": {"en": "denari", "it": "denari"},
    "name-settebello": {"en": "settebello", "it": "settebello"},
    "name-primiera": {"en": "primiera", "it": "primiera"},
    "name-scope": {"en": "scope", "it": "scope"},
    "name-napola": {"en": "napola", "it": "napola"},
    "name-re_bello": {"en": "re bello", "it": "re bello"},
    "name-sevens": {"en": "sevens", "it": "sette"},
    "name-diamonds": {"en": "diamonds", "it": "quadri"},
    "name-figures": {"en": "figures", "it": "figure"},
    "name-cards": {"en": "cards", "it": "carte"},
    "name-five_of_hearts": {"en": "5 of hearts", "it": "5 di cuori"},
    "name-slurps": {"en": "slurps", "it": "slurp"},
}

PHRASES: Mapping[str, Mapping[str, str]] = {
    # Rulings of capture games.
    "out-of-turn": {"en": "{player} played out of turn: it was {turn}'s turn",
                    "it": "{player} ha giocato fuori turno: toccava a {turn}"},
    "not-a-sum": {"en": "{takes} cannot be taken with the {card}",
                  "it": "{takes}: non si può prendere con {card}"},
    "single-card-precedence": {"en": "an equal card lay there ({equal}) and must be taken alone",
                               "it": "c'era una carta uguale ({equal}), che va presa da sola"},
    "more-than-one": {"en": "one card takes one equal card, not more ({takes})",
                      "it": "una carta ne prende una sola uguale, non di più ({takes})"},
    "capture-was-due": {"en": "the {card} had to take {captures}",
                        "it": "con {card} bisognava prendere {captures}"},
    "fewest-cards": {"en": "a capture with fewer cards was there and comes first: {captures}",
                     "it": "c'era una presa con meno carte, che ha la precedenza: {captures}"},
    "card-seen-twice": {"en": "the {card} appears again: it was already {where}",
                        "it": "ricompare una carta già vista {where}: {card}"},
    "not-on-table": {"en": "the {card} was not on the table", "it": "questa carta non era sul tavolo: {card}"},
    "card-not-seen": {"en": "the card played was not seen", "it": "la carta giocata non si è vista"},
    "takes-not-seen": {"en": "what was taken was not seen for certain",
                       "it": "non si è visto con certezza che cosa è stato preso"},
    # What is wrong with a position or a record.
    "short-deal": {"en": "{cards} cards lie on the opening table instead of {expected}",
                   "it": "all'inizio ci sono {cards} carte sul tavolo invece di {expected}"},
    "long-deal": {"en": "{cards} cards lie on the opening table instead of {expected}",
                  "it": "all'inizio ci sono {cards} carte sul tavolo invece di {expected}"},
    "misdeal": {"en": "the deal is void and is dealt again, because of {cards}",
                "it": "la mano va ridata, per via di {cards}"},
    "foreign-card": {"en": "the {card} is not in the deck that is being played with",
                     "it": "questa carta non è del mazzo con cui si gioca: {card}"},
    "too-many-cards": {"en": "{cards} cards have been played and only {expected} can be",
                       "it": "sono state giocate {cards} carte e possono essere solo {expected}"},
    "no-cards-left": {"en": "{player} had no card left to play", "it": "{player} non aveva più carte da giocare"},
    "cards-not-played": {"en": "the hand ended with {cards} of {expected} cards not played",
                         "it": "la mano è finita con {cards} carte su {expected} non giocate"},
    "nobody-captured": {"en": "nobody captured in the whole hand: {cards} cards on the table go to nobody",
                        "it": "nessuno ha preso in tutta la mano: le {cards} carte sul tavolo non vanno a nessuno"},
    "point-not-awarded": {"en": "{name} is not awarded: nobody has the cards for it",
                          "it": "{name}: punto non assegnato, nessuno ha le carte"},
    "no-deal": {"en": "no deal was recorded before this", "it": "prima manca la distribuzione delle carte"},
    "hand-not-ended": {"en": "the hand before was dealt over before its end was recorded",
                       "it": "si è ridato prima che fosse segnata la fine della mano"},
    "deal-between": {"en": "cards were dealt while some were still to be played",
                     "it": "sono state date carte mentre ce n'erano ancora da giocare"},
    "match-over": {"en": "the match was over already", "it": "la partita era già finita"},
    "scopa-not-allowed": {"en": "a point was marked for sweeping the table, and there is none here",
                          "it": "è stato segnato un punto per il tavolo vuoto, che qui non c'è"},
    "scopa-not-marked": {"en": "the table was swept and the point was not marked",
                         "it": "il tavolo è stato svuotato e il punto non è stato segnato"},
    "forfeit": {"en": "{player} forfeits: {reason}", "it": "{player} perde la partita: {reason}"},
    "forfeit-plain": {"en": "{player} forfeits", "it": "{player} perde la partita"},
    # Points of capture games.
    "more": {"en": "{counts}", "it": "{counts}"},
    "fewer": {"en": "{counts}", "it": "{counts}"},
    "nobody": {"en": "{counts}: nobody", "it": "{counts}: a nessuno"},
    "level": {"en": "level: nobody", "it": "pari: a nessuno"},
    "majority": {"en": "{count} of {of}", "it": "{count} su {of}"},
    "level-with-six": {"en": "{counts}, and holds the {six}", "it": "{counts}, e ha {six}"},
    "level-without-six": {"en": "{counts}, and the other side holds the {six}",
                          "it": "{counts}, e {six} è dell'altro"},
    "holds": {"en": "holds the {name}", "it": "ha: {name}"},
    "other-side-holds": {"en": "the other side holds it", "it": "l'ha preso l'altro"},
    "nobody-holds": {"en": "nobody holds it: nobody", "it": "non l'ha preso nessuno: a nessuno"},
    "primiera": {"en": "{sums}: {cards}", "it": "{sums}: {cards}"},
    "more-suits": {"en": "{sums}, and the other side lacks a suit: {cards}",
                   "it": "{sums}, e all'altro manca un seme: {cards}"},
    "lacks-suit": {"en": "{sums}, and has {suits} suits only, not {most_suits}",
                   "it": "{sums}, e ha solo {suits} semi, non {most_suits}"},
    "settanta": {"en": "{counts} cards of rank {value}", "it": "{counts} carte di valore {value}"},
    "napola": {"en": "ace to {length} of denari", "it": "denari dall'asso al {length}"},
    "no-napola": {"en": "no ace, 2 and 3 of denari together", "it": "non ha asso, 2 e 3 di denari insieme"},
    "sweeps": {"en": "{count} made", "it": "{count} fatte"},
    "no-sweeps": {"en": "none made", "it": "nessuna"},
}
