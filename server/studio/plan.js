// The view of one plan.
import * as api from "./api.js";
import { $, card, fact, h, time, percent, factor, save } from "./dom.js";
import { blame, clear, remember, restore } from "./fields.js";
import { Network } from "./network.js";
import * as planform from "./planform.js";
import { player } from "./player.js";
import { bars, gantt, legend, shares, subject, table } from "./timeline.js";
import { Undo } from "./undo.js";
import { words } from "./words.js";
import { zip } from "./zip.js";

const form = $("#plan-form"), body = $("#plan-body"), box = $("#plan-error"), live = $("#plan-live");
const drawn = 512; // GPUs up to which every transfer is fetched to be drawn unasked
const compared = 128; // GPUs up to which all other plans are made unasked, to compare with
const patience = 300; // ms after which plans on the way are shown
let running = null, timer = 0, undo = null;

export async function start() {
  const catalog = await api.get("v1/list");
  undo = new Undo(form, $("#plan"), (state) => { restore(form, state); make(); });
  planform.build(form, "plan", catalog, [], [h("button", { class: "primary" }, "Plan"), undo.back, undo.forth, h("button", { type: "button", id: "share" }, "Copy link")]);
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(make, 350); });
  form.addEventListener("submit", (e) => { e.preventDefault(); clearTimeout(timer); make(); });
  $("#share").addEventListener("click", async (e) => {
    remember("plan", form);
    try { await navigator.clipboard.writeText(location.href); e.target.textContent = "Copied"; } catch { e.target.textContent = "It is in the address bar"; }
    setTimeout(() => { e.target.textContent = "Copy link"; }, 2000);
  });
}

/** Shows the view for the state that a URL has. */
export function show(query) {
  if (query) restore(form, query);
  make(query !== undefined);
}

const request = () => planform.request(form);

async function make(keep) {
  running?.abort();
  const mine = (running = new AbortController()), begun = performance.now();
  clear(form);
  box.hidden = true;
  if (keep !== true) remember("plan", form);
  undo.note();
  body.classList.add("busy");
  body.setAttribute("aria-busy", "true");
  const way = [];
  try {
    const made = await api.plan(request(), mine.signal, (summary, count) => {
      way.push({ at: performance.now() - begun, count, summary });
      if (running === mine && performance.now() - begun > patience) partly(way);
    });
    if (running === mine) await render(made, way, mine.signal);
  } catch (e) {
    if (e.name === "AbortError") return;
    if (!(e instanceof api.Problem)) throw e;
    blame(form, box, e);
    live.textContent = e.message;
  } finally {
    if (running === mine) { body.classList.remove("busy"); body.removeAttribute("aria-busy"); }
  }
}

/** The best plan so far, while others are still tried. */
function partly(way) {
  const { summary, count } = way.at(-1), width = room();
  body.classList.remove("busy");
  const first = hero(summary, {});
  first.prepend(h("p", { class: "sofar" }, h("span", { class: "spinner", "aria-hidden": "true" }), `The fastest of ${count} so far; others are still being tried, and it is not verified yet.`));
  body.replaceChildren(first, card("Over time", gantt(summary, width, () => {}).svg), card("Each step", bars(summary, width), legend()), found(way));
  live.textContent = `So far ${time(summary.cost_ns.total)}`;
}

/** How the plan got better. */
const found = (way) => card("How it was found", h("ol", { class: "way" }, way.map((w) => h("li", {}, h("b", {}, time(w.summary.cost_ns.total)), ` by ${w.summary.collective.algorithm}, planner ${w.summary.planner}, after ${time(w.at * 1e6)}`))));

const room = () => Math.max(280, $("#plan-result").clientWidth - 34);

function hero(summary, base) {
  const total = summary.cost_ns.total, facts = [];
  if (base.static) facts.push(fact(factor(base.static / total), "over the fastest static plan"));
  if (base["every-step"]) facts.push(fact(factor(base["every-step"] / total), "over the fastest that rewires every step"));
  facts.push(fact(String(summary.reconfigurations), summary.reconfigurations === 1 ? "reconfiguration" : "reconfigurations"));
  if (summary.operation_bound_ns) facts.push(fact(percent(total / summary.operation_bound_ns - 1), "above the bound for any algorithm"));
  return h("section", { class: "card hero", "aria-label": "Time" },
    h("p", {}, h("b", {}, subject(summary)), ` by ${summary.collective.algorithm}, planner ${summary.planner}`),
    h("div", { class: "time" }, time(total)), h("div", { class: "facts" }, facts),
    h("p", { class: "note" }, "Model time: start-up, hops, bytes on the busiest circuit, reconfigurations."), h("p", {}, shares(summary.cost_ns), legend()));
}

async function render({ id, summary }, way, signal) {
  const width = room();
  // Speed-ups are over plans of any algorithm; a plan that has no same_algorithm_ns names those of its own only.
  const known = Boolean(summary.same_algorithm_ns);
  const first = hero(summary, known ? summary.baselines_ns : {});
  const net = card("Circuits and chunks"), why = card("Why it rewires when it does", h("p", { class: "note" }, "…"));
  let moved = null;
  const chart = gantt(summary, width, (t) => moved?.seek(t));
  body.replaceChildren(first,
    card("Over time", chart.svg), net, card("Each step", bars(summary, width), legend()), why,
    card("Steps as a table", table(summary)), ...(way.length > 1 ? [found(way)] : []), downloads(id));
  live.textContent = `${subject(summary)}: ${time(summary.cost_ns.total)}`;
  const later = [
    api.post("v1/explain", { plan: { id } }, signal).then((e) => why.lastChild.replaceWith(words(e))),
    api.get(`v1/plans/${id}/switches`, signal).then(chart.darken),
  ];
  const show = async () => { moved = play(net, await api.get(`v1/plans/${id}`, signal), chart.move); };
  if (summary.fabric.nodes <= drawn) later.push(show());
  else net.append(h("button", { type: "button", onclick: (e) => { e.target.remove(); show(); } }, `Draw ${summary.fabric.nodes} GPUs`));
  if (!known && summary.fabric.nodes <= compared) later.push(baselines(first, summary, signal));
  for (const r of await Promise.allSettled(later)) {
    if (r.status === "rejected" && r.reason.name !== "AbortError") {
      box.hidden = false;
      box.textContent = r.reason.message;
    }
  }
}

/** Speed-ups of a plan that does not say what it competes with: against every other there is. */
async function baselines(first, summary, signal) {
  const { operations: [operation], fabric } = request();
  const { op, size } = operation;
  const all = await api.post("v1/compare", { operation: { op, size }, fabric }, signal), base = {};
  for (const row of all.rows) if (row.planner === "static" || row.planner === "every-step") base[row.planner] = Math.min(base[row.planner] ?? Infinity, row.total_ns);
  first.replaceWith(hero(summary, base));
}

function play(into, plan, moved) {
  const canvas = h("canvas", { class: "net", role: "img", "aria-label": `${plan.fabric.nodes} GPUs in a circle and the circuits between them; the scrubber chooses the moment` });
  const note = h("p", { class: "note" });
  const net = new Network(canvas, plan, (text) => { note.textContent = text; });
  const control = player({
    total: net.total, seconds: Math.min(14, 3 + net.scenes.length * 0.9), label: "Moment of the plan", alive: () => canvas.isConnected,
    draw: (t) => { moved(t); return net.draw(t); },
  });
  into.append(canvas, control.element, note,
    h("p", { class: "note" }, "Thick and strong: the busiest circuits of the step. Orange dots are reduced where they arrive, green ones copied. Dashed: circuits being set."));
  new ResizeObserver(() => net.draw()).observe(canvas);
  control.show(net.total * 0.02);
  return control;
}

function downloads(id) {
  const said = h("p", { class: "note", role: "status" });
  const button = (text, f) => h("button", { type: "button", onclick: async () => {
    said.textContent = "";
    try { await f(); } catch (e) { said.textContent = `${text}: ${e.message}`; }
  } }, text);
  const compiled = (to, name, more) => async () => {
    const made = await api.post("v1/compile", { plan: { id }, to, inline: true, ...more });
    const files = made.files.map((f) => ({ name: f.name || name, data: Uint8Array.from(atob(f.content ?? ""), (c) => c.charCodeAt(0)) }));
    if (files.length === 1) save(files[0].name.replaceAll("/", "-"), new Blob([files[0].data]));
    else save(`${to}.zip`, zip(files)); // a file for each stage, and what puts them together
    said.textContent = made.notes.join(" ");
  };
  return card("Downloads", h("div", { class: "downloads" },
    button("Plan", async () => save("plan.json", await api.blob(`v1/plans/${id}`))),
    button("Picture (SVG)", async () => save("plan.svg", await api.blob(`v1/plans/${id}/figure`))),
    button("MSCCL", compiled("msccl", "plan.xml")), button("RCCL", compiled("rccl", "plan.xml")), button("MSCCL++", compiled("mscclpp", "plan.json")),
    button("Switch timetable", compiled("timetable", "timetable.json")), button("Timetable (CSV)", compiled("timetable", "timetable.csv", { style: "csv" })),
    button("Graphviz", compiled("dot", "plan.dot")), button("Edge list", compiled("edges", "edges.csv"))), said);
}
