// The view of a training step: when every class of ranks computes, communicates and waits.
import * as api from "./api.js";
import { job, open, refuse, same, Wait, whole } from "./asking.js";
import { $, card, fact, factor, grid, h, percent, save, spaced, time } from "./dom.js";
import { clear, fields, remember, restore, values } from "./fields.js";
import { Circuits } from "./iterationcircuits.js";
import { colorOf, Schedule } from "./schedule.js";
import { Undo } from "./undo.js";

const form = $("#iteration-form"), body = $("#iteration-body"), box = $("#iteration-error"), live = $("#iteration-live");
const delays = ["100ns", "1us", "10us", "100us", "300us", "1ms", "3ms", "10ms", "30ms", "100ms"]; // stops of the slider
let stored = null, running = null, timer = 0, undo = null, wait = null;
const tried = []; // planned in this visit: {delay, ports, ns}

export async function start() {
  stored = await import("./stored-iteration.js");
  const f = (name, label, value, more) => ({ form: "iteration", name, label, value, ...more });
  undo = new Undo(form, $("#iteration"), (state) => { restore(form, state); make(); });
  form.append(
    ...fields([
      f("model", "Model", "mixtral-8x7b", { wide: true, options: stored.models.map((m) => [m, m]) }),
      f("tp", "Tensor parallel", "2", { number: true }), f("pp", "Pipeline stages", "2", { number: true }),
      f("dp", "Data parallel", "4", { number: true }), f("ep", "Expert parallel", "2", { number: true }),
      f("global_batch", "Sequences per step", "8", { number: true }), f("ports", "Ports each", "2", { number: true }),
      f("reconfig", "Reconfiguration", "1ms", { hint: "1ms" }), f("bandwidth", "Bandwidth of a port", "800Gbps", { hint: "800Gbps" }),
    ]),
    h("details", { class: "more" }, h("summary", {}, "Islands and policy"), h("div", {}, fields([
      f("island", "GPUs in an island", "", { hint: "none" }), f("island_bandwidth", "Bandwidth inside", "", { hint: "3600Gbps" }),
      f("policy", "Policy", "", { wide: true, options: [["", "best of all"], ["static", "ports divided once"], ["phases", "reconfigure at phase boundaries"], ["phases-ahead", "reconfigure as soon as ports are free"], ["each", "each collective by itself"], ["one", "one topology for all"]] }),
    ]))),
    h("div", { class: "actions" }, h("button", { class: "primary" }, "Plan the step"), undo.back, undo.forth),
  );
  wait = new Wait(body, "Planning the step", "Plan the step", stop);
  api.whenLeft("iteration", stop);
  form.addEventListener("input", () => soon(500));
  form.addEventListener("submit", (e) => { e.preventDefault(); clearTimeout(timer); make(); });
}

/** Plans once nothing has been typed for a while; marks the shown answer as outdated at once. */
function soon(ms) {
  clearTimeout(timer);
  timer = setTimeout(make, ms);
  wait.begin();
}

function stop() {
  clearTimeout(timer);
  wait.cancel();
  running?.abort();
}

export const show = (query) => open(form, box, query, make);

/** The request of the form. */
function request() {
  const v = values(form), made = { model: v.model };
  for (const k of ["tp", "pp", "dp", "ep", "global_batch"]) if (v[k]) made[k] = whole(v[k]);
  if (v.policy) made.policy = v.policy;
  made.fabric = { ports: whole(v.ports), reconfig: v.reconfig, bandwidth: v.bandwidth };
  for (const k of ["island", "island_bandwidth"]) if (v[k]) made.fabric[k] = v[k];
  return made;
}

async function make(keep) {
  running?.abort();
  const mine = (running = new AbortController());
  const odd = clear(form);
  box.hidden = true;
  if (keep !== true) remember("iteration", form);
  undo.note();
  const asked = request();
  if (same(asked, stored.request)) {
    wait.end();
    body.classList.remove("stale");
    render(stored.document, stored.budget.iteration, null);
    return;
  }
  wait.begin();
  try {
    const { id, answer } = await job("iterate", asked, { signal: mine.signal, full: true, said: (text) => wait.said(text) });
    const budget = await job("explain", { iteration: { id }, budget_only: true }, { signal: mine.signal });
    if (running !== mine || odd) return;
    body.classList.remove("stale");
    render(answer, budget.answer.iteration, id);
  } catch (e) {
    if (running === mine) refuse(form, box, body, live, e, "The step that this view opens with is stored in the page: Ctrl+Z leads back to it.");
  } finally {
    if (running === mine) wait.end();
  }
}

const room = () => Math.max(280, $("#iteration-result").clientWidth - 34);

function render(d, budget, id) {
  const width = room();
  note(d);
  const at = h("div", { class: "cursor-at" }), circuits = new Circuits(d, width);
  const schedule = new Schedule(d, width, (t) => { circuits.show(t); at.replaceChildren(...circuits.words(t)); });
  body.replaceChildren(hero(d), what(d), card("The step, by class of ranks", schedule.element),
    card("Circuits at the cursor", h("div", { class: "pair" }, circuits.element, at)),
    card("Where the time goes", shares(budget, width), costs(d, budget)), policies(d),
    card("Downloads", h("div", { class: "downloads" }, h("button", { type: "button", onclick: () => download(d, id) }, "Plan of the step (JSON)"))));
  const late = (d.changes ?? []).find((c) => c.exposed_ns > 0 && c.start_ns > 0); // start where dark ports cost time
  schedule.seek(late ? (late.start_ns + late.end_ns) / 2 : d.iteration_ns * 0.1);
  live.textContent = `A step of ${d.name} on ${d.ranks} GPUs takes ${time(d.iteration_ns)}, ${time(d.exposed_ns)} of it exposed.`;
}

async function download(d, id) {
  const data = id ? await api.blob(`v1/jobs/${id}/answer?full=1`) : new Blob([JSON.stringify(d)], { type: "application/json" });
  save("iteration.json", data);
}

function hero(d) {
  const others = Object.entries(d.baselines_ns).filter(([k]) => k !== d.policy).map(([, v]) => v), next = Math.min(...others.filter((v) => v > d.iteration_ns * 1.0001));
  return h("section", { class: "card hero", "aria-label": "Time" },
    h("p", {}, h("b", {}, `A step of ${d.name} on ${d.ranks} GPUs`), `, policy ${d.policy}`),
    h("div", { class: "times" }, h("div", { class: "time" }, time(d.iteration_ns), h("small", {}, "for a step")), h("div", { class: "time second exposed" }, time(d.exposed_ns), h("small", {}, `exposed, ${percent(d.exposed_ns / d.iteration_ns)}`))),
    h("div", { class: "facts" }, fact(String(d.reconfigurations), `reconfigurations, ${d.hidden} of them hidden`), fact(percent(d.gap), "above the bound"),
      Number.isFinite(next) && fact(factor(next / d.iteration_ns), "over the next fixed policy")));
}

/** Sliders for the delay and the ports; each one replans. */
function what(d) {
  const v = values(form), at = nearest(v.reconfig);
  const delay = h("input", { type: "range", id: "iteration-delay", min: 0, max: delays.length - 1, step: 1, value: at, "aria-valuetext": spaced(v.reconfig) });
  const ports = h("input", { type: "range", id: "iteration-ports", min: 1, max: 8, step: 1, value: v.ports });
  const said = h("output", { for: "iteration-delay" }, spaced(v.reconfig)), count = h("output", { for: "iteration-ports" }, v.ports);
  const set = (name, value, out) => () => {
    form.elements[name].value = value();
    out.textContent = value();
    soon(300);
  };
  delay.addEventListener("input", set("reconfig", () => delays[delay.valueAsNumber], said));
  ports.addEventListener("input", set("ports", () => ports.value, count));
  return card("What if", h("div", { class: "sliders" },
    h("div", {}, h("label", { for: "iteration-delay" }, "Reconfiguration delay"), delay, said), h("div", {}, h("label", { for: "iteration-ports" }, "Ports of a GPU"), ports, count)),
  tried.length > 1 && h("p", { class: "note tried" }, "Planned so far: ", tried.slice(-6).map((x, i) => [i > 0 && " · ", h(x.ns === d.iteration_ns ? "b" : "span", {}, `${spaced(x.delay)}, ${x.ports} ${x.ports === "1" ? "port" : "ports"}: ${time(x.ns)}`)])));
}

const units = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };

/** The stop of the slider nearest to a delay. */
function nearest(text) {
  const ns = (x) => { const m = /^([\d.]+)(\D+)$/.exec(x); return m ? Math.log(Number(m[1]) * (units[m[2]] ?? 1)) : 0; };
  return delays.reduce((best, x, i) => (Math.abs(ns(x) - ns(text)) < Math.abs(ns(delays[best]) - ns(text)) ? i : best), 0);
}

function note(d) {
  const v = values(form), key = `${v.reconfig} ${v.ports}`, i = tried.findIndex((x) => x.key === key && x.name === d.name);
  if (i >= 0) tried.splice(i, 1);
  tried.push({ key, name: d.name, delay: v.reconfig, ports: v.ports, ns: d.iteration_ns });
}

/** Bars of the critical path and of every class: compute, exposed kinds, rewiring, waits. */
function shares(budget, width) {
  const rows = [{ name: "critical path", ...budget.path }, ...budget.classes.slice(0, 16)];
  const parts = (r) => [["compute", r.compute_ns, "compute"], ...Object.entries(r.communication_ns ?? {}).map(([k, v]) => [k, v, k]), ["rewiring", r.rewiring_ns, "rewiring"], ["waits", r.waits_ns ?? 0, "waits"]];
  const kinds = [...new Set(rows.flatMap((r) => parts(r).filter(([, v]) => v > 0).map(([, , k]) => k)))];
  const bars = rows.map((r) => h("div", { class: "share-row" }, h("span", {}, r.name), h("div", { class: "share", role: "img", "aria-label": `${r.name}: ${parts(r).filter(([, v]) => v > 0).map(([k, v]) => `${k} ${time(v)}`).join(", ")}` },
    parts(r).filter(([, v]) => v > 0).map(([k, v, kind]) => {
      const i = h("i", { title: `${k}: ${time(v)}` });
      i.style.width = `${(100 * v) / budget.iteration_ns}%`;
      i.style.background = colorOf(kind);
      return i;
    }))));
  return h("div", { class: "shares" }, bars, h("ul", { class: "legend" }, kinds.map((k) => h("li", {}, swatch(k), k === "compute" ? "compute" : k === "rewiring" ? "reconfiguring, exposed" : k === "waits" ? "waits for other ranks" : `${k}, exposed`))),
    width < 600 && budget.classes.length > 16 && h("p", { class: "note" }, "The first 16 classes."));
}

function swatch(kind) {
  const i = h("i");
  i.style.background = colorOf(kind);
  return i;
}

/** The cost of each kind: how often it communicates, for how long, and how much of that is exposed. */
function costs(d, budget) {
  const kinds = new Map();
  for (const o of d.ops) {
    if (!o.kind) continue;
    const k = kinds.get(o.kind) ?? { count: 0, ns: 0, classes: new Set() };
    k.count++;
    k.ns += o.end_ns - o.start_ns;
    k.classes.add(o.class);
    kinds.set(o.kind, k);
  }
  const rows = [...kinds].map(([kind, k]) => {
    const path = budget.path.communication_ns?.[kind] ?? 0, hidden = Math.max(0, ...budget.classes.map((c) => c.hidden_communication_ns?.[kind] ?? 0));
    return { kind, path, row: [h("span", {}, swatch(kind), ` ${kind}`), k.count, time(k.ns / k.classes.size), h("span", { class: path > 0 ? "bad" : "good" }, path > 0 ? time(path) : "none"), percent(path / d.iteration_ns), hidden > 0 ? time(hidden) : "none"] };
  }).sort((a, b) => b.path - a.path).map((x) => x.row);
  const rewiring = budget.path.rewiring_ns ?? 0;
  rows.push([h("span", {}, swatch("rewiring"), " reconfiguring"), d.reconfigurations, "", h("span", { class: rewiring > 0 ? "bad" : "good" }, rewiring > 0 ? time(rewiring) : "none"), percent(rewiring / d.iteration_ns), time(Math.max(0, ...budget.classes.map((c) => c.hidden_rewiring_ns ?? 0)))]);
  return h("div", {}, grid("What each kind costs", ["<Kind", "Operations", "A class is busy for", "Exposed on the critical path", "Of the step", "Hidden, at most"], rows));
}

/** The step with the policy that was found and with the fixed ones. */
function policies(d) {
  const rows = Object.entries({ ...d.baselines_ns, [d.policy]: d.iteration_ns }).sort((a, b) => a[1] - b[1]), most = Math.max(...rows.map(([, v]) => v));
  return card("Other policies", h("div", { class: "policies" }, rows.map(([k, v]) => {
    const bar = h("i", { class: k === d.policy ? "own" : "" });
    bar.style.width = `${(100 * v) / most}%`;
    return h("div", { class: "share-row" }, h("span", {}, k), h("div", { class: "share plain" }, bar), h("b", {}, time(v)));
  })), !d.baselines_ns.static && d.policy !== "static" && h("p", { class: "note" }, "There is no static policy here: the circuits of all kinds do not fit on the ports at once."));
}
