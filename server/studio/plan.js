// The view of one plan.
import * as api from "./api.js";
import { $, h, time, percent, factor, save } from "./dom.js";
import { blame, clear, fields, remember, restore, values } from "./fields.js";
import { Network } from "./network.js";
import { bars, gantt, legend, shares, subject, table } from "./timeline.js";
import { words } from "./words.js";

const form = $("#plan-form"), body = $("#plan-body"), box = $("#plan-error"), live = $("#plan-live");
const settings = ["bandwidth", "alpha", "delta", "reconfig", "initial", "base", "forwarding", "routing"];
const drawn = 512; // GPUs up to which every transfer is fetched to be drawn unasked
const compared = 128; // GPUs up to which all other plans are made unasked, to compare with
let running = null, timer = 0, animation = 0;

export async function start() {
  const catalog = await api.get("v1/list");
  const word = (f) => ({ form: "plan", ...f });
  const auto = [["auto", "auto: the fastest"]];
  form.append(
    ...fields([
      word({ name: "preset", label: "Machine", wide: true, value: "", options: [["", "my own numbers"], ...catalog.presets.map((p) => [p.name, p.name])] }),
      word({ name: "op", label: "Operation", wide: true, value: "allreduce", options: catalog.operations.map((o) => [o, o]) }),
      word({ name: "size", label: "Size", value: "4MiB", hint: "4MiB" }),
      word({ name: "nodes", label: "GPUs", value: "16", number: true }),
      word({ name: "ports", label: "Ports each", value: "1", number: true }),
      word({ name: "reconfig", label: "Reconfiguration", value: "10us", hint: "10us" }),
      word({ name: "algorithm", label: "Algorithm", value: "auto", options: [...auto, ...catalog.algorithms.map((a) => [a.name, a.name])] }),
      word({ name: "planner", label: "Planner", value: "auto", options: [...auto, ...catalog.planners.filter((p) => p.name !== "auto").map((p) => [p.name, p.name])] }),
    ]),
    h("details", { class: "more" }, h("summary", {}, "More of the machine"), h("div", {}, fields([
      word({ name: "bandwidth", label: "Bandwidth of a port", value: "800Gbps", hint: "800Gbps" }),
      word({ name: "alpha", label: "Start-up of a step", value: "500ns", hint: "500ns" }),
      word({ name: "delta", label: "Propagation of a hop", value: "500ns", hint: "500ns" }),
      word({ name: "initial", label: "At the start", value: "free", hint: "free, dark or a topology" }),
      word({ name: "base", label: "Base topology", value: "", hint: "the default" }),
      word({ name: "forwarding", label: "Forwarding", value: "cut-through", options: [["cut-through", "cut-through"], ["store-and-forward", "store-and-forward"]] }),
      word({ name: "routing", label: "Routing", value: "optimal", options: ["optimal", "shortest", "shortest-split"].map((r) => [r, r]) }),
      word({ name: "duplex", label: "Circuits", value: "", options: [["", "one-way"], ["true", "two-way"]] }),
    ]))),
    h("div", { class: "actions" }, h("button", { class: "primary" }, "Plan"), h("button", { type: "button", id: "share" }, "Copy link")),
  );
  form.elements.preset.addEventListener("change", () => {
    const p = catalog.presets.find((x) => x.name === form.elements.preset.value);
    for (const [k, v] of Object.entries(p?.settings ?? {})) {
      const e = form.elements[k];
      if (e) e.value = k === "duplex" && v === "false" ? "" : v;
    }
  });
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

function request() {
  const v = values(form), fabric = {};
  if (v.preset) fabric.preset = v.preset;
  for (const k of ["nodes", "ports"]) fabric[k] = /^\d+$/.test(v[k]) ? Number(v[k]) : v[k];
  for (const k of settings) if (v[k]) fabric[k] = v[k];
  if (v.duplex) fabric.duplex = true;
  const operation = { op: v.op, size: v.size };
  if (v.algorithm !== "auto") operation.algorithm = v.algorithm;
  return { operations: [operation], fabric, planner: v.planner };
}

async function make(keep) {
  running?.abort();
  const mine = (running = new AbortController());
  clear(form);
  box.hidden = true;
  if (keep !== true) remember("plan", form);
  body.classList.add("busy");
  body.setAttribute("aria-busy", "true");
  try {
    const made = await api.plan(request(), mine.signal);
    if (running === mine) await render(made, mine.signal);
  } catch (e) {
    if (e.name === "AbortError") return;
    if (!(e instanceof api.Problem)) throw e;
    blame(form, box, e);
    live.textContent = e.message;
  } finally {
    if (running === mine) { body.classList.remove("busy"); body.removeAttribute("aria-busy"); }
  }
}

const card = (title, ...content) => h("section", { class: "card", "aria-label": title }, h("h3", {}, title), content);
const fact = (value, text) => h("div", { class: "fact" }, h("b", {}, value), h("span", {}, text));

function hero(summary, base) {
  const total = summary.cost_ns.total, facts = [];
  if (base.static) facts.push(fact(factor(base.static / total), "over the fastest static plan"));
  if (base["every-step"]) facts.push(fact(factor(base["every-step"] / total), "over the fastest that rewires every step"));
  facts.push(fact(String(summary.reconfigurations), summary.reconfigurations === 1 ? "reconfiguration" : "reconfigurations"));
  if (summary.operation_bound_ns) facts.push(fact(percent(total / summary.operation_bound_ns - 1), "above the bound for any algorithm"));
  return h("section", { class: "card hero", "aria-label": "Time" },
    h("p", {}, h("b", {}, subject(summary)), ` by ${summary.collective.algorithm}, planner ${summary.planner}`),
    h("div", { class: "time" }, time(total)), facts,
    h("p", { class: "note" }, "Model time: start-up, hops, bytes on the busiest circuit, reconfigurations."), h("p", {}, shares(summary.cost_ns), legend()));
}

async function render({ id, summary }, signal) {
  cancelAnimationFrame(animation);
  const width = Math.max(280, $("#plan-result").clientWidth - 34);
  // Speed-ups are over plans of any algorithm; a plan that has no same_algorithm_ns names those of its own only.
  const known = Boolean(summary.same_algorithm_ns);
  const first = hero(summary, known ? summary.baselines_ns : {});
  const net = card("Circuits and chunks"), why = card("Why it rewires when it does", h("p", { class: "note" }, "…"));
  let player = null;
  const chart = gantt(summary, width, (t) => player?.seek(t));
  body.replaceChildren(first,
    card("Over time", chart.svg), net, card("Each step", bars(summary, width), legend()), why,
    card("Steps as a table", table(summary)), downloads(id));
  live.textContent = `${subject(summary)}: ${time(summary.cost_ns.total)}`;
  const later = [api.post("v1/explain", { plan: { id } }, signal).then((e) => why.lastChild.replaceWith(words(e)))];
  const show = async () => { player = play(net, await api.get(`v1/plans/${id}`, signal), chart.move); };
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
  const note = h("p", { class: "note" }), clock = h("output", {});
  const slider = h("input", { type: "range", min: 0, max: 1000, value: 0, step: "any", "aria-label": "Moment of the plan" });
  const button = h("button", { type: "button", "aria-pressed": "false" }, "▶ Play");
  into.append(canvas, h("div", { class: "player" }, button, slider, clock), note,
    h("p", { class: "note" }, "Thick and strong: the busiest circuits of the step. Orange dots are reduced where they arrive, green ones copied. Dashed: circuits being set."));
  const net = new Network(canvas, plan, (text, when) => { note.textContent = text; clock.textContent = when; });
  const seconds = Math.min(14, 3 + net.scenes.length * 0.9);
  let on = false, last = 0;
  const draw = (t) => { net.draw(t); slider.value = (1000 * t) / net.total; moved(t); };
  const tick = (now) => {
    if (!on || !canvas.isConnected) return;
    const t = net.t + (net.total * Math.min(100, now - last)) / 1000 / seconds;
    last = now;
    draw(t >= net.total ? 0 : t);
    animation = requestAnimationFrame(tick);
  };
  const toggle = (to) => {
    on = to;
    button.textContent = on ? "⏸ Pause" : "▶ Play";
    button.setAttribute("aria-pressed", String(on));
    last = performance.now();
    if (on) animation = requestAnimationFrame(tick);
  };
  button.addEventListener("click", () => toggle(!on));
  slider.addEventListener("input", () => { toggle(false); draw((slider.valueAsNumber / 1000) * net.total); });
  new ResizeObserver(() => net.draw()).observe(canvas);
  draw(net.total * 0.02);
  return { seek: (t) => { toggle(false); draw(t); } };
}

function downloads(id) {
  const said = h("p", { class: "note", role: "status" });
  const button = (text, f) => h("button", { type: "button", onclick: async () => {
    said.textContent = "";
    try { await f(); } catch (e) { said.textContent = `${text}: ${e.message}`; }
  } }, text);
  const compiled = (to, name, more) => async () => {
    const made = await api.post("v1/compile", { plan: { id }, to, inline: true, ...more });
    for (const f of made.files) save(f.name ? f.name.replaceAll("/", "-") : name, new Blob([Uint8Array.from(atob(f.content ?? ""), (c) => c.charCodeAt(0))]));
    said.textContent = made.notes.join(" ");
  };
  return card("Downloads", h("div", { class: "downloads" },
    button("Plan", async () => save("plan.json", await api.blob(`v1/plans/${id}`))),
    button("Picture (SVG)", async () => save("plan.svg", await api.blob(`v1/plans/${id}/figure`))),
    button("MSCCL", compiled("msccl", "plan.xml")), button("RCCL", compiled("rccl", "plan.xml")), button("MSCCL++", compiled("mscclpp", "plan.json")),
    button("Switch timetable", compiled("timetable", "timetable.json")), button("Timetable (CSV)", compiled("timetable", "timetable.csv", { style: "csv" })),
    button("Graphviz", compiled("dot", "plan.dot")), button("Edge list", compiled("edges", "edges.csv"))), said);
}
