// People's commands to the table, and the server's answers in plain words.

import { text } from "./texts.js";

export class CommandFailed extends Error {}

/** Send a command; resolves to the server's answer, rejects with `CommandFailed` whose message is for people. */
export async function send(command) {
  let response;
  try {
    response = await fetch("/api/command", {
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

let hiding;

/** Show a short message at the bottom of the page for a few seconds. */
export function toast(message, kind = "done") {
  const shown = document.getElementById("toast");
  shown.textContent = message;
  shown.dataset.kind = kind;
  shown.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => (shown.hidden = true), 5000);
}

/** Send a command from a button: the button rests meanwhile, and what goes wrong is shown in a toast. */
export async function sendFrom(button, command) {
  button.disabled = true;
  try {
    await send(command);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    toast(text("editor.failed", { message: error.message }), "failure");
  } finally {
    button.disabled = false;
  }
}
