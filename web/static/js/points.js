// The points of every finished hand, each with its reason and its cards.

import { cards, inDeckOrder } from "./cards.js";
import { element, showList, whenChanged } from "./dom.js";
import { sideNames } from "./score.js";
import { cardName, listed, text } from "./texts.js";

const ORDER = [
  ...["carte", "denari", "settebello", "primiera", "scope", "napola", "re_bello"],
  ...["sevens", "diamonds", "figures", "cards", "five_of_hearts", "slurps"],
];

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
    " ",
    element("span", { class: "points-why" }, point.why ?? ""),
  );
  if (point.cards?.length) {
    const crowded = point.cards.length > 7 ? " crowded" : "";
    cell.append(element("span", { class: `points-cards${crowded}` }, ...cards(inDeckOrder(point.cards))));
  }
  return cell;
}

function totalCell({ total, possible }) {
  const cell = element("td", {}, element("span", { class: "points-number" }, String(total)));
  const spans = possible ?? [];
  const sum = (of) => spans.reduce((all, span) => all + span[of], 0);
  if (sum("sure") !== sum("possible")) {
    const words = text("points.possible", { sure: sum("sure"), possible: sum("possible") });
    cell.append(element("span", { class: "points-why" }, words));
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
    ...hand.sides.map(totalCell),
  );
  return element(
    "table",
    {},
    element("thead", {}, head),
    element("tbody", {}, ...rows),
    element("tfoot", {}, total),
  );
}

/** Return what is drawn of a hand: each side's points, those it missed among them. */
function drawn(hand) {
  return {
    unseen: hand.unseen ?? [],
    sides: hand.sides.map(({ points, lost, total, possible }) => ({ points: [...points, ...(lost ?? [])], total, possible })),
  };
}

/** Shows the points of finished hands; the newest lies open until the next hand is being played. */
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
        if (shown.hand.unseen.length) {
          const words = text("points.unseen", { cards: listed(shown.hand.unseen.map(cardName)) });
          node.append(element("p", { class: "points-unseen" }, words));
        }
      },
    });
  });
  return (state) => {
    const hands = (state.score?.hands ?? []).map((hand, position) => ({ hand, number: position + 1 }));
    const finished = hands.filter(({ hand }) => hand.finished);
    const isNews = state.score?.state?.phase !== "play";
    const names = sideNames(state);
    section.classList.toggle("past", !isNews); // goes to the end of the page while the next hand is played
    draw(
      finished
        .map(({ hand, number }) => ({ hand: drawn(hand), names, number, isNews: isNews && number === finished.length }))
        .reverse(),
    );
  };
}
