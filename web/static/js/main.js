// Joins the parts of the page: every new state goes to each of them.

import { CommandFailed, send, toast } from "./commands.js";
import { Connection } from "./connection.js";
import { element } from "./dom.js";
import { Editor } from "./editor.js";
import { Picture } from "./picture.js";
import { lastPlayView, playListView } from "./plays.js";
import { pointsView } from "./points.js";
import { questionsView } from "./questions.js";
import { showPerformance, showSession, showSides, showTable, showTurn, showWarnings } from "./score.js";
import { text } from "./texts.js";

const editor = new Editor();
const picture = new Picture();
const openEditor = (event) => editor.open(event);
const showLastPlay = lastPlayView(openEditor);
const showPlays = playListView(openEditor);
const showQuestions = questionsView(openEditor);
const showPoints = pointsView();

const forfeit = document.getElementById("forfeit");

function fillForfeit(players) {
  const select = forfeit.elements.player;
  if (select.dataset.players === players.join("\n")) return;
  select.dataset.players = players.join("\n");
  select.replaceChildren(...players.map((name, seat) => element("option", { value: String(seat) }, name)));
}

forfeit.addEventListener("submit", async (event) => {
  event.preventDefault();
  const failure = document.getElementById("forfeit-failure");
  failure.textContent = "";
  const { player, reason } = forfeit.elements;
  try {
    await send({ type: "forfeit", player: Number(player.value), reason: reason.value.trim() });
    forfeit.closest("details").open = false;
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    failure.textContent = error.message;
  }
});

function show(state) {
  showSession(state);
  showWarnings(state);
  showSides(state);
  showTurn(state);
  showTable(state);
  showQuestions(state.questions ?? []);
  showPoints(state);
  showLastPlay(state);
  showPlays(state);
  showPerformance(state);
  fillForfeit(state.session.players);
  picture.update(state);
  editor.update(state);
  document.body.dataset.revision = state.revision;
}

const notice = document.getElementById("connection");
let wasLost = false;

function showConnection(connected) {
  document.body.dataset.connection = connected ? "live" : "lost";
  if (!connected) {
    wasLost = true;
    notice.textContent = text("connection.lost");
    notice.hidden = false;
  } else if (wasLost) {
    wasLost = false;
    notice.hidden = true;
    toast(text("connection.back"));
  }
}

new Connection({ onState: show, onConnection: showConnection }).start();
