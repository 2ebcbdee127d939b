// The view of one plan.
import { write } from "./address.js";
import * as api from "./api.js";
import { $, card, fact, factor, h, number, percent, picture, save, time } from "./dom.js";
import { blame, clear, remember, restore, stale, strange } from "./fields.js";
import { inLabels } from "./labels.js";
import { Network } from "./network.js";
import * as planform from "./planform.js";
import { player } from "./player.js";
import { bars, gantt, legend, shares, subject, table, timeline } from "./timeline.js";
import { trace } from "./trace.js";
import { Undo } from "./undo.js";
import { words } from "./words.js";
import { zip } from "./zip.js";

const form = $("#plan-form"), body = $("#plan-body"), box = $("#plan-error"), live = $("#plan-live");
const drawn = 512; // GPUs up to which every transfer is fetched and drawn unasked
const compared = 128; // GPUs up to which all other plans are made for comparison unasked
const patience = 300; // ms after which plans on the way are shown
let running = null, timer = 0, undo = null;
let moment = 0, written = 0; // moment of a link; when one was put into the address

/** Puts the moment into the address, once it rests. */
function note(t) {
  clearTimeout(written);
  written = setTimeout(() => {
    if ($("#plan").hidden || !location.hash.startsWith("#plan?")) return;
    const state = new URLSearchParams(location.hash.slice("#plan?".length));
    state.set("at", time(t).replace(" ", ""));
    write(`#plan?${state}`);
  }, 300);
}

export async function start() {
  const catalog = await api.get("v1/list");
  undo = new Undo(form, $("#plan"), (state) => { restore(form, state); make(); });
  planform.build(form, "plan", catalog, [], [h("button", { class: "primary" }, "Plan"), undo.back, undo.forth, h("button", { type: "button", id: "share" }, "Copy link")]);
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(make, 350); });
  form.addEventListener("submit", (e) => { e.preventDefault(); clearTimeout(timer); make(); });
  $("#share").addEventListener("click", async (e) => {
    if (!location.hash.includes("?")) remember("plan", form);
    try { await navigator.clipboard.writeText(location.href); e.target.textContent = "Copied"; } catch { e.target.textContent = "It is in the address bar"; }
    setTimeout(() => { e.target.textContent = "Copy link"; }, 2000);
  });
}

/** Shows the view for the state that a URL has. */
export function show(query) {
  const state = new URLSearchParams(query);
  moment = number(state.get("at") ?? "0") || 0;
  state.delete("at"); // not a field
  const unknown = query ? restore(form, state) : [];
  make(query !== undefined);
  strange(box, unknown);
}

const request = () => planform.request(form);

async function make(keep) {
  running?.abort();
  const mine = (running = new AbortController()), begun = performance.now();
  const odd = clear(form);
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
    if (running === mine && odd) stale(body);
    else if (running === mine) await render(made, way, mine.signal);
  } catch (e) {
    if (e.name === "AbortError") return;
    if (!(e instanceof api.Problem)) throw e;
    blame(form, box, e);
    stale(body);
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
  body.replaceChildren(first, card("Over time", gantt(summary, width).svg), card("Each step", bars(summary, width), legend()), found(way));
  live.textContent = `So far ${time(summary.cost_ns.total)}`;
}

/** How the plan got better. */
const found = (way) => card("How it was found", h("ol", { class: "way" }, way.map((w) => h("li", {}, h("b", {}, time(w.summary.cost_ns.total)), ` by ${w.summary.collective.algorithm}, planner ${w.summary.planner}, after ${time(w.at * 1e6)}`))));

const room = () => Math.max(280, $("#plan-result").clientWidth - 34);

const rivals = { static: "over the fastest static plan", "every-step": "over reconfiguring every step" };

/** The time in the model and in packets, and the speed-up over other plans in either. */
function hero(summary, faster, packets = {}) {
  const total = summary.cost_ns.total, simulated = summary.simulated_ns, facts = [];
  for (const [k, text] of Object.entries(rivals)) {
    if (faster[k]) facts.push(fact([factor(faster[k]), packets[k] && h("small", {}, `${factor(packets[k])} by packets`)], text));
  }
  facts.push(fact(String(summary.reconfigurations), summary.reconfigurations === 1 ? "reconfiguration" : "reconfigurations"));
  if (summary.operation_bound_ns) facts.push(fact(percent(total / summary.operation_bound_ns - 1), "above the bound for any algorithm"));
  return h("section", { class: "card hero", "aria-label": "Time" },
    h("p", {}, h("b", {}, subject(summary)), ` by ${summary.collective.algorithm}, planner ${summary.planner}`),
    h("div", { class: "times" }, h("div", { class: "time" }, time(total), h("small", {}, "model")), simulated > 0 && h("div", { class: "time second" }, time(simulated), h("small", {}, "packets"))),
    h("div", { class: "facts" }, facts),
    h("p", { class: "note" }, "Model: start-up, hops, bytes on the busiest circuit, reconfigurations. ",
      simulated > 0 ? `Packets: the plan simulated packet by packet, ${Math.abs(simulated / total - 1) < 5e-4 ? "which takes as long" : `${percent(Math.abs(simulated / total - 1))} ${simulated > total ? "more" : "less"}`}.` : summary.unsimulated ? `Packets are not simulated: ${inLabels(summary.unsimulated)}.` : ""),
    h("p", {}, shares(summary.cost_ns), legend()));
}

async function render({ id, summary }, way, signal) {
  const width = room();
  body.classList.remove("stale");
  // Speed-ups are over plans of any algorithm; a plan without any is compared with others below.
  const known = Boolean(summary.speedups);
  const first = hero(summary, summary.speedups ?? {}, summary.simulated_speedups);
  const net = card("Circuits and chunks", h("div", { class: "room" })), why = card("Why it reconfigures when it does", h("p", { class: "note", role: "status" }, "Planning without each reconfiguration, to see what it saves…"));
  let moved = null;
  let dark = [];
  const seek = (t) => moved?.seek(t), chart = timeline(summary, width, seek);
  const move = (t) => { chart.move(t); if (moved) note(t); };
  const darken = ({ switches }) => { dark = switches; chart.darken(switches); };
  body.replaceChildren(first,
    card("Over time", chart.element), net, card("Each step", bars(summary, width), legend()), why,
    card("Steps as a table", table(summary)), ...(way.length > 1 ? [found(way)] : []), downloads(id, () => trace(summary, dark)));
  live.textContent = `${subject(summary)}: ${time(summary.cost_ns.total)} by the model${summary.simulated_ns > 0 ? `, ${time(summary.simulated_ns)} by packets` : ""}`;
  const later = [
    api.post("v1/explain", { plan: { id } }, signal).then((e) => why.lastChild.replaceWith(words(e)), (e) => { why.lastChild.textContent = "This could not be found out."; throw e; }),
    api.get(`v1/plans/${id}/switches`, signal).then(darken),
  ];
  const show = async () => { moved = play(net, await api.get(`v1/plans/${id}`, signal), move, moment); moment = 0; };
  if (summary.fabric.nodes <= drawn) later.push(show());
  else net.lastChild.replaceWith(h("button", { type: "button", onclick: (e) => { e.target.remove(); show(); } }, `Draw ${summary.fabric.nodes} GPUs`));
  if (!known && summary.fabric.nodes <= compared) later.push(baselines(first, summary, signal));
  for (const r of await Promise.allSettled(later)) {
    if (r.status === "rejected" && r.reason.name !== "AbortError") {
      box.hidden = false;
      box.textContent = r.reason.message;
    }
  }
}

/** Speed-ups of a plan without baselines: over every other plan. */
async function baselines(first, summary, signal) {
  const { operations: [operation], fabric } = request();
  const { op, size } = operation;
  const all = await api.post("v1/compare", { operation: { op, size }, fabric }, signal), faster = {};
  for (const row of all.rows) if (rivals[row.planner]) faster[row.planner] = Math.min(faster[row.planner] ?? Infinity, row.total_ns / summary.cost_ns.total);
  first.replaceWith(hero(summary, faster));
}

function play(into, plan, moved, at) {
  const { nodes } = plan.fabric;
  const canvas = h("canvas", { class: "net", role: "img", "aria-label": `${nodes} GPUs and the circuits between them; the scrubber chooses the moment` });
  const note = h("p", { class: "note" }), over = h("p", { class: "note over" }, hint);
  const net = new Network(canvas, plan, (text) => { if (note.textContent !== text) note.textContent = text; });
  const control = player({
    total: net.total, seconds: Math.min(14, 3 + net.scenes.length * 0.9), label: "Moment of the plan", alive: () => canvas.isConnected,
    draw: (t) => { moved(t); return net.draw(t); },
  });
  const press = (text, label, f) => h("button", { type: "button", "aria-label": label, title: label, onclick: () => { f(); net.draw(); } }, text);
  const layout = h("select", { "aria-label": "Layout", onchange: (e) => { net.way = e.target.value; net.zoom = { k: 1, x: 0, y: 0 }; legendOf(); net.draw(); } }, net.ways.map(([k, text]) => h("option", { value: k }, text)));
  const idle = h("label", {}, h("input", { type: "checkbox", checked: net.idle, onchange: (e) => { net.idle = e.target.checked; net.draw(); } }), "idle circuits");
  const words = h("p", { class: "note" }), legendOf = () => { words.textContent = net.way === "matrix" ? "A row is a GPU that sends, a column one that receives. Stronger: closer to the busiest circuit of the step; a cell fills as the step goes on. Orange: circuits being set." : "Arrows point the way that data goes. Thick and strong: the busiest circuits of the step. Orange dots are reduced where they arrive, green ones copied. Dashed: circuits being set."; };
  legendOf();
  const spot = (e) => { const r = canvas.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
  let held = null;
  canvas.addEventListener("pointerdown", (e) => { if (net.zoom.k > 1) { held = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); } });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("pointermove", (e) => {
    if (held) { net.shift(e.clientX - held[0], e.clientY - held[1]); held = [e.clientX, e.clientY]; } else over.textContent = net.near(...spot(e)) || hint;
  });
  canvas.addEventListener("wheel", (e) => { // a pinch, or the wheel with Ctrl; otherwise the page scrolls
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    net.scale(Math.exp(-e.deltaY / 200), ...spot(e));
  }, { passive: false });
  $(".room", into)?.remove();
  into.append(h("div", { class: "downloads tools" }, layout, idle, press("+", "Zoom in", () => net.scale(2)), press("−", "Zoom out", () => net.scale(0.5)), press("⤢", "Show all", () => { net.zoom = { k: 1, x: 0, y: 0 }; })),
    canvas, control.element, note, over, words);
  new ResizeObserver(() => net.draw()).observe(canvas);
  control.show(at > 0 ? Math.min(at, net.total) : net.total * 0.02);
  return control;
}

const hint = "Point at a circuit to read what it carries. Ctrl and the wheel zoom; drag to move.";

function downloads(id, traced) {
  const said = h("p", { class: "note", role: "status" });
  const button = (text, f) => h("button", { type: "button", onclick: async () => {
    said.textContent = "";
    try { await f(); } catch (e) { said.textContent = `${text}: ${e.message}`; }
  } }, text);
  const compiled = (to, name, more) => async () => {
    const made = await api.post("v1/compile", { plan: { id }, to, inline: true, ...more });
    const files = made.files.map((f) => ({ name: f.name || name, data: Uint8Array.from(atob(f.content ?? ""), (c) => c.charCodeAt(0)) }));
    if (files.length === 1) save(files[0].name.replaceAll("/", "-"), new Blob([files[0].data]));
    else save(`${to}.zip`, zip(files)); // a file for each stage, and the manifest
    said.textContent = made.notes.join(" ");
  };
  return card("Downloads", h("div", { class: "downloads" },
    button("Plan", async () => save("plan.json", await api.blob(`v1/plans/${id}`))),
    button("Picture (SVG)", async () => save("plan.svg", picture($("section[aria-label='Over time'] svg", body), $("section[aria-label='Each step'] svg", body)))),
    button("Figure for print (SVG)", async () => save("figure.svg", await api.blob(`v1/plans/${id}/figure`))),
    button("Trace (Perfetto)", async () => save("plan-trace.json", new Blob([JSON.stringify(traced())], { type: "application/json" }))),
    button("MSCCL", compiled("msccl", "plan.xml")), button("RCCL", compiled("rccl", "plan.xml")), button("MSCCL++", compiled("mscclpp", "plan.json")),
    button("Switch timetable", compiled("timetable", "timetable.json")), button("Timetable (CSV)", compiled("timetable", "timetable.csv", { style: "csv" })),
    button("Graphviz", compiled("dot", "plan.dot")), button("Edge list", compiled("edges", "edges.csv"))), said);
}
