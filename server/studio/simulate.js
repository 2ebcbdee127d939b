// The view of a simulation: packets on the circuits over time, how busy circuits are and what
// waits for them, the slowest messages, and what is lost when a circuit fails.
import * as api from "./api.js";
import { $, bytes, card, fact, grid, h, percent, signed, time } from "./dom.js";
import { blame, clear, remember, restore, stale, strange, values } from "./fields.js";
import { carpet } from "./carpet.js";
import { Packets } from "./packets.js";
import * as planform from "./planform.js";
import { player } from "./player.js";
import { subject } from "./timeline.js";
import { Undo } from "./undo.js";

const form = $("#simulate-form"), body = $("#simulate-body"), box = $("#simulate-error"), live = $("#simulate-live");
const causes = {
  rounding: "bytes, packets and picoseconds are whole", serialisation: "packets are stored and forwarded, not whole messages", "theta cap": "the plan holds fast steps back",
  "hidden propagation": "packets cross circuits while others are still sent", queueing: "packets wait while circuits idle that they will need", "fair sharing": "flows get rates that differ from the plan's",
  "dark circuits": "steps wait for circuits longer or shorter than planned", jitter: "GPUs start late",
};
let running = null, timer = 0, undo = null;

export async function start() {
  const catalog = await api.get("v1/list");
  undo = new Undo(form, $("#simulate"), (state) => { restore(form, state); make(); });
  planform.build(form, "simulate", catalog, [{ name: "packet", label: "Packet", value: "4KiB", hint: "4KiB" }, { name: "fail", label: "What fails, and when", value: "", hint: "link:3-4@20us" }],
    [h("button", { class: "primary" }, "Simulate"), undo.back, undo.forth]);
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(make, 350); });
  form.addEventListener("submit", (e) => { e.preventDefault(); clearTimeout(timer); make(); });
}

export function show(query) {
  const unknown = query ? restore(form, query) : [];
  make(query !== undefined);
  strange(box, unknown);
}

async function make(keep) {
  running?.abort();
  const mine = (running = new AbortController()), { signal } = mine, v = values(form);
  const odd = clear(form);
  box.hidden = true;
  if (keep !== true) remember("simulate", form);
  undo.note();
  body.classList.add("busy");
  try {
    const { id, summary } = await api.plan(planform.request(form), signal);
    if (odd) { stale(body); return; }
    const ask = (fail) => api.post("v1/simulate", { plan: { id }, level: "packet", packet: v.packet, ...(fail && { fail: [fail] }) }, signal);
    // A simulation too large to be shown still has its figures.
    const watched = api.get(`v1/plans/${id}/film?packet=${encodeURIComponent(v.packet)}`, signal).catch((e) => { if (e.field === "plan") return { why: e.message }; throw e; });
    const [result, film] = await Promise.all([ask(v.fail), watched]);
    const plan = film.why ? null : await api.get(`v1/plans/${id}`, signal);
    if (running !== mine) return;
    body.classList.remove("stale");
    if (plan) render({ summary, result, film, plan, ask, signal });
    else body.replaceChildren(hero(summary, result, { slowest: [] }), card("Packets on the circuits", h("p", {}, `They are not drawn: ${film.why}.`)), card("Circuits", links(result)), steps(result));
    live.textContent = `${subject(summary)}, simulated: ${time(result.completion_ns)}`;
  } catch (e) {
    if (e.name === "AbortError") return;
    if (!(e instanceof api.Problem)) throw e;
    blame(form, box, e);
    stale(body);
    live.textContent = e.message;
  } finally {
    if (running === mine) body.classList.remove("busy");
  }
}

/** The time, which is that of a run without failures; a run with losses has no time, and this says so. */
function hero(summary, result, film, failure = result.failures?.[0]) {
  const broken = failure?.lost_transfers ? failure : null;
  const off = result.completion_ns / result.predicted_ns - 1, slow = film.slowest[0];
  return h("section", { class: "card hero", "aria-label": "Simulated time" },
    h("p", {}, h("b", {}, subject(summary)), ` by ${summary.collective.algorithm}, planner ${summary.planner}, packet by packet`),
    h("div", { class: "time" }, time(result.completion_ns), broken && h("small", {}, " if nothing fails")),
    broken && h("p", { class: "bad" }, `${broken.part} fails at ${time(broken.at_ns)}: step ${broken.steps[0].index} never ends, and ${bytes(broken.lost_bytes)} are lost.`),
    h("div", { class: "facts" }, fact(Math.abs(off) < 5e-5 ? "the same" : signed(off, percent), `${Math.abs(off) < 5e-5 ? "as" : "against"} the plan's ${time(result.predicted_ns)}` + (broken ? ", if nothing fails" : "")),
      fact(result.packets.toLocaleString("en"), "packets"), slow && fact(time(slow.completion_ns - slow.start_ns), "the slowest message takes")),
    h("p", { class: "note" }, "Times of a simulated fabric, not of a machine. ", result.explanation?.filter((c) => Math.abs(c.ns) > 0.5).map((c) => `${signed(c.ns, time)} ${c.cause}: ${causes[c.cause] ?? ""}. `)));
}

const difference = (ns) => (Math.abs(ns) < 5e-4 ? "none" : signed(ns, time));

function render({ summary, result, film, plan, ask, signal }) {
  const width = Math.max(280, $("#simulate-result").clientWidth - 34);
  const canvas = h("canvas", { class: "net pick", role: "img", "aria-label": `${plan.fabric.nodes} GPUs and the packets on the circuits between them; the scrubber chooses the moment, the form below lets a circuit fail` });
  const note = h("p", { class: "note", role: "status" }), over = h("p", { class: "note" }, "Point at a circuit; click it, and it fails at this moment.");
  const lost = h("div", { role: "status" });
  const net = new Packets(canvas, plan, film, (text) => { if (note.textContent !== text) note.textContent = text; });
  const rows = carpet(film, width);
  const control = player({ total: film.completion_ns, seconds: Math.min(24, 6 + 2 * film.steps.length), label: "Moment of the simulation", alive: () => canvas.isConnected, draw: (t) => { rows.move(t); return net.draw(t); } });

  let head = hero(summary, result, film);
  const failed = (answer) => {
    const f = answer.failures?.[0];
    if (!f) return;
    const [, from, to] = /^link:(\d+)-(?:>)?(\d+)@/.exec(f.failure) ?? [];
    const now = hero(summary, result, film, f);
    head.replaceWith(now);
    head = now;
    net.fail({ from: Number(from ?? -1), to: Number(to ?? -1), at: f.at_ns, step: f.steps[0]?.index });
    lost.replaceChildren(...losses(f, summary, signal));
    control.redraw();
  };
  const inject = async (u, v, at) => {
    const what = `link:${u}-${v}@${Math.floor(at)}ns`;
    form.elements.fail.value = what;
    remember("simulate", form);
    undo.note();
    lost.replaceChildren(h("p", { class: "note" }, `${u} – ${v} fails at ${time(at)}…`));
    try { failed(await ask(what)); } catch (e) { if (e.name !== "AbortError") lost.replaceChildren(h("p", { class: "why" }, e.message)); }
  };
  const spot = (e) => { const r = canvas.getBoundingClientRect(); return net.near(e.clientX - r.left, e.clientY - r.top); };
  canvas.addEventListener("pointermove", (e) => { over.textContent = spot(e)?.text ?? "Point at a circuit; click it, and it fails at this moment."; });
  canvas.addEventListener("click", (e) => { const link = spot(e); if (link) inject(link.from, link.to, control.now()); });

  const kinds = [["busy", "How busy"], ["queue", "What waits"]].map(([k, text], i) => h("button", { type: "button", "aria-pressed": String(i === 0), onclick: (e) => {
    for (const b of kinds) b.setAttribute("aria-pressed", String(b === e.target));
    rows.show(k);
  } }, text));
  rows.element.addEventListener("click", (e) => control.seek(rows.at(e.clientX - rows.element.getBoundingClientRect().left)));
  body.replaceChildren(head,
    card("Packets on the circuits", canvas, control.element, note, over,
      h("p", { class: "note" }, plan.fabric.nodes > 64 ? "A row is a GPU that sends, a column one that receives. Blue: circuits, the stronger the busier. Violet: work that waits for a circuit. Red: failed." : "Orange: packets. Blue: circuits, the stronger the busier. Violet: what waits for a circuit, at the GPU where it begins. Red: failed."),
      breaker(plan, control, inject), lost),
    card("Circuits over time", h("div", { class: "downloads" }, kinds), rows.element, h("p", { class: "note" }, "If nothing fails. Below: orange where all is dark."), rows.more && pages(rows, plan.fabric.nodes), links(result)),
    card("Slowest messages", grid("Slowest messages", ["Step", "<Message", "Bytes", "Starts", "Takes"], film.slowest.slice(0, 12).map((f) => [f.step, `${f.src} → ${f.dst}${f.alike > 1 ? `, and ${f.alike - 1} others` : ""}`, bytes(f.bytes), time(f.start_ns), time(f.completion_ns - f.start_ns)]))),
    steps(result));
  const sized = new ResizeObserver(() => net.draw());
  sized.observe(canvas);
  failed(result);
  const first = film.steps[0];
  control.show(first.traffic_ns + (first.end_ns - first.traffic_ns) * 0.3);
}

/** Pages through circuits that do not fit at once. */
function pages(rows, nodes) {
  const said = h("span", { class: "note", role: "status" }), gpu = h("input", { id: "carpet-gpu", inputmode: "numeric", size: 5, placeholder: "all" });
  const turn = (by) => {
    const of = gpu.value.trim(), wrong = of !== "" && !(/^\d+$/.test(of) && Number(of) < nodes);
    gpu.setAttribute("aria-invalid", String(wrong));
    if (wrong) { said.textContent = `GPUs are 0 to ${nodes - 1}.`; return; }
    rows.turn(by, of);
    const words = rows.said();
    said.textContent = `${words[0].toUpperCase()}${words.slice(1)}.`;
  };
  gpu.addEventListener("input", () => turn(0));
  turn(0);
  return h("div", { class: "downloads pages" }, h("button", { type: "button", "aria-label": "Busier circuits", onclick: () => turn(-1) }, "▲"), h("button", { type: "button", "aria-label": "Less busy circuits", onclick: () => turn(1) }, "▼"),
    h("label", { for: "carpet-gpu" }, "of GPU"), gpu, said);
}

const steps = (result) => card("Steps", grid("Steps", ["Step", "Starts", "Simulated", "Planned", "Difference", "<Because of"], result.steps.map((s) => [
  s.index, time(s.start_ns), time(s.total_ns), time(s.predicted_ns), difference(s.total_ns - s.predicted_ns), (s.explanation ?? []).filter((c) => Math.abs(c.ns) > 0.5).map((c) => c.cause).join(", ")])));

/** Lets a circuit fail without a mouse. */
function breaker(plan, control, inject) {
  const pairs = [...new Set(plan.stages.flatMap((s) => s.links.map(([u, v]) => `${Math.min(u, v)}-${Math.max(u, v)}`)))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const which = h("select", { "aria-label": "Circuit" }, pairs.slice(0, 2000).map((p) => h("option", { value: p }, p.replace("-", " – "))));
  return h("div", { class: "downloads" }, which, h("button", { type: "button", onclick: () => { const [u, v] = which.value.split("-").map(Number); inject(u, v, control.now()); } }, "Let it fail at this moment"));
}

/** What a failure loses, and the time of a plan that avoids it. */
function losses(f, summary, signal) {
  const what = f.part;
  if (!f.lost_transfers) return [h("p", { class: "good" }, `${what} at ${time(f.at_ns)}: nothing is lost; everything had gone over it, or nothing was to.`)];
  const first = f.steps[0], around = h("p", { class: "note" }, "A plan around it…");
  const { operations, fabric } = planform.request(form);
  const avoid = [fabric.avoid, what].filter(Boolean).join(",");
  api.plan({ operations: [{ ...operations[0], algorithm: undefined }], fabric: { ...fabric, avoid }, planner: "auto" }, signal).then(({ summary: other }) => {
    const state = new URLSearchParams({ ...values(form), avoid, algorithm: "auto", planner: "auto" });
    for (const k of ["packet", "fail"]) state.delete(k);
    around.replaceChildren(`The fastest plan around it takes ${time(other.cost_ns.total)}, ${percent(Math.abs(other.cost_ns.total / summary.cost_ns.total - 1))} ${other.cost_ns.total < summary.cost_ns.total ? "less" : "more"} than this one. `, h("a", { href: `#plan?${state}` }, "Open it"));
  }).catch((e) => { if (e.name !== "AbortError") around.textContent = `There is no plan around it: ${e.message}`; });
  return [h("p", { class: "problem" }, `${what} fails at ${time(f.at_ns)}: step ${first.index} never ends. ${f.lost_transfers} transfers of ${bytes(f.lost_bytes)} do not arrive whole, if all go on as if nothing had happened.`), around,
    grid("What is lost", ["Step", "First lost at", "<On", "Transfers", "Bytes"], f.steps.slice(0, 10).map((s) => [s.index, time(s.at_ns), `${s.from} → ${s.to}`, s.transfers.length, bytes(s.lost_bytes)]))];
}

/** The busiest circuits; one stands for all with the same load. */
function links(result) {
  const kinds = new Map();
  for (const l of [...result.links].sort((a, b) => b.utilization - a.utilization || b.queue_peak_ns - a.queue_peak_ns)) {
    const same = [l.circuits, l.bytes, l.packets, l.utilization.toPrecision(6), l.queue_peak_ns.toPrecision(6)].join();
    if (kinds.has(same)) kinds.get(same).alike++;
    else kinds.set(same, { ...l, alike: 1 });
  }
  return grid("Busiest circuits", ["<Circuits", "Bytes", "Packets", "Busy", "Longest queue"], [...kinds.values()].slice(0, 12).map((l) => [
    `${l.from} → ${l.to}${l.circuits > 1 ? `, ${l.circuits} of them` : ""}${l.alike > 1 ? `, and ${l.alike - 1} others` : ""}`, bytes(l.bytes), l.packets, percent(l.utilization), time(l.queue_peak_ns)]));
}
