// Sends requests to the service of this page.
import { shown } from "./address.js";
import { inLabels } from "./labels.js";

export class Problem extends Error {
  constructor(status, field, problem, others) {
    super(inLabels(problem));
    this.status = status;
    this.field = field || "";
    this.others = (others ?? []).map((o) => new Problem(status, o.field, o.problem));
  }
}

let token = sessionStorage.getItem("token") || "";
let onToken = () => {};

/** Sets what to do when the service needs a token. */
export function needToken(f) { onToken = f; }

export function useToken(t) {
  token = t;
  sessionStorage.setItem("token", t);
}

const makers = ["v1/jobs", "v1/sweep", "v1/emulate"]; // they answer with a job
const open = new Map(); // jobs that this page waits for, with their views
const ending = new Set(); // jobs being cancelled: asking again must not find them
const leaving = []; // functions to call when views are left

/** Calls f when another view is opened or the page is left. */
export function whenLeft(view, f) { leaving.push([view, f]); }

/** Cancels the jobs of a view that is left: nobody waits for them, and they would hold up others. */
function leave(left) {
  for (const [view, f] of leaving) if (left(view)) f();
  for (const [id, view] of [...open]) if (left(view)) cancel(id);
}
addEventListener("hashchange", () => leave((view) => view !== shown()));
addEventListener("pagehide", () => leave(() => true));

/** Cancels a job once, even while the page is closing. */
export function cancel(id) {
  open.delete(id);
  const over = remove(`v1/jobs/${id}`).catch(() => {}).finally(() => ending.delete(over)); // the job may be over
  ending.add(over);
}

async function call(method, path, body, signal, accept) {
  const headers = {};
  if (accept) headers.Accept = accept;
  if (token) headers.Authorization = "Bearer " + token;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let r;
  try {
    r = await fetch(path, { method, headers, signal, keepalive: method === "DELETE", body: body === undefined ? undefined : JSON.stringify(body) });
  } catch (e) {
    if (e.name === "AbortError") throw e;
    throw Object.assign(new Problem(0, "", "The service does not answer; is it still running?"), { silent: true });
  }
  if (r.ok) return r;
  if (r.status === 401) onToken();
  let error = { problem: r.statusText }, others = [];
  try { ({ error, others } = await r.json()); } catch { /* no JSON: the status says it */ }
  throw new Problem(r.status, error.field, error.problem, others);
}

export const get = async (path, signal) => (await call("GET", path, undefined, signal)).json();

/** Posts a request. A request that makes a job cannot be abandoned before its answer, which has the job to cancel. */
export async function post(path, body, signal) {
  if (!makers.includes(path)) return (await call("POST", path, body, signal)).json();
  const view = shown();
  await Promise.all(ending);
  signal?.throwIfAborted();
  const made = await (await call("POST", path, body)).json();
  if (made.state === "queued" || made.state === "running") open.set(made.id, view);
  if (signal?.aborted || view !== shown()) {
    if (open.has(made.id)) cancel(made.id);
    throw new DOMException("nobody waits for it", "AbortError");
  }
  return made;
}

export const remove = (path) => call("DELETE", path);
export const blob = async (path) => (await call("GET", path)).blob();

/** Makes a plan; gives its summary and ID. Calls better(summary, count) for each better plan on the way. */
export async function plan(request, signal, better = () => {}) {
  const r = await call("POST", "v1/plan", request, signal, "text/event-stream");
  let made = null;
  await events(r, (kind, value) => {
    if (kind === "better") better(value.summary, value.count);
    if (kind === "error") throw new Problem(value.status, value.error.field, value.error.problem);
    if (kind === "answer") made = { id: value.plan, summary: value.answer };
  });
  if (!made) throw new Problem(0, "", "The service ended before the answer; is it still running?");
  return made;
}

/** Follows a job until it is over: on(kind, value) for each event. Aborting cancels the job. */
export async function follow(id, on, signal) {
  const stop = () => { if (open.has(id)) cancel(id); };
  signal?.addEventListener("abort", stop);
  try {
    await events(await call("GET", `v1/jobs/${id}/events`, undefined, signal), on);
    open.delete(id);
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

async function events(r, on) {
  const reader = r.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const m = /^event: (.*)\ndata: (.*)$/s.exec(part);
      if (m) on(m[1], JSON.parse(m[2]));
    }
  }
}
