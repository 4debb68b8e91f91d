// Slaps: what was decided, the frames one by one, and the people's decision.

import { element, setText, showList } from "./dom.js";

const settings = JSON.parse(document.getElementById("settings").textContent);
const list = document.getElementById("slaps");
const notice = document.getElementById("notice");
const ASK_MS = 700;
const SLOW = 8;

function say(key, values = {}) {
  return Object.entries(values).reduce((said, [name, value]) => said.replaceAll(`{${name}}`, value), settings.texts[key]);
}

async function post(address, body) {
  const response = await fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error ?? response.statusText);
  return answer;
}

/** Show the frames of a slap one by one: a slider, and a slow play. */
function player(slap) {
  const image = element("img", { alt: "", src: `/slaps/${slap.number}/frame/0.jpg` });
  const time = element("span");
  const slider = element("input", { type: "range", min: "0", max: String(slap.frames.length - 1), value: "0" });
  const show = () => {
    image.src = `/slaps/${slap.number}/frame/${slider.value}.jpg`;
    setText(time, say("frame", { time: slap.frames[Number(slider.value)] }));
  };
  let timer = null;
  const step = () => {
    const at = Number(slider.value);
    if (at + 1 >= slap.frames.length) {
      timer = null;
      return;
    }
    slider.value = String(at + 1);
    show();
    timer = setTimeout(step, (slap.frames[at + 1] - slap.frames[at]) * SLOW);
  };
  const play = () => {
    clearTimeout(timer);
    if (Number(slider.value) + 1 >= slap.frames.length) slider.value = "0";
    show();
    timer = setTimeout(step, 250);
  };
  slider.addEventListener("input", () => {
    clearTimeout(timer);
    show();
  });
  show();
  const button = element("button", { type: "button", on: { click: play } }, say("slow"));
  return element("div", { class: "player" }, image, slider, element("p", {}, button, " ", time));
}

function hands(slap, players) {
  const lines = slap.order.map((touch) => {
    const words = say("hand", { player: players[touch.player], time: touch.contact_ms, error: touch.error_ms });
    const upper = touch.under.map((seat) => players[seat]).join(", ");
    return element("li", {}, upper ? `${words}, ${say("under", { players: upper })}` : words);
  });
  return element("ul", {}, ...lines);
}

function people(slap, players) {
  if (slap.event === null) return null;
  const decide = async (seat) => {
    try {
      await post("/slaps/decide", { number: slap.number, player: seat });
      setText(notice, say("decided", { player: players[seat] }));
      await refresh();
    } catch (error) {
      setText(notice, say("failed", { message: error.message }));
    }
  };
  const buttons = players.map((name, seat) =>
    element("button", { type: "button", on: { click: () => decide(seat) } }, say("decide", { player: name })));
  const said = slap.decided === null ? [] : [element("p", {}, say("decided", { player: players[slap.decided] }))];
  // Where a verdict was given there is nothing to decide, unless people know better.
  const choice = slap.open
    ? buttons
    : [element("details", {}, element("summary", {}, say("otherwise")), ...buttons)];
  return element("div", { class: "people" }, ...said, ...choice);
}

function links(slap) {
  const made = slap.files.map((name) =>
    element("a", { href: `/slaps/${slap.number}/${name}?download`, download: "" }, say(name)));
  return element("p", {}, ...made.flatMap((link) => [link, " "]));
}

function draw(state) {
  if (state.busy) setText(notice, say("busy"));
  else if (notice.textContent === say("busy")) setText(notice, state.slaps.length ? "" : say("none"));
  const items = state.slaps.map((slap) => ({ slap, players: state.players }));
  showList(list, items, {
    key: (item) => item.slap.number,
    tag: "article",
    fill(child, { slap, players }) {
      child.className = "slap";
      const strip = slap.files.includes("strip")
        ? element("img", { class: "strip", alt: say("strip"), src: `/slaps/${slap.number}/strip` })
        : null;
      const parts = [
        element("h2", {}, slap.text), hands(slap, players), slap.frames.length ? player(slap) : null, strip,
        people(slap, players), links(slap),
      ];
      child.replaceChildren(...parts.filter((part) => part !== null));
    },
  });
}

async function refresh() {
  const response = await fetch(`/slaps/state?lang=${settings.language}`);
  if (response.ok) draw(await response.json());
}

document.getElementById("ask").addEventListener("click", async () => {
  await post("/slaps/ask", {}).catch((error) => setText(notice, say("failed", { message: error.message })));
  setText(notice, say("asked"));
});

async function follow() {
  await refresh().catch(() => {});
  setTimeout(follow, ASK_MS);
}

setText(notice, say("none"));
follow();
