// What Arbitro is not sure of, answered with one tap.

import { cards } from "./cards.js";
import { sendFrom } from "./commands.js";
import { element, showList, whenChanged } from "./dom.js";
import { cardName, listed, percent, text } from "./texts.js";

function answerButton(question, candidate) {
  const taken = candidate.takes?.length
    ? text("question.takes", { taken: listed(candidate.takes.map(cardName)) })
    : text("question.lays");
  const button = element(
    "button",
    { type: "button", class: "answer" },
    element("span", { class: "answer-cards" }, ...cards([candidate.card, ...(candidate.takes ?? [])], { spoken: false })),
    element(
      "span",
      { class: "answer-words" },
      cardName(candidate.card),
      element("span", { class: "sure" }, `${percent(candidate.probability)} %`),
    ),
    element("span", { class: "answer-takes" }, taken),
  );
  button.addEventListener("click", () =>
    sendFrom(button, {
      type: "answer",
      event: question.event,
      card: candidate.card,
      takes: candidate.takes ?? [],
    }),
  );
  return button;
}

/** Shows the open questions; `openEditor(event)` is called for an answer that is not among the candidates. */
export function questionsView(openEditor) {
  const section = document.getElementById("questions");
  const draw = whenChanged((questions) => {
    section.hidden = !questions.length;
    showList(document.getElementById("question-list"), questions, {
      key: (question) => question.event,
      tag: "details",
      fill(node, question) {
        node.className = "question";
        node.open = question.isNewest;
        const other = element("button", { type: "button", class: "other" }, text("question.other"));
        other.addEventListener("click", () => openEditor(question.event));
        node.replaceChildren(
          element("summary", {}, question.text),
          element(
            "div",
            { class: "answers" },
            ...question.candidates.map((candidate) => answerButton(question, candidate)),
            other,
          ),
        );
      },
    });
  });
  // The newest question lies open; older ones wait as a line each, so that they never bury the game.
  return (questions) => {
    const newest = Math.max(...questions.map((question) => question.event));
    draw(questions.map((question) => ({ ...question, isNewest: question.event === newest })).reverse());
  };
}
