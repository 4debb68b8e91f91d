// Cards as pictures: the project's own drawings where they are there, plain labels otherwise.

import { element } from "./dom.js";
import { cardName, drawings } from "./texts.js";

const SYMBOLS = { H: "♥", D: "♦", C: "♣", S: "♠", d: "den", c: "cop", s: "spa", b: "bas" };
const RANKS = {
  italian: ["1", "2", "3", "4", "5", "6", "7", "F", "C", "R"],
  french: ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"],
};
const BACKS = { italian: "italian-red-rosettes", french: "french-blue-lattice" };
const SUITS = { italian: ["d", "c", "s", "b"], french: ["H", "D", "C", "S"] };

export function deckOf(code) {
  return "HDCS".includes(code.at(-1)) ? "french" : "italian";
}

/** Return all codes of a deck, suit by suit; `forty` leaves out the French 8, 9 and 10. */
export function deckCodes(deck, forty) {
  const ranks = RANKS[deck].filter((rank) => !(forty && ["8", "9", "10"].includes(rank)));
  return SUITS[deck].flatMap((suit) => ranks.map((rank) => rank + suit));
}

/** Sort cards as a deck lies in its box; cards that were not seen come last. */
export function inDeckOrder(codes) {
  const order = [...deckCodes("italian"), ...deckCodes("french")];
  const place = (code) => (code ? order.indexOf(code) : order.length);
  return [...codes].sort((one, other) => place(one) - place(other));
}

/** Write a card in the least space: "7♦", "R den". */
export function shortName(code) {
  if (!code) return "?";
  const suit = code.at(-1);
  const rank = code.slice(0, -1);
  return deckOf(code) === "french" ? rank + SYMBOLS[suit] : `${rank} ${SYMBOLS[suit]}`;
}

function label(code) {
  const suit = code.at(-1);
  return element(
    "span",
    { class: "card-label", data: { suit } },
    element("b", {}, code.slice(0, -1)),
    element("i", {}, SYMBOLS[suit]),
  );
}

/** Draw a card: a code, "back", or null for a card that was not read. `spoken` false leaves it to the text around. */
export function card(code, { spoken = true, deck = null } = {}) {
  const drawn = element("span", { class: "card" });
  if (spoken) {
    drawn.setAttribute("role", "img");
    drawn.setAttribute("aria-label", cardName(code));
    drawn.title = cardName(code);
  } else {
    drawn.setAttribute("aria-hidden", "true");
  }
  if (!code) {
    drawn.classList.add("unread");
    drawn.append(element("span", { class: "card-label" }, element("b", {}, "?")));
    return drawn;
  }
  const family = code === "back" ? (deck ?? "italian") : deckOf(code);
  const folder = code === "back" ? "backs" : family;
  drawn.classList.add(family);
  if (drawings.has(folder)) {
    const name = code === "back" ? BACKS[family] : code;
    drawn.append(element("img", { src: `/decks/${folder}/${name}.svg`, alt: "", draggable: "false" }));
  } else if (code === "back") {
    drawn.classList.add("back");
  } else {
    drawn.append(label(code));
  }
  return drawn;
}

export function cards(codes, options) {
  return codes.map((code) => card(code, options));
}
