// The form on which people set up the match.

import { CommandFailed, post } from "./commands.js";
import { element } from "./dom.js";
import { session } from "./texts.js";

const form = document.getElementById("match-form");
const failure = document.getElementById("match-failure");
const seats = [...form.querySelectorAll("[name=player]")];
const { game: gameSelect, dealer } = form.elements;

const written = (value) => (typeof value === "boolean" ? (value ? "yes" : "no") : String(value));

function optionsOf(game) {
  return form.querySelector(`.options[data-game="${game}"]`);
}

function controls(options) {
  return [...options.querySelectorAll("[data-default]")];
}

/** Return the values that a preset sets, none without one. */
function presetValues(options) {
  const chosen = options.querySelector("[name=preset]")?.selectedOptions[0];
  return chosen?.value ? JSON.parse(chosen.dataset.values) : {};
}

function names() {
  return seats.filter((seat) => !seat.closest("label").hidden).map((seat) => seat.value.trim());
}

/** Offer as dealers those who sit; the place of the one chosen before stays chosen. */
function fillDealers() {
  const before = dealer.selectedIndex;
  const sitting = names().filter(Boolean);
  dealer.replaceChildren(...sitting.map((name, seat) => element("option", { value: String(seat) }, name)));
  dealer.selectedIndex = Math.min(Math.max(before, 0), sitting.length - 1);
}

function showGame() {
  for (const options of form.querySelectorAll(".options")) options.hidden = options.dataset.game !== gameSelect.value;
  const most = Number(optionsOf(gameSelect.value).dataset.most);
  seats.forEach((seat, number) => (seat.closest("label").hidden = number >= most));
  fillDealers();
}

function applyPreset(options) {
  const values = presetValues(options);
  for (const control of controls(options)) {
    control.value = values[control.name] ?? control.dataset.default;
    delete control.dataset.touched;
  }
}

/** Return what was chosen: a preset, and whatever differs from it or was set by hand. */
function chosenOptions() {
  const options = optionsOf(gameSelect.value);
  const values = presetValues(options);
  const preset = options.querySelector("[name=preset]")?.value;
  const chosen = preset ? { preset } : {};
  for (const control of controls(options)) {
    const base = values[control.name] ?? control.dataset.default;
    if (control.value !== base || control.dataset.touched) chosen[control.name] = control.value;
  }
  return chosen;
}

function fillIn() {
  if (session.game) gameSelect.value = session.game;
  seats.forEach((seat, number) => (seat.value = session.players[number] ?? ""));
  const options = optionsOf(gameSelect.value);
  const { preset, ...chosen } = session.options;
  const presets = options.querySelector("[name=preset]");
  if (preset && presets) presets.value = preset;
  applyPreset(options);
  for (const control of controls(options)) {
    if (!(control.name in chosen)) continue;
    control.value = written(chosen[control.name]);
    control.dataset.touched = "true";
  }
  showGame();
  dealer.selectedIndex = session.dealer;
}

form.addEventListener("change", (event) => {
  failure.textContent = "";
  const { target } = event;
  if (target === gameSelect) showGame();
  else if (target.name === "preset") applyPreset(target.closest(".options"));
  else if (target.dataset.default !== undefined) target.dataset.touched = "true";
});

form.addEventListener("input", (event) => event.target.name === "player" && fillDealers());

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  failure.textContent = "";
  try {
    await post({
      type: "match",
      game: gameSelect.value,
      players: names().filter(Boolean),
      dealer: Math.max(dealer.selectedIndex, 0),
      options: chosenOptions(),
    });
    window.location.assign("/");
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    failure.textContent = error.message;
  }
});

fillIn();
