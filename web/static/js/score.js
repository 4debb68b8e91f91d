// Who leads, whose turn it is, what lies on the table.

import { card } from "./cards.js";
import { element, setText, showList, whenChanged } from "./dom.js";
import { confidenceLevel, percent, text } from "./texts.js";

/** Return the names of the players of each side, joined for people. */
export function sideNames(state) {
  const { players } = state.session;
  const sides = state.score?.state?.sides ?? players.map((_, seat) => [seat]);
  return sides.map((seats) => seats.map((seat) => players[seat] ?? String(seat + 1)).join(text("side.join")));
}

export function showSession(state) {
  const { session } = state;
  const words = [text(`game.${session.game}`, {}, session.game)];
  // While the deck is still being made out there is nothing to say of it.
  if (session.deck && session.deck !== "auto") {
    words.push(text(`deck.${session.deck}`, {}, session.deck.replaceAll("-", " ")));
  }
  words.push(text(`status.${session.status}`, {}, session.status));
  setText(document.getElementById("session"), words.join(" · "));
  document.body.dataset.status = session.status;
  document.getElementById("set-up").hidden = !session.may_set_up;
  const { match } = state.score ?? {};
  const shown = document.getElementById("match");
  if (!match) {
    setText(shown, "");
    return;
  }
  const names = sideNames(state);
  if (match.winner !== null && match.winner !== undefined) {
    const winner = names[match.winner];
    const many = (state.score.state?.sides?.[match.winner] ?? []).length > 1;
    setText(shown, text(many ? "match.winner" : "match.winner-one", { side: winner }));
    shown.classList.add("won");
    return;
  }
  shown.classList.remove("won");
  setText(shown, match.target ? text("match.target", { target: match.target }) : "");
}

function fact(name, value, className) {
  return element("div", { class: `fact ${className}` }, element("dt", {}, name), element("dd", {}, String(value)));
}

const drawSides = whenChanged((sides) => {
  showList(document.getElementById("sides"), sides, {
    key: (side) => side.number,
    tag: "article",
    fill(node, side) {
      node.className = `side${side.isTurn ? " turn" : ""}`;
      const heading = element("h3", {}, side.name);
      if (side.isTurn) heading.append(element("span", { class: "tag" }, side.turn));
      if (side.dealer) heading.append(element("span", { class: "tag quiet" }, side.dealer));
      node.replaceChildren(
        heading,
        element(
          "dl",
          {},
          fact(text("side.captured"), side.captured, "captured"),
          fact(side.sweepsName, side.sweeps, "sweeps"),
          fact(text("side.match"), side.total, "total"),
        ),
        element("p", { class: "in-hand" }, side.inHand),
      );
    },
  });
});

export function showSides(state) {
  const now = state.score?.state;
  if (!now) {
    drawSides([]);
    return;
  }
  const { players } = state.session;
  const dealer = now.dealer ?? state.session.dealer; // of this hand, not of the first one
  const slurp = state.session.game === "slurp";
  const totals = state.score.match?.totals ?? [];
  const names = sideNames(state);
  const pairs = now.sides.some((seats) => seats.length > 1);
  drawSides(
    now.sides.map((seats, number) => ({
      number,
      name: names[number],
      isTurn: now.phase === "play" && seats.includes(now.turn),
      // In pairs it matters which of the partners is to play; a player alone is named by the heading.
      turn: pairs && seats.includes(now.turn) ? `${players[now.turn]}: ${text("side.to-play")}` : text("side.to-play"),
      dealer: !seats.includes(dealer) ? "" : pairs ? `${players[dealer]}: ${text("side.dealer")}` : text("side.dealer"),
      captured: now.captured[number]?.length ?? 0,
      sweeps: now.sweeps[number] ?? 0,
      sweepsName: text(slurp ? "side.slurps" : "side.sweeps"),
      total: totals[number] ?? 0,
      inHand:
        now.phase === "play" && now.hand_sizes
          ? seats.map((seat) => text("side.in-hand", { count: now.hand_sizes[seat] ?? 0 })).join(", ")
          : "",
    })),
  );
}

const drawTable = whenChanged(({ lying, deck }) => {
  showList(document.getElementById("table-cards"), lying, {
    key: (item) => item.track,
    tag: "li",
    fill(node, item) {
      const level = item.face === "down" ? "back" : confidenceLevel(item.confidence);
      node.className = `table-card ${level} ${item.state}`;
      const note = [];
      if (item.face !== "down" && level !== "high" && item.card) note.push(`${item.confidence100} %`);
      if (item.state === "hidden") note.push(text("table.hidden"));
      if (item.face !== "down" && !item.card) note.push(text("table.not-read"));
      node.replaceChildren(
        card(item.face === "down" ? "back" : item.card, { deck }),
        element("span", { class: "table-card-note" }, note.join(", ")),
      );
    },
  });
});

/** Say in large type who plays next. */
export function showTurn(state) {
  const now = state.score?.state;
  const player = now?.phase === "play" ? state.session.players[now.turn] : null;
  setText(document.getElementById("turn-now"), player ? text("turn.next", { player }) : "");
}

export function showTable(state) {
  const lying = state.table.filter((item) => item.zone !== "pile"); // captured cards and the stock are seen, not shown
  const deck = lying.some((item) => item.card && "HDCS".includes(item.card.at(-1))) ? "french" : "italian";
  // Confidence wavers from frame to frame: whole percents keep the list still.
  drawTable({
    deck,
    lying: lying.map(({ track, card: code, confidence, state: place, face }) => ({
      track,
      card: code,
      state: place,
      face,
      confidence: Math.round((confidence ?? 0) * 100) / 100,
      confidence100: percent(confidence ?? 0),
    })),
  });
  const stock = state.score?.state?.stock;
  const words = [];
  if (!lying.length) words.push(text("table.empty"));
  if (stock) words.push(text("table.stock", { count: stock }));
  setText(document.getElementById("table-note"), words.join(" "));
}

const drawWarnings = whenChanged((warnings) => {
  const list = document.getElementById("warnings");
  list.hidden = !warnings.length;
  showList(list, warnings, {
    key: (warning) => `${warning.code} ${warning.text}`,
    tag: "li",
    fill: (node, warning) => (node.textContent = warning.text),
  });
});

export function showWarnings(state) {
  const shown = new Map();
  for (const warning of [...(state.warnings ?? []), ...openFlags(state)]) {
    shown.set(`${warning.code} ${warning.text}`, { code: warning.code, text: warning.text });
  }
  drawWarnings([...shown.values()]);
}

/** Return the flags of the hand that lies on the table, without those that a play's own ruling tells already. */
function openFlags(state) {
  const { plays = [], flags = [] } = state.score ?? {};
  const hand = Math.max(...plays.map((play) => play.hand ?? 0));
  const before = plays.filter((play) => play.hand < hand).at(-1)?.event ?? 0;
  const told = new Set(plays.flatMap((play) => play.reasons.map((reason) => `${play.event} ${reason}`)));
  return flags
    .filter((flag) => flag.event > before && !told.has(`${flag.event} ${flag.reason}`))
    .map((flag) => ({ code: flag.reason, text: flag.text }));
}

export function showPerformance(state) {
  const { fps, dropped_frames: dropped } = state.performance ?? {};
  const words = fps ? text("performance", { fps: fps.toFixed(0), dropped: dropped ?? 0 }) : "";
  setText(document.getElementById("performance"), words);
}
