// Keeps the page's state fresh: server-sent events, polling where there is no place for a stream, and reconnection.

import { language } from "./texts.js";

const SILENCE_MS = 15000; // three heartbeats missed: the line is dead though nobody closed it
const POLL_MS = 1000;
const STREAM_RETRY_MS = 20000;
const RETRY_MS = [500, 1000, 2000, 3000];

/**
 * Follow the state. Calls `onState(state)` for every state and `onConnection(true|false)` as the connection comes and
 * goes. A hidden page closes its stream (streams are few, and a browser opens only six connections to one server).
 */
export class Connection {
  constructor({ onState, onConnection }) {
    this.onState = onState;
    this.onConnection = onConnection;
    this.failures = 0;
    this.revision = null;
    document.addEventListener("visibilitychange", () => (document.hidden ? this.stop() : this.start()));
    window.addEventListener("pagehide", () => this.stop());
    window.addEventListener("pageshow", (event) => event.persisted && this.start());
  }

  start() {
    this.stop();
    this.openStream();
  }

  stop() {
    this.stream?.close();
    this.stream = null;
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    this.polling = false;
  }

  openStream() {
    const stream = new EventSource(`/api/events?lang=${language}`);
    this.stream = stream;
    this.listenForSilence();
    stream.addEventListener("state", (event) => {
      this.listenForSilence();
      this.received(JSON.parse(event.data));
    });
    stream.addEventListener("beat", () => this.listenForSilence());
    stream.addEventListener("error", () => {
      if (this.stream !== stream) return;
      // A refusal (no place) and a dead server look alike here; one question by polling tells them apart.
      stream.close();
      this.stream = null;
      clearTimeout(this.silence);
      this.pollUntil = performance.now() + STREAM_RETRY_MS;
      this.poll();
    });
  }

  listenForSilence() {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      this.lost();
      this.start();
    }, SILENCE_MS);
  }

  async poll() {
    this.polling = true;
    const wasLost = this.failures > 0;
    try {
      const after = this.revision === null ? "" : `&after=${this.revision}`;
      const response = await fetch(`/api/state?lang=${language}${after}`, { signal: AbortSignal.timeout(5000) });
      if (!response.ok) throw new Error(response.statusText);
      const state = response.status === 204 ? null : await response.json();
      if (!this.polling) return;
      if (state) this.received(state);
      else this.alive();
      if (wasLost || performance.now() > this.pollUntil) {
        this.polling = false;
        this.openStream();
        return;
      }
      this.timer = setTimeout(() => this.poll(), POLL_MS);
    } catch {
      if (!this.polling) return;
      this.lost();
      const wait = RETRY_MS[Math.min(this.failures, RETRY_MS.length) - 1];
      this.timer = setTimeout(() => this.poll(), wait);
    }
  }

  received(state) {
    this.revision = state.revision;
    this.alive();
    this.onState(state);
  }

  alive() {
    if (this.failures === 0 && this.told) return;
    this.failures = 0;
    this.told = true;
    this.onConnection(true);
  }

  lost() {
    this.failures += 1;
    this.revision = null; // what answers next may be another session
    this.onConnection(false);
  }
}
