// The last play in large type, and the list of all plays.

import { card, cards } from "./cards.js";
import { element, setText, showList, whenChanged } from "./dom.js";
import { sendFrom } from "./commands.js";
import { cardName, clock, confidenceLevel, listed, percent, text } from "./texts.js";

function playerName(state, seat) {
  return state.session.players[seat] ?? text("player.unknown");
}

/** Say what was played, as one sentence. */
export function sentence(state, play) {
  const values = { player: playerName(state, play.player), card: cardName(play.card) };
  if (!play.takes?.length) return text("play.lays", values);
  return text("play.takes", { ...values, taken: listed(play.takes.map(cardName)) });
}

/** Name the emptying of the table as the game does: the point that a slurp is, or a scopa. */
function sweepName(state) {
  return text(state.session.game === "slurp" ? "play.slurp" : "play.sweep");
}

function verdict(row) {
  const words = text(`ruling.${row.play.ruling}`, {}, row.play.ruling);
  return row.play.sweep ? `${row.sweep} ${words}` : words;
}

/** Return the reasons of a ruling as texts. */
export function reasonTexts(play) {
  return play.why ?? play.reasons ?? [];
}

function isOpenIllegal(play) {
  return play.ruling === "illegal" && !play.stands && !play.undone;
}

/** Shows the last play; `openEditor(event)` is called to correct it. */
export function lastPlayView(openEditor) {
  const section = document.getElementById("ruling");
  const actions = document.getElementById("ruling-actions");
  const draw = whenChanged(({ play, sentence: said, sweep }) => {
    section.dataset.ruling = play ? play.ruling : "none";
    section.classList.toggle("sweep", Boolean(play?.sweep));
    const reasons = document.getElementById("ruling-reasons");
    if (!play) {
      setText(document.getElementById("ruling-verdict"), "");
      setText(document.getElementById("ruling-sentence"), text("play.none"));
      reasons.replaceChildren();
      actions.replaceChildren();
      document.getElementById("ruling-cards").replaceChildren();
      return;
    }
    const words = [text(`ruling.${play.ruling}`, {}, play.ruling)];
    if (play.sweep) words.unshift(sweep);
    document
      .getElementById("ruling-verdict")
      .replaceChildren(...words.flatMap((word, position) => [" ", element(position ? "small" : "span", {}, word)]));
    setText(document.getElementById("ruling-sentence"), said);
    reasons.replaceChildren(...reasonTexts(play).map((reason) => element("li", {}, reason)));
    const shown = [card(play.card, { spoken: false })];
    if (play.takes?.length) {
      shown.push(element("span", { class: "arrow" }, "→"), ...cards(play.takes, { spoken: false }));
    }
    document.getElementById("ruling-cards").replaceChildren(...shown);
    const buttons = [];
    if (isOpenIllegal(play)) {
      for (const type of ["stand", "undo"]) {
        const button = element("button", { type: "button", class: type }, text(`ruling.${type}`));
        button.addEventListener("click", () => sendFrom(button, { type, event: play.event }));
        buttons.push(button);
      }
    }
    const correct = element("button", { type: "button", class: "correct" }, text("ruling.correct"));
    correct.addEventListener("click", () => openEditor(play.event));
    actions.replaceChildren(...buttons, correct);
  });
  return (state) => {
    const play = state.score?.plays?.findLast((one) => !one.undone) ?? null;
    draw({ play, sentence: play ? sentence(state, play) : "", sweep: sweepName(state) });
  };
}

function fillRow(node, row, openEditor) {
  const { play } = row;
  node.className = `play ${play.ruling}${play.undone ? " undone" : ""}`;
  let button = node.querySelector("button");
  if (!button) {
    button = element("button", { type: "button" });
    button.addEventListener("click", () => openEditor(Number(node.dataset.key)));
    node.append(button);
  }
  button.setAttribute(
    "aria-label",
    text("play.label", { time: row.time, sentence: row.sentence, ruling: verdict(row) }),
  );
  const marks = [element("span", { class: `chip ${play.ruling}` }, text(`ruling.${play.ruling}`, {}, play.ruling))];
  if (play.sweep && !play.undone) marks.push(element("span", { class: "chip sweep" }, row.sweep));
  if (play.undone) marks.push(element("span", { class: "chip quiet" }, text("play.undone")));
  if (play.stands) marks.push(element("span", { class: "chip quiet" }, text("play.stood")));
  if (play.corrected) marks.push(element("span", { class: "chip quiet" }, text("play.corrected")));
  if (play.confidence !== null && play.confidence !== undefined) {
    const level = confidenceLevel(play.confidence);
    marks.push(element("span", { class: `sure ${level}` }, `${percent(play.confidence)} %`));
  }
  const shown = element("span", { class: "play-cards" }, card(play.card, { spoken: false }));
  if (play.takes?.length) {
    shown.append(element("span", { class: "arrow" }, "→"), ...cards(play.takes, { spoken: false }));
  }
  button.replaceChildren(
    element("span", { class: "play-time" }, row.time),
    element("span", { class: "play-player" }, row.player),
    shown,
    element("span", { class: "play-marks" }, ...marks),
    ...reasonTexts(play).map((reason) => element("span", { class: "play-reason" }, reason)),
  );
}

/** Shows all plays, the newest first. */
export function playListView(openEditor) {
  const list = document.getElementById("play-list");
  const hint = document.getElementById("plays-hint");
  const draw = whenChanged((rows) => {
    setText(hint, rows.length ? hint.dataset.words : text("play.none"));
    showList(list, rows, {
      key: (row) => row.play?.event ?? `hand ${row.hand}`,
      tag: "li",
      fill(node, row) {
        if (row.play) {
          fillRow(node, row, openEditor);
          return;
        }
        node.className = "play-hand";
        node.textContent = text("points.hand", { number: row.hand + 1 });
      },
    });
  });
  hint.dataset.words = hint.textContent;
  return (state) => {
    const plays = state.score?.plays ?? [];
    const rows = [];
    for (const play of plays.toReversed()) {
      // With more than one hand, a line above each says which it is.
      if (plays[0].hand !== plays.at(-1).hand && rows.at(-1)?.play?.hand !== play.hand) rows.push({ hand: play.hand });
      rows.push({
        play,
        time: clock(play.t_ms),
        player: playerName(state, play.player),
        sentence: sentence(state, play),
        sweep: sweepName(state),
      });
    }
    draw(rows);
  };
}
