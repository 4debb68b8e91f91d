// People's commands to the table, and the server's answers in plain words.

import { element } from "./dom.js";
import { language, text } from "./texts.js";

export class CommandFailed extends Error {}

/** Send a command; resolves to the server's answer, rejects with `CommandFailed` whose message is for people. */
export async function post(command) {
  let response;
  try {
    response = await fetch(`/api/command?lang=${language}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(command),
    });
  } catch {
    throw new CommandFailed(text("connection.lost"));
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new CommandFailed(answer.error ?? response.statusText);
  return answer;
}

/**
 * Send a command and offer to take it back; resolves to the server's answer, rejects with `CommandFailed` whose message
 * is for people.
 */
export async function send(command) {
  const answer = await post(command);
  const undo = element("button", { type: "button" }, text("command.undo"));
  undo.addEventListener("click", async () => {
    hideToast();
    try {
      await post({ type: "undo", event: answer.event });
      toast(text("command.undone"));
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      toast(text("command.failed", { message: error.message }), { failed: true });
    }
  });
  toast(text("command.saved"), { action: undo });
  return answer;
}

const TOAST_MS = 6000;
const TOAST_WITH_ACTION_MS = 15000;
let hiding;

function hideToast() {
  document.getElementById("toast").hidden = true;
}

/** Show a short message at the bottom of the page for some seconds, with a button to act on it or without. */
export function toast(message, { failed = false, action = null } = {}) {
  const shown = document.getElementById("toast");
  shown.replaceChildren(element("span", {}, message), ...(action ? [action] : []));
  shown.dataset.kind = failed ? "failure" : "done";
  shown.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(hideToast, action ? TOAST_WITH_ACTION_MS : TOAST_MS);
}

/** Send a command from a button: the button rests meanwhile, and what goes wrong is shown in a toast. */
export async function sendFrom(button, command) {
  button.disabled = true;
  try {
    await send(command);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    toast(text("command.failed", { message: error.message }), { failed: true });
  } finally {
    button.disabled = false;
  }
}
