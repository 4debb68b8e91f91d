// The points of every finished hand, each with its reason and its cards.

import { cards } from "./cards.js";
import { element, showList, whenChanged } from "./dom.js";
import { sideNames } from "./score.js";
import { text } from "./texts.js";

const ORDER = ["carte", "denari", "settebello", "primiera", "scope", "napola", "re_bello"];

function pointNames(hand) {
  const named = new Set(hand.sides.flatMap((side) => side.points.map((point) => point.name)));
  return [...ORDER.filter((name) => named.delete(name)), ...named];
}

function pointCell(point) {
  if (!point) return element("td", { class: "no-point" }, element("span", { class: "points-number" }, "–"));
  const cell = element(
    "td",
    { class: point.points ? "has-point" : "no-point" },
    element("span", { class: "points-number" }, point.points ? String(point.points) : "–"),
    element("span", { class: "points-why" }, point.why ?? ""),
  );
  if (point.cards?.length) {
    cell.append(element("span", { class: "points-cards" }, ...cards(point.cards)));
  }
  return cell;
}

function table({ hand, names }) {
  const head = element("tr", {}, element("td"), ...names.map((name) => element("th", { scope: "col" }, name)));
  const rows = pointNames(hand).map((name) =>
    element(
      "tr",
      { data: { point: name } },
      element("th", { scope: "row" }, text(`points.${name}`, {}, name)),
      ...hand.sides.map((side) => pointCell(side.points.find((point) => point.name === name))),
    ),
  );
  const total = element(
    "tr",
    { class: "points-total" },
    element("th", { scope: "row" }, text("points.total")),
    ...hand.sides.map((side) => element("td", {}, element("span", { class: "points-number" }, String(side.total)))),
  );
  return element(
    "table",
    {},
    element("thead", {}, head),
    element("tbody", {}, ...rows),
    element("tfoot", {}, total),
  );
}

/** Return the hands whose points stand: all of them once the newest is over, else all but the newest. */
export function finishedHands(state) {
  const hands = state.score?.hands ?? [];
  return state.score?.state?.phase === "over" ? hands : hands.slice(0, -1);
}

/** Shows the points; the newest hand lies open while it is the last thing that happened. */
export function pointsView() {
  const section = document.getElementById("points");
  const draw = whenChanged((hands) => {
    section.hidden = !hands.length;
    showList(document.getElementById("points-hands"), hands, {
      key: (shown) => shown.number,
      tag: "details",
      fill(node, shown) {
        node.className = "hand";
        node.open = shown.isNews;
        node.replaceChildren(element("summary", {}, text("points.hand", { number: shown.number })), table(shown));
      },
    });
  });
  return (state) => {
    const finished = finishedHands(state);
    const names = sideNames(state);
    const isOver = state.score?.state?.phase === "over";
    section.classList.toggle("news", isOver);
    draw(
      finished
        .map((hand, position) => ({
          hand: { sides: hand.sides.map(({ points, total }) => ({ points, total })) },
          names,
          number: position + 1,
          isNews: isOver && position === finished.length - 1,
        }))
        .reverse(),
    );
  };
}
