// What the views with stored answers have in common: they ask the service as a job, and say what
// is left where it does not answer.
import * as api from "./api.js";
import { blame, stale } from "./fields.js";

/** Asks a command as a job; said(text) is told how far it is. Gives its answer and ID. */
export async function job(command, request, { signal, said = () => {}, full = false } = {}) {
  const made = await api.post("v1/jobs", { command, request }, signal);
  let last = made;
  const stop = () => api.remove(`v1/jobs/${made.id}`).catch(() => {});
  signal?.addEventListener("abort", stop);
  try {
    await api.follow(made.id, (kind, value) => {
      if (kind !== "job") return;
      last = value;
      said(value.state === "queued" ? "Waiting for other jobs…" : value.total > 1 ? `${value.done} of ${value.total}` : "Planning…");
    }, signal);
    if (last.state !== "done") throw new api.Problem(last.error?.status ?? 0, last.error?.field, last.error?.problem ?? `The job is ${last.state}`);
    return { id: made.id, answer: await api.get(`v1/jobs/${made.id}/answer${full ? "?full=1" : ""}`, signal) };
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/** Shows a problem beside its field or above the answer; without a service, what still works. */
export function refuse(form, box, body, live, problem, stored, where) {
  if (problem.name === "AbortError") return;
  if (!(problem instanceof api.Problem)) throw problem;
  if (problem.status === 0 && !problem.field && /does not answer/.test(problem.message)) {
    box.hidden = false;
    box.textContent = `The service does not answer, so nothing new can be computed. ${stored} Start it again with “lightpath serve”.`;
  } else blame(form, box, problem, where);
  stale(body);
  live.textContent = box.hidden ? problem.message : box.textContent;
}

/** A whole number if it is one, else the text, which the service refuses by its name. */
export const whole = (text) => (/^\d+$/.test(text) ? Number(text) : text);

/** A list as people write it: with commas or blanks. */
export const list = (text) => text.split(/[\s,]+/).filter(Boolean);

export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Money, in as few letters as a table has room for. */
export function money(usd) {
  for (const [unit, size] of [["M", 1e6], ["k", 1e3]]) if (usd >= size) return `$${Number((usd / size).toPrecision(3))}${unit}`;
  return `$${Number(usd.toPrecision(3))}`;
}

export const power = (w) => (w >= 1000 ? `${Number((w / 1000).toPrecision(3))} kW` : `${Number(w.toPrecision(3))} W`);
