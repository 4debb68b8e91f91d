// The editor of one play: who played what and took what, put right by the people.

import { card, deckCodes, deckOf } from "./cards.js";
import { CommandFailed, send } from "./commands.js";
import { element } from "./dom.js";
import { reasonTexts } from "./plays.js";
import { cardName, clock, listed, percent, text } from "./texts.js";

const byId = (name) => document.getElementById(`editor-${name}`);

function sameCards(some, others) {
  return some.length === others.length && some.every((code) => others.includes(code));
}

function choice({ type, name, value, checked, className = "choice", label }, ...content) {
  return element(
    "label",
    { class: className },
    element("input", { type, name, value, checked, "aria-label": label }),
    element("span", { class: "choice-face" }, ...content),
  );
}

/** Opens on a play, keeps the person's choices while new states arrive, and sends one command. */
export class Editor {
  constructor() {
    this.dialog = document.getElementById("editor");
    this.form = byId("form");
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.save();
    });
    byId("close").addEventListener("click", () => this.dialog.close());
    byId("stand").addEventListener("click", () => this.command({ type: "stand", event: this.event }));
    byId("undo").addEventListener("click", () => this.command({ type: "undo", event: this.event }));
    // A tap beside the dialog closes it; its own padding is none, so only the backdrop is the dialog itself.
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
  }

  update(state) {
    this.state = state;
    if (this.dialog.open && !this.play()) this.dialog.close(); // undone elsewhere
  }

  play() {
    return this.state.score.plays.find((play) => play.event === this.event);
  }

  open(event) {
    this.event = event;
    const play = this.play();
    if (!play) return;
    this.chosen = { player: play.player, card: play.card, takes: [...(play.takes ?? [])] };
    byId("title").textContent = text("editor.title", { time: clock(play.t_ms) });
    byId("reasons").textContent = [text(`ruling.${play.ruling}`, {}, play.ruling), ...reasonTexts(play)].join(" · ");
    byId("reasons").dataset.ruling = play.ruling;
    byId("failure").textContent = "";
    byId("stand").hidden = play.ruling !== "illegal" || Boolean(play.stands || play.undone);
    byId("undo").hidden = Boolean(play.undone);
    byId("all-cards").open = false;
    byId("more-takes").open = false;
    this.drawPlayers();
    this.drawCards(play);
    this.drawTakes(play);
    this.dialog.showModal();
    this.form.querySelector("input:checked")?.focus();
    this.dialog.querySelector(".editor-body").scrollTop = 0;
  }

  drawPlayers() {
    const { players } = this.state.session;
    byId("players").replaceChildren(
      ...players.map((name, seat) => {
        const made = choice({ type: "radio", name: "player", value: String(seat), checked: seat === this.chosen.player }, name);
        made.firstChild.addEventListener("change", () => (this.chosen.player = seat));
        return made;
      }),
    );
  }

  deck(play) {
    const known = [play.card, ...(play.takes ?? []), ...this.state.table.map((item) => item.card)].find(Boolean);
    const plays = this.state.score.plays.map((other) => other.card).find(Boolean);
    const deck = deckOf(known ?? plays ?? "1d");
    return deckCodes(deck, deck === "french");
  }

  cardChoice(code, note, name = "card") {
    const shown = [card(code, { spoken: false })];
    if (note) shown.push(element("span", { class: "choice-note" }, note));
    const made = choice(
      {
        type: "radio",
        name,
        value: code,
        checked: code === this.chosen.card,
        className: "choice card-choice",
        label: note ? `${cardName(code)}, ${note}` : cardName(code),
      },
      ...shown,
    );
    made.firstChild.addEventListener("change", () => this.choose(code));
    return made;
  }

  choose(code) {
    this.chosen.card = code;
    this.chosen.takes = this.chosen.takes.filter((taken) => taken !== code);
    byId("failure").textContent = "";
    // A likely card stands among the candidates and among all cards: it is marked in both places.
    for (const radio of this.form.querySelectorAll("input:is([name=card], [name=candidate])")) {
      radio.checked = radio.value === code;
    }
    this.drawTakes(this.play());
  }

  drawCards(play) {
    const probabilities = new Map();
    for (const candidate of play.candidates ?? []) {
      // Here not the card played is in doubt but one that lies on the table.
      if (candidate.unseen) continue;
      const before = probabilities.get(candidate.card) ?? 0;
      probabilities.set(candidate.card, before + (candidate.probability ?? 0));
    }
    if (play.card && !probabilities.has(play.card)) probabilities.set(play.card, play.confidence ?? null);
    const ranked = [...probabilities].filter(([code]) => code).sort(([, one], [, other]) => (other ?? 0) - (one ?? 0));
    byId("candidates").replaceChildren(
      ...ranked.map(([code, probability]) =>
        this.cardChoice(code, probability === null ? "" : `${percent(probability)} %`, "candidate"),
      ),
    );
    byId("deck").replaceChildren(...this.deck(play).map((code) => this.cardChoice(code)));
    if (!ranked.length) byId("all-cards").open = true;
  }

  takeChoice(code) {
    const made = choice(
      {
        type: "checkbox",
        name: "takes",
        value: code,
        checked: this.chosen.takes.includes(code),
        className: "choice card-choice",
        label: cardName(code),
      },
      card(code, { spoken: false }),
    );
    made.firstChild.addEventListener("change", (event) => {
      const others = this.chosen.takes.filter((taken) => taken !== code);
      this.take(event.target.checked ? [...others, code] : others);
    });
    return made;
  }

  /** Set the cards taken and mark them in every place where they can be chosen. */
  take(codes) {
    this.chosen.takes = codes;
    byId("failure").textContent = "";
    for (const box of this.form.querySelectorAll("input[name=takes]")) box.checked = codes.includes(box.value);
    for (const button of byId("captures").children) {
      button.setAttribute("aria-pressed", String(sameCards(button.codes, codes)));
    }
  }

  captureButton(codes) {
    const words = codes.length ? listed(codes.map(cardName)) : text("editor.nothing");
    const button = element(
      "button",
      { type: "button", class: "capture", "aria-label": words },
      ...(codes.length ? codes.map((code) => card(code, { spoken: false })) : [words]),
    );
    button.codes = codes;
    button.addEventListener("click", () => this.take(codes));
    return button;
  }

  drawTakes(play) {
    // Ways to take that are legal or that the camera thought possible, for the card that is chosen now.
    const ways = [[]];
    const add = (codes) => ways.some((way) => sameCards(way, codes)) || ways.push(codes);
    if (this.chosen.card === play.card) (play.legal_takes ?? []).forEach(add);
    for (const candidate of play.candidates ?? []) {
      if (candidate.card === this.chosen.card) add(candidate.takes ?? []);
    }
    add(this.chosen.takes);
    byId("captures").replaceChildren(...ways.map((codes) => this.captureButton(codes)));
    const lay = this.lyingBefore(play).filter((code) => code !== this.chosen.card);
    byId("takes").replaceChildren(...lay.map((code) => this.takeChoice(code)));
    const others = this.deck(play).filter((code) => !lay.includes(code) && code !== this.chosen.card);
    byId("other-takes").replaceChildren(...others.map((code) => this.takeChoice(code)));
    this.take(this.chosen.takes);
  }

  /** Return the cards that lay on the table when the card was played, as far as the state tells. */
  lyingBefore(play) {
    const told = [...(play.table_before ?? []), ...(play.takes ?? []), ...(play.legal_takes ?? []).flat()];
    return [...new Set(told.filter(Boolean))];
  }

  async save() {
    const { player, card: code, takes } = this.chosen;
    if (!code) {
      byId("failure").textContent = text("editor.choose-card");
      return;
    }
    const play = this.play();
    const command = { type: "correct", event: this.event };
    if (player !== play.player) command.player = player;
    if (!sameCards(takes, play.takes ?? [])) command.takes = takes;
    // With nothing changed the person says that it was read rightly, which settles the play all the same.
    if (code !== play.card || Object.keys(command).length === 2) command.card = code;
    await this.command(command);
  }

  async command(command) {
    const buttons = this.dialog.querySelectorAll("footer button");
    for (const button of buttons) button.disabled = true;
    byId("failure").textContent = "";
    try {
      await send(command);
      this.dialog.close();
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      byId("failure").textContent = text("command.failed", { message: error.message });
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  }
}
