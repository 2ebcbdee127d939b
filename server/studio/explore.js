// The view of many plans: a heat map over two parameters that fills while a sweep computes.
import * as api from "./api.js";
import { $, factor, h, percent, picture, save, stored, time } from "./dom.js";
import { blame, clear, fields, remember, restore, strange, values } from "./fields.js";
import { HeatMap } from "./heatmap.js";
import { Undo } from "./undo.js";

const form = $("#explore-form"), body = $("#explore-body"), box = $("#explore-error");
const axes = {
  size: { label: "Size", param: "size_bytes", range: "64KiB..1GiB" }, reconfig: { label: "Reconfiguration", param: "reconfig_ns", range: "100ns..10ms" },
  bandwidth: { label: "Bandwidth", param: "bandwidth_bps", range: "100Gbps..1600Gbps" }, alpha: { label: "Start-up", param: "alpha_ns", range: "100ns..10us" },
  delta: { label: "Propagation", param: "delta_ns", range: "10ns..1us" }, nodes: { label: "GPUs", param: "nodes", range: "8,16,32,64" }, ports: { label: "Ports", param: "ports", range: "1,2,4" },
};

/** The metrics of a cell. */
const metrics = {
  static: { label: "Speed-up over the fastest static plan", of: (c) => c.baselines_ns.static / c.total_ns, show: factor, middle: 1 },
  every: { label: "Speed-up over reconfiguring every step", of: (c) => c.baselines_ns["every-step"] / c.total_ns, show: factor, middle: 1 },
  winner: { label: "Winner", of: (c) => `${c.algorithm} / ${c.planner}`, words: true },
  changes: { label: "Reconfigurations", of: (c) => c.reconfigurations, show: String },
  gap: { label: "Gap to the bound for any algorithm", of: (c) => c.total_ns / c.operation_bound_ns - 1, show: percent },
  time: { label: "Time", of: (c) => c.total_ns, show: time, log: true },
};

/** The overlays of the map. */
const overlays = { even: "break-even: reconfiguring gains 5 %", borders: "borders between winners", numbers: "reconfigurations", gaps: "gap to the bound" };
const drawn = () => Object.fromEntries(Object.keys(overlays).map((k) => [k, form.elements[k].checked]));
const paint = () => map?.paint(metrics[form.elements.show.value], drawn());

let running = null, job = null, map = null, undo = null;

export async function start() {
  const catalog = await api.get("v1/list");
  undo = new Undo(form, $("#explore"), (state) => { restore(form, state); forgo(); run(); });
  const word = (f) => ({ form: "explore", ...f });
  const names = Object.entries(axes).map(([k, a]) => [k, a.label]);
  const auto = [["auto", "auto"]];
  form.append(...fields([
    word({ name: "x", label: "Across", value: "size", options: names }), word({ name: "xrange", label: "Range or list", value: axes.size.range }),
    word({ name: "y", label: "Upwards", value: "reconfig", options: names }), word({ name: "yrange", label: "Range or list", value: axes.reconfig.range }),
    word({ name: "show", label: "Show", wide: true, value: "static", options: Object.entries(metrics).map(([k, m]) => [k, m.label]) }),
    word({ name: "op", label: "Operation", wide: true, value: "alltoall", options: catalog.operations.map((o) => [o, o]) }),
    word({ name: "nodes", label: "GPUs", value: "16", number: true }), word({ name: "ports", label: "Ports each", value: "1", number: true }),
    word({ name: "size", label: "Size", value: "4MiB" }), word({ name: "reconfig", label: "Reconfiguration", value: "10us" }),
    word({ name: "algorithm", label: "Algorithm", wide: true, value: "auto", options: [...auto, ...catalog.algorithms.map((a) => [a.name, a.name])] }),
    word({ name: "planner", label: "Planner", wide: true, value: "auto", options: [...auto, ...catalog.planners.filter((p) => p.name !== "auto").map((p) => [p.name, p.name])] }),
  ]), h("fieldset", { class: "checks" }, h("legend", {}, "Draw over it"), Object.entries(overlays).map(([k, text]) => h("label", {}, h("input", { type: "checkbox", name: k, checked: k === "even" }), text))),
    h("input", { type: "hidden", name: "kept", value: "" }), h("div", { class: "actions" }, h("button", { class: "primary" }, "Explore"), h("button", { type: "button", id: "stop", disabled: true }, "Stop"), undo.back, undo.forth));
  for (const a of ["x", "y"]) form.elements[a].addEventListener("change", () => { form.elements[`${a}range`].value = axes[form.elements[a].value].range; forgo(); });
  forgo();
  for (const k of ["show", ...Object.keys(overlays)]) form.elements[k].addEventListener("change", () => { remember("explore", form); paint(); });
  form.addEventListener("submit", (e) => { e.preventDefault(); run(); });
  $("#stop").addEventListener("click", () => job && api.remove(`v1/jobs/${job}`).catch(() => {}));
}

/** Hides the fields of swept parameters, whose ranges are above. */
function forgo() {
  const swept = [form.elements.x.value, form.elements.y.value];
  for (const k of ["size", "reconfig", "nodes", "ports"]) form.elements[k].disabled = swept.includes(k);
}

export async function show(query) {
  if (!query) {
    if (!body.childElementCount) await opening();
    return;
  }
  for (const e of form.elements) e.disabled &&= e.id === "stop";
  const unknown = restore(form, query);
  forgo();
  run();
  strange(box, unknown);
}

const help = () => h("details", { class: "help" }, h("summary", {}, "How to read and use the map"), h("p", {}, "Choose two parameters and a range of each, such as 1MiB..1GiB or 1,2,4. Every cell is a separate plan: the fastest of all algorithms and planners, unless you name one. The break-even line separates where reconfiguring gains at least 5 % from where it does not. Hover, tap, or use the arrow keys to read a cell; click or press Enter to open its plan; press P, or click with Shift, to keep one for comparison."));

/** The stored map of the initial form. */
async function opening() {
  const known = await stored("explore.json").catch(() => null);
  if (!known || running) return;
  const { said, bar } = lay(values(form), (name) => known[name]);
  bar.remove();
  map.add(known.cells);
  paint();
  said.textContent = `All ${map.count()} cells are planned.`;
}

/** Lays out an empty map of the values of the axes. */
function lay(v, ticks) {
  const bar = h("progress", { max: 1, value: 0, "aria-label": "Cells that are planned" }), said = h("p", { class: "note", role: "status" });
  const read = h("div", { role: "status" }, h("p", { class: "note" }, "Point at a cell."));
  map = new HeatMap({ x: { ...axes[v.x], values: ticks(v.x) }, y: { ...axes[v.y], values: ticks(v.y) } }, {
    told: (kept) => { form.elements.kept.value = kept; remember("explore", form); },
    width: Math.max(280, $("#explore-result").clientWidth - 34), read: (cell, kept) => read.replaceChildren(...describe(cell, kept)), open: (x, y) => open(v, x, y),
  });
  paint();
  body.replaceChildren(h("section", { class: "card" }, map.element, bar, said, read, help()));
  return { bar, said };
}

function request(v) {
  const list = [{ name: "op", values: [v.op] }, { name: v.x, values: [v.xrange] }, { name: v.y, values: [v.yrange] }];
  for (const k of ["size", "reconfig", "nodes", "ports", "algorithm", "planner"]) if (k !== v.x && k !== v.y) list.push({ name: k, values: [v[k]] });
  return { axes: list };
}

async function run() {
  running?.abort();
  const mine = (running = new AbortController()), v = values(form);
  const odd = clear(form);
  box.hidden = true;
  if (odd) return;
  if (v.x === v.y) {
    blame(form, box, new api.Problem(0, "y", "it is across already; choose another parameter"));
    return;
  }
  remember("explore", form);
  undo.note();
  $("#stop").disabled = false;
  try {
    const made = await api.post("v1/sweep", request(v), mine.signal);
    job = made.id;
    const ticks = (name) => made.request.axes.find((a) => a.name === name).values;
    const { bar, said } = lay(v, ticks);
    let state = "";
    await api.follow(made.id, (kind, value) => {
      if (kind === "cells") { map.add(value); paint(); }
      if (kind !== "job") return;
      state = value.state;
      bar.value = value.total ? value.done / value.total : state === "done" ? 1 : 0;
      if (state !== "done") said.textContent = value.error?.problem ?? `${state}: ${value.done} of ${value.total || "?"} cells`;
    }, mine.signal);
    // A job that was over before it was followed sends no cells; they are in its answer.
    if (map.count() === 0 || (state === "done" && !map.full())) { map.add((await api.get(`v1/jobs/${made.id}/answer`, mine.signal)).cells); paint(); }
    said.textContent = `${map.full() ? "All " : ""}${map.count()} cells are planned.`;
    if (map.full()) bar.remove();
    if (v.kept) map.keepNamed(v.kept);
  } catch (e) {
    if (e.name === "AbortError") return;
    if (!(e instanceof api.Problem)) throw e;
    blame(form, box, e, (field) => (field === v.x ? "xrange" : field === v.y ? "yrange" : field));
  } finally {
    if (running === mine) $("#stop").disabled = true;
  }
}

function describe(cell, kept) {
  if (!cell) return [h("p", { class: "note" }, "Not planned yet.")];
  if (!cell.total_ns) return [h("p", {}, `There is no plan: ${cell.reason}`)];
  const row = (name, c) => h("tr", {}, h("td", {}, name), h("td", {}, time(c.total_ns)), h("td", { class: "l" }, `${c.algorithm} / ${c.planner}`), h("td", {}, c.reconfigurations),
    h("td", {}, c.baselines_ns.static ? factor(c.baselines_ns.static / c.total_ns) : "–"), h("td", {}, c.operation_bound_ns ? percent(c.total_ns / c.operation_bound_ns - 1) : "–"));
  return [h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "The cell" }, h("table", {},
    h("thead", {}, h("tr", {}, ["Cell", "Time", "Winner", "Reconfigurations", "Over static", "Above bound"].map((t) => h("th", { scope: "col", class: t === "Winner" ? "l" : undefined }, t)))),
    h("tbody", {}, row(cell.name, cell), kept && kept !== cell && row(`${kept.name} (kept)`, kept)))),
    h("div", { class: "downloads" }, h("button", { type: "button", onclick: () => map.enter() }, "Open this plan"), h("button", { type: "button", onclick: () => save("map.svg", picture(map.svg, map.key.querySelector("svg"))) }, "Picture (SVG)"), h("button", { type: "button", onclick: () => map.keep() }, kept === cell ? "Kept" : "Keep it to compare with")),
    kept && kept !== cell && h("p", { class: "note" }, `The kept cell takes ${factor(kept.total_ns / cell.total_ns)} as long.`)].filter(Boolean);
}

function open(v, x, y) {
  const state = { op: v.op, nodes: v.nodes, ports: v.ports, size: v.size, reconfig: v.reconfig, algorithm: v.algorithm, planner: v.planner, [v.x]: x, [v.y]: y };
  location.hash = `#plan?${new URLSearchParams(state)}`;
}
