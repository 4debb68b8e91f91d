// The live picture and, over it, the outlines of the state that held when the picture was taken.

import { shortName } from "./cards.js";
import { setText } from "./dom.js";
import { cardName, confidenceLevel, percent, text } from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";
const FAST_MS = 125;
const SLOW_MS = 400;
// How long a picture waits for the state of its moment before it is shown with the outlines of the state before.
const OUTLINES_LATE_MS = 350;
const REMEMBERED = 24; // states, three seconds of them
const LABEL_PX = 13;
const NARROW_PX = 60; // cards narrower than this on screen get the bare code

function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Fetches pictures, remembers the outlines of the last states, and changes picture and outlines in one moment. */
export class Picture {
  constructor() {
    this.image = document.getElementById("picture");
    this.overlay = document.getElementById("overlay");
    this.frame = document.getElementById("picture-frame");
    this.empty = document.getElementById("picture-empty");
    this.note = document.getElementById("picture-note");
    this.outlines = new Map(); // revision -> {picture, table}, rising
    this.shown = null; // {index, revision} of the picture on screen
    this.waiting = null; // {index, revision, url}: fetched, the state of its moment not yet here
    new ResizeObserver(() => this.draw()).observe(this.frame);
    document.addEventListener("visibilitychange", () => this.schedule(0));
    this.schedule(0);
  }

  /** Take the outlines of a state. */
  update(state) {
    const { revision, picture, table, session } = state;
    if (this.newest > revision) this.outlines.clear(); // another session
    this.newest = revision;
    this.outlines.set(revision, { picture, table });
    while (this.outlines.size > REMEMBERED) this.outlines.delete(this.outlines.keys().next().value);
    setText(this.note, session.error ? text("picture.still", { message: session.error }) : "");
    if (this.waiting && revision >= this.waiting.revision) this.swap();
    else if (this.shown?.index === picture.index) {
      this.shown.revision = revision; // something else changed under the same picture
      this.draw();
    } else if (this.idle) this.schedule(0);
  }

  schedule(delayMs) {
    clearTimeout(this.timer);
    this.idle = delayMs > FAST_MS;
    if (!document.hidden) this.timer = setTimeout(() => this.fetchNext(), delayMs);
  }

  async fetchNext() {
    if (this.fetching) return;
    this.fetching = true;
    let delay = SLOW_MS;
    try {
      const have = this.waiting ?? this.shown;
      const response = await fetch(`/api/frame.jpg${have ? `?after=${have.index}` : ""}`, {
        signal: AbortSignal.timeout(5000),
      });
      if (response.status === 200) {
        const [index, revision] = ["X-Frame-Index", "X-Revision"].map((name) => Number(response.headers.get(name)));
        this.received({ index, revision, url: URL.createObjectURL(await response.blob()) });
        delay = FAST_MS;
      }
    } catch {
      delay = 2000; // the connection's own notice tells of it
    } finally {
      this.fetching = false;
      this.schedule(delay);
    }
  }

  received(picture) {
    if (this.waiting) URL.revokeObjectURL(this.waiting.url);
    this.waiting = picture;
    clearTimeout(this.late);
    if (this.newest >= picture.revision) this.swap();
    else this.late = setTimeout(() => this.waiting && this.swap(), OUTLINES_LATE_MS);
  }

  async swap() {
    const { index, revision, url } = this.waiting;
    this.waiting = null;
    clearTimeout(this.late);
    // Decoded before it is shown, so that picture and outlines change in the same moment.
    const next = new Image();
    next.src = url;
    try {
      await next.decode();
    } catch {
      URL.revokeObjectURL(url);
      return;
    }
    if (this.url) URL.revokeObjectURL(this.url);
    this.url = url;
    this.image.src = url;
    this.image.hidden = false;
    this.image.dataset.index = index;
    this.empty.hidden = true;
    this.shown = { index, revision };
    this.draw();
  }

  /** Return the outlines of the moment of the picture on screen: of its revision, else the next, else the newest. */
  outlinesShown() {
    if (!this.shown) return null;
    for (const [revision, outlines] of this.outlines) if (revision >= this.shown.revision) return outlines;
    return [...this.outlines.values()].at(-1) ?? null;
  }

  draw() {
    const outlines = this.outlinesShown();
    if (!outlines) {
      this.overlay.replaceChildren();
      return;
    }
    const { picture, table } = outlines;
    if (!picture.width) return;
    this.overlay.setAttribute("viewBox", `0 0 ${picture.width} ${picture.height}`);
    const perPixel = picture.width / Math.max(1, this.frame.clientWidth);
    const seen = table.filter((item) => item.quad);
    this.overlay.replaceChildren(
      ...seen.map((item) => this.outline(item, perPixel)),
      ...seen.filter((item) => item.face !== "down").map((item) => this.label(item, perPixel, picture)),
    );
  }

  outline(item, perPixel) {
    const level = item.face === "down" ? "back" : confidenceLevel(item.confidence ?? 0);
    const polygon = svg("polygon", {
      class: `outline ${level} ${item.state}`,
      points: item.quad.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "),
      "stroke-width": (2.5 * perPixel).toFixed(2),
    });
    if (item.state === "hidden") polygon.setAttribute("stroke-dasharray", `${7 * perPixel} ${5 * perPixel}`);
    const words = [item.card ? cardName(item.card) : text("table.not-read")];
    if (item.card) words.push(text("table.confidence", { percent: percent(item.confidence) }));
    if (item.state === "hidden") words.push(text("table.hidden"));
    polygon.append(svg("title", {}, words.join(", ")));
    polygon.dataset.track = item.track;
    return polygon;
  }

  label(item, perPixel, picture) {
    const size = LABEL_PX * perPixel;
    const sides = [0, 1].map((at) => Math.hypot(...[0, 1].map((axis) => item.quad[at + 1][axis] - item.quad[at][axis])));
    const words = Math.min(...sides) < NARROW_PX * perPixel ? (item.card ?? "?") : shortName(item.card);
    const width = size * (0.62 * words.length + 0.7);
    const height = size * 1.45;
    // Low on the card, so that its middle stays visible; inside the picture where the card reaches out of it.
    const [middleX, middleY] = [0, 1].map((axis) => item.quad.reduce((sum, corner) => sum + corner[axis], 0) / 4);
    const lowest = Math.max(...item.quad.map((corner) => corner[1]));
    const x = Math.min(Math.max(middleX, width / 2), picture.width - width / 2);
    const y = Math.min(Math.max(middleY + 0.75 * (lowest - middleY), height / 2), picture.height - height / 2);
    const level = confidenceLevel(item.confidence ?? 0);
    const group = svg("g", { class: `name ${item.card ? level : "low"} ${item.state}` });
    group.append(
      svg("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: height / 4 }),
      svg("text", { x, y: y + size * 0.35, "font-size": size, "text-anchor": "middle" }, words),
    );
    return group;
  }
}
