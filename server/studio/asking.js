// Shared by the views with stored answers: they ask the service as a job, and say what still
// works if it does not answer.
import * as api from "./api.js";
import { $, h } from "./dom.js";
import { blame, restore, stale, strange } from "./fields.js";

/** Runs a command as a job; calls said(text) with its progress. Returns its answer and ID. */
export async function job(command, request, { signal, said = () => {}, full = false } = {}) {
  const made = await api.post("v1/jobs", { command, request }, signal);
  let last = made;
  await api.follow(made.id, (kind, value) => {
    if (kind !== "job") return;
    last = value;
    said(value.state === "queued" ? "waiting for other jobs" : value.total > 1 ? `${value.done} of ${value.total}` : "");
  }, signal);
  if (last.state !== "done") throw new api.Problem(last.error?.status ?? 0, last.error?.field, last.error?.problem ?? `The job is ${last.state}`);
  return { id: made.id, answer: await api.get(`v1/jobs/${made.id}/answer${full ? "?full=1" : ""}`, signal) };
}

/** Shows that an answer is pending; the page still shows the previous form. The wait can be stopped. */
export class Wait {
  constructor(body, doing, again, stop) {
    Object.assign(this, { body, doing, again, words: h("span", { role: "status" }) });
    this.line = h("div", { class: "waits", hidden: true }, h("div", {}, h("span", { class: "spinner", "aria-hidden": "true" }), this.words, h("button", { type: "button", onclick: stop }, "Stop")));
    body.before(this.line);
  }

  begin() {
    this.body.classList.add("busy", "waiting");
    this.body.setAttribute("aria-busy", "true");
    this.line.hidden = false;
    this.said("");
  }

  /** Shows the progress. */
  said(text) {
    this.words.textContent = `${this.doing}${text ? `: ${text}.` : "…"}${$(":scope > .hero", this.body) ? " Below is the previous answer." : ""}`;
  }

  end() {
    this.line.hidden = true;
    this.body.classList.remove("busy", "waiting");
    this.body.removeAttribute("aria-busy");
  }

  /** Ends the wait, and says so if the reader was waiting. */
  cancel() {
    if (!this.line.hidden) this.stopped();
    this.end();
  }

  /** Says that there is no answer because the reader stopped it. */
  stopped() {
    const before = $(":scope > .hero", this.body);
    $(":scope > .former", this.body)?.remove();
    this.body.classList.add("stale");
    this.body.prepend(h("p", { class: "former" }, `Stopped.${before ? " The results below are the previous ones." : ""} “${this.again}” starts it again.`));
  }
}

/** Opens a view: fills its form from the address, if there is one, and calls make(whether there is). */
export function open(form, box, query, make) {
  const unknown = query ? restore(form, query) : [];
  make(query !== undefined);
  strange(box, unknown);
}

/** Shows a problem beside its field or above the answer; without a service, what still works. */
export function refuse(form, box, body, live, problem, stored, where) {
  if (problem.name === "AbortError") return;
  if (!(problem instanceof api.Problem)) throw problem;
  if (problem.silent) {
    box.hidden = false;
    box.textContent = `The service does not answer, so nothing new can be computed. ${stored} Start it again with “lightpath serve”.`;
  } else blame(form, box, problem, where);
  stale(body);
  live.textContent = box.hidden ? problem.message : box.textContent;
}

/** A whole number if it is one, otherwise the text, so that the service names the wrong field. */
export const whole = (text) => (/^\d+$/.test(text) ? Number(text) : text);

/** A list as people write it: with commas or blanks. */
export const list = (text) => text.split(/[\s,]+/).filter(Boolean);

export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Money, short enough for a table. */
export function money(usd) {
  for (const [unit, size] of [["M", 1e6], ["k", 1e3]]) if (usd >= size) return `$${Number((usd / size).toPrecision(3))}${unit}`;
  return `$${Number(usd.toPrecision(3))}`;
}

export const power = (w) => (w >= 1000 ? `${Number((w / 1000).toPrecision(3))} kW` : `${Number(w.toPrecision(3))} W`);
