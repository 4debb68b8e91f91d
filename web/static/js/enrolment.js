// Decks: which are known, which is played with, and how a new one is learnt from photos.

import { card, deckCodes, shortName } from "./cards.js";
import { element, showList } from "./dom.js";
import { cardName, language, percent, text } from "./texts.js";

const byId = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const CAMERA_MS = 300;
const TOAST_MS = 6000;
const MOST_NAMED = 8; // cards that are named one by one

const failure = byId("failure");
const dialog = byId("card-dialog");
let state = null;
let asked = null; // {photo, number} of the card in the dialog
let taken = 0; // makes the addresses of photos new after a new enrolment has begun

class Failed extends Error {}

async function request(address, options = {}) {
  let response;
  try {
    response = await fetch(`${address}${address.includes("?") ? "&" : "?"}lang=${language}`, options);
  } catch {
    throw new Failed(text("connection.lost"));
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Failed(answer.error ?? response.statusText);
  show(answer);
  return answer;
}

const send = (command) =>
  request("/api/decks", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(command),
  });

const upload = (address, file) =>
  request(address, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });

/** Do something while a control rests; what goes wrong is said at the foot of the page. */
async function attempt(control, work) {
  failure.textContent = "";
  if (control) control.disabled = true;
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    failure.textContent = error.message;
    return null;
  } finally {
    if (control) control.disabled = false;
  }
}

let hiding;

function toast(message) {
  const shown = byId("toast");
  shown.textContent = message;
  shown.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => (shown.hidden = true), TOAST_MS);
}

// The decks that are known

function button(label, work, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", () => attempt(made, work));
  return made;
}

async function choose(name) {
  await send({ do: "choose", deck: name });
  toast(text("deck.chosen"));
}

function showKinds({ choices, wanted }) {
  byId("deck-kinds").replaceChildren(
    ...choices.map((kind) =>
      button(text(`kind.${kind}`), () => choose(kind), { "aria-pressed": String(wanted === kind), data: { kind } }),
    ),
  );
}

function fillDeck(item, { deck, wanted }) {
  const about = [text(`kind.${deck.kind}`), text("deck.cards", { count: deck.codes.length })];
  if (deck.note) about.push(deck.note);
  if (deck.missing.length > MOST_NAMED) about.push(text("deck.missing-many", { count: deck.missing.length }));
  else if (deck.missing.length) about.push(text("deck.missing", { cards: deck.missing.map(shortName).join(", ") }));
  const name = encodeURIComponent(deck.name);
  const used = wanted === deck.name;
  item.replaceChildren(
    element("img", { class: "deck-face", alt: "", src: `/api/decks/face/${name}/${deck.codes[0]}.jpg` }),
    element(
      "div",
      {},
      element("p", { class: "deck-name" }, deck.name),
      element("p", { class: "deck-about" }, about.join(" · ")),
    ),
    element(
      "div",
      { class: "deck-actions" },
      button(text(used ? "deck.used" : "deck.use"), () => choose(deck.name), {
        "aria-pressed": String(used),
        class: "use",
      }),
      button(text("deck.add"), () => begin({ kind: deck.kind, add_to: deck.name })),
      element("a", { href: `/api/decks/file/${name}`, download: `${deck.name}.deck` }, text("deck.export")),
      button(text("deck.remove"), async () => {
        if (window.confirm(text("deck.remove-sure", { name: deck.name }))) {
          await send({ do: "remove", deck: deck.name });
        }
      }),
    ),
  );
}

function showDecks({ decks, wanted }) {
  byId("deck-none").textContent = text("deck.none");
  byId("deck-none").hidden = decks.length > 0;
  showList(
    byId("deck-list"),
    decks.map((deck) => ({ deck, wanted })),
    { key: ({ deck }) => deck.name, tag: "li", fill: fillDeck },
  );
}

// The deck that is being learnt

async function begin(command) {
  taken = Date.now();
  await send({ do: "begin", order: "", add_to: "", ...command });
  byId("save-form").elements.name.value = command.add_to ?? "";
  byId("learning").scrollIntoView();
}

function showProgress({ wanted: all, missing, doubtful }) {
  const known = all - missing.length;
  const words = [text("progress.known", { known, all })];
  if (doubtful) words.push(text("progress.doubtful", { count: doubtful }));
  if (!missing.length && !doubtful) words.push(text("progress.complete"));
  byId("progress").textContent = words.join(" · ");
  byId("progress-bar").max = all;
  byId("progress-bar").value = known;
  byId("missing").replaceChildren(...missing.map((code) => card(code)));
}

function svg(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function outline(photo, found) {
  const centre = [0, 1].map((axis) => found.quad.reduce((sum, corner) => sum + corner[axis], 0) / 4);
  const wide = Math.hypot(found.quad[1][0] - found.quad[0][0], found.quad[1][1] - found.quad[0][1]);
  const words = text(`card.${found.state}`, { card: cardName(found.card) });
  const label = found.state === "left-out" ? "–" : found.card ? shortName(found.card) : "?";
  const made = svg(
    "g",
    { role: "button", tabindex: "0", "data-state": found.state, "data-card": `${photo}-${found.number}`, "aria-label": words },
    svg("polygon", { points: found.quad.map((corner) => corner.join(",")).join(" ") }),
    svg("text", { x: centre[0], y: centre[1], "font-size": Math.max(12, wide / 4) }),
  );
  made.lastChild.textContent = found.state === "doubtful" ? `${label}?` : label;
  made.addEventListener("click", () => openCard(photo, found.number));
  made.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      openCard(photo, found.number);
    }
  });
  return made;
}

function fillPhoto(item, photo) {
  const [width, height] = photo.size;
  const notes = [text("photo.found", { count: photo.cards.length })];
  if (photo.mirrored) notes.push(text("photo.mirrored"));
  if (photo.turned) notes.push(text("photo.turned"));
  item.className = "photo";
  item.replaceChildren(
    element(
      "header",
      {},
      element("h3", {}, text("photo.title", { number: photo.photo + 1 })),
      element("p", { class: "deck-about" }, notes.join(" ")),
      button(text("photo.forget"), () => send({ do: "forget", photo: photo.photo })),
    ),
    element(
      "figure",
      {},
      element("img", { alt: "", src: `/api/decks/photo/${photo.photo}.jpg?of=${taken}` }),
      svg("svg", { viewBox: `0 0 ${width} ${height}` }, ...photo.cards.map((found) => outline(photo.photo, found))),
    ),
  );
}

function show(answer) {
  state = answer;
  showKinds(state);
  showDecks(state);
  const learning = state.enrolment;
  byId("begin").hidden = Boolean(learning);
  byId("learning").hidden = !learning;
  if (learning) {
    showProgress(learning);
    showList(byId("photos"), [...learning.photos].reverse(), {
      key: (photo) => photo.photo,
      tag: "article",
      fill: fillPhoto,
    });
  }
}

// One card

function openCard(photo, number) {
  const found = state.enrolment.photos.find((one) => one.photo === photo)?.cards.find((one) => one.number === number);
  if (!found) return;
  asked = { photo, number };
  byId("card-title").textContent = text("card.title", { photo: photo + 1, number });
  byId("card-picture").src = `/api/decks/photo/${photo}/${number}.jpg?of=${taken}`;
  const missing = new Set(state.enrolment.codes);
  for (const one of state.enrolment.photos.flatMap(({ cards }) => cards)) {
    if (one.state === "sure" || one.state === "said") missing.delete(one.card);
  }
  const choice = (code, note) =>
    element(
      "button",
      {
        type: "button",
        class: "card-button",
        "aria-label": note ?? cardName(code),
        data: { code, missing: String(missing.has(code)) },
        on: { click: () => answerCard(code) },
      },
      card(code, { spoken: false }),
    );
  byId("card-candidates").replaceChildren(
    ...found.candidates.map(([code, p]) =>
      choice(code, text("card.perhaps", { card: cardName(code), percent: percent(p) })),
    ),
  );
  const deck = state.enrolment.codes.some((code) => "HDCS".includes(code.at(-1))) ? "french" : "italian";
  const has = new Set(state.enrolment.codes);
  byId("card-deck").replaceChildren(...deckCodes(deck, false).filter((code) => has.has(code)).map((code) => choice(code)));
  byId("card-retract").hidden = found.state !== "said" && found.state !== "left-out";
  if (!dialog.open) dialog.showModal();
}

/** Send what a card is, and go on to the next doubtful one of the same photo. */
async function answerCard(code) {
  const { photo, number } = asked;
  dialog.close();
  await attempt(null, () => send({ do: "answer", photo, number, card: code }));
}

byId("card-none").addEventListener("click", () => answerCard(""));
byId("card-retract").addEventListener("click", () => answerCard(null));

// Forms and files

byId("begin-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const { kind, order } = event.target.elements;
  attempt(event.submitter, () => begin({ kind: kind.value, order: order.value }));
});

byId("take").addEventListener("click", (event) =>
  attempt(event.currentTarget, async () => {
    toast(text("photo.working"));
    const answer = await send({ do: "take" });
    toast(text("photo.found", { count: answer.found }));
  }),
);

byId("photo-files").addEventListener("change", (event) =>
  attempt(event.target, async () => {
    for (const file of event.target.files) {
      toast(text("photo.working"));
      const answer = await upload("/api/decks/photo", file);
      toast(text("photo.found", { count: answer.found }));
    }
    event.target.value = "";
  }),
);

byId("deck-file").addEventListener("change", (event) =>
  attempt(event.target, async () => {
    const [file] = event.target.files;
    event.target.value = "";
    if (!file) return;
    const answer = await upload("/api/decks/file", file);
    toast(text("deck.imported", { name: answer.name }));
  }),
);

byId("save-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const { name, note, overwrite } = event.target.elements;
  attempt(event.submitter, async () => {
    const answer = await send({
      do: "save",
      name: name.value.trim(),
      note: note.value.trim(),
      overwrite: overwrite.checked,
    });
    event.target.reset();
    toast(text("saved", { name: answer.name }));
  });
});

byId("cancel").addEventListener("click", (event) => attempt(event.currentTarget, () => send({ do: "cancel" })));

// The camera's picture

let frame = null;

async function showCamera() {
  if (!byId("learning").hidden && !document.hidden) {
    try {
      const response = await fetch(`/api/frame.jpg${frame === null ? "" : `?after=${frame}`}`);
      if (response.status === 200) {
        frame = Number(response.headers.get("X-Frame-Index"));
        const address = URL.createObjectURL(await response.blob());
        const image = byId("camera");
        const before = image.src;
        image.src = address;
        await image.decode().catch(() => {});
        image.hidden = false;
        byId("camera-empty").hidden = true;
        if (before.startsWith("blob:")) URL.revokeObjectURL(before);
      }
    } catch {
      // The next try tells.
    }
  }
  setTimeout(showCamera, CAMERA_MS);
}

attempt(null, () => request("/api/decks")).then(() => {
  document.body.dataset.ready = "true";
  showCamera();
});
