// The page's words and settings, as the server wrote them into the page.

const settings = JSON.parse(document.getElementById("settings").textContent);

export const language = settings.language;
export const drawings = new Set(settings.drawings);
export const session = settings.session; // of the page on which a match is set up

/** Return the text for a key with `{name}` places filled in; an unknown key gives `fallback`, else the key itself. */
export function text(key, values = {}, fallback = key) {
  const template = settings.texts[key] ?? fallback;
  return template.replace(/\{(\w+)\}/g, (place, name) => (name in values ? String(values[name]) : place));
}

/** Return a card's name for people: "7 of coins". */
export function cardName(code) {
  return code ? (settings.cards[code] ?? code) : text("card.unknown");
}

/** Join names as a sentence does: "a, b and c". */
export function listed(names) {
  if (names.length < 2) return names.join("");
  return text("play.list", { first: names.slice(0, -1).join(", "), last: names.at(-1) });
}

/** Write media time as minutes and seconds, with hours where needed. */
export function clock(tMs) {
  if (tMs === null || tMs === undefined) return "–";
  const seconds = Math.floor(tMs / 1000);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, "0"));
  const hours = Math.floor(seconds / 3600);
  return hours ? [hours, ...parts].join(":") : parts.join(":");
}

export function percent(probability) {
  return Math.round(probability * 100);
}

/** Sort a probability into "high", "middle" or "low" for colouring. */
export function confidenceLevel(probability) {
  if (probability >= 0.9) return "high";
  return probability >= 0.6 ? "middle" : "low";
}
