// The view of a fabric: islands, ports, switches and their cost; a click lets a part fail.
import * as api from "./api.js";
import { job, money, open, power, refuse, Wait, whole } from "./asking.js";
import { $, card, fact, grid, h, percent, signed, spaced, time } from "./dom.js";
import { FabricPicture } from "./fabricpicture.js";
import { clear, fields, remember, restore, values } from "./fields.js";
import { Undo } from "./undo.js";

const form = $("#fabric-form"), body = $("#fabric-body"), box = $("#fabric-error"), live = $("#fabric-live");
let stored = null, running = null, timer = 0, undo = null, wait = null;
const known = new Map(); // answers of this visit, by request

export async function start() {
  stored = await import("./stored-fabric.js");
  known.set(JSON.stringify(stored.request), stored.wire);
  known.set(plugged(stored.plugging.layout, 32, 2), stored.plugging);
  known.set(JSON.stringify(stored.planned), stored.plan);
  const f = (name, label, value, more) => ({ form: "fabric", name, label, value, ...more });
  undo = new Undo(form, $("#fabric"), (state) => { restore(form, state); make(); });
  form.append(
    ...fields([
      f("nodes", "GPUs", "32", { number: true }), f("ports", "Ports each", "2", { number: true }),
      f("island", "GPUs in an island", "8", { hint: "none" }), f("island_bandwidth", "Bandwidth inside", "7200Gbps", { hint: "none" }),
      f("radix", "Ports of a switch", "8", { number: true }), f("technology", "Switches", "", { options: [["", "the cheapest"], ...stored.technologies.map((t) => [t, t])] }),
      f("op", "Operation", "allreduce", { options: ["allreduce", "allgather", "reducescatter", "alltoall", "broadcast", "reduce"].map((o) => [o, o]) }), f("size", "Size", "16MiB", { hint: "16MiB" }),
      f("reconfig", "Reconfiguration", "10us", { hint: "10us" }), f("bandwidth", "Bandwidth of a port", "800Gbps", { hint: "800Gbps" }),
      f("layout", "Layout", "", { hint: "the best one" }), f("avoid", "What has failed", "", { hint: "nothing" }),
    ]),
    h("div", { class: "actions" }, h("button", { class: "primary" }, "Wire and plan"), undo.back, undo.forth, h("button", { type: "button", id: "fabric-mend", onclick: () => fail("") }, "Mend all")),
    h("p", { class: "note wide" }, "Click a GPU, port, switch, island or circuit in the picture and it fails; click it again and it is mended."),
  );
  wait = new Wait(body, "Comparing layouts", "Wire and plan", stop);
  api.whenLeft("fabric", stop);
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(make, 600); wait.begin(); });
  form.addEventListener("submit", (e) => { e.preventDefault(); clearTimeout(timer); make(); });
}

function stop() {
  clearTimeout(timer);
  wait.cancel();
  running?.abort();
}

export const show = (query) => open(form, box, query, make);

function fail(list) {
  form.elements.avoid.value = list;
  clearTimeout(timer);
  make();
}

/** A part fails or is repaired. */
function toggle(part) {
  const list = values(form).avoid.split(",").map((x) => x.trim()).filter(Boolean);
  fail((list.includes(part) ? list.filter((x) => x !== part) : [...list, part]).join(","));
}

function machine(v) {
  const fabric = { nodes: whole(v.nodes), ports: whole(v.ports), reconfig: v.reconfig, bandwidth: v.bandwidth };
  for (const k of ["island", "island_bandwidth"]) if (v[k]) fabric[k] = v[k];
  return fabric;
}

const plugged = (layout, nodes, ports) => `v1/plugging?${new URLSearchParams({ nodes, ports, switches: layout })}`;

async function remembered(key, f) {
  if (!known.has(key)) known.set(key, await f());
  return known.get(key);
}

/** The plan for a request, with the circuits of its stages. */
const planned = (request, signal) => remembered(JSON.stringify(request), async () => {
  const { id, summary } = await api.plan(request, signal), whole = await api.get(`v1/plans/${id}`, signal);
  return { id, summary, stages: whole.stages.map(({ topology, links, circuits }) => ({ topology, links, circuits })) };
});

async function make(keep) {
  running?.abort();
  const mine = (running = new AbortController()), signal = mine.signal, odd = clear(form);
  box.hidden = true;
  if (keep !== true) remember("fabric", form);
  undo.note();
  const v = values(form), fabric = machine(v), operation = { op: v.op, size: v.size };
  const asked = { radix: whole(v.radix), for: [operation], ...(v.technology && { technology: v.technology }), fabric };
  wait.doing = "Comparing layouts";
  wait.begin();
  try {
    const wire = await remembered(JSON.stringify(asked), async () => (await job("wire", asked, { signal, said: (t) => wait.said(t) })).answer);
    if (running === mine) { wait.doing = "Planning"; wait.said(""); }
    const layout = v.layout || wire.best, at = plugged(layout, v.nodes, v.ports);
    const plugging = await remembered(at, () => api.get(at, signal));
    const on = { ...fabric, switches: layout }, sound = await planned({ operations: [operation], fabric: on }, signal);
    if (running !== mine || odd) return;
    body.classList.remove("stale");
    if (!v.avoid) { render({ wire, layout, plugging, sound, v }); return; }
    if (!body.childElementCount) render({ wire, layout, plugging, sound, v, waits: true }); // show something while the plan is made
    let around = null, reason = "";
    wait.doing = "Planning around what failed";
    wait.said("");
    try {
      around = await planned({ operations: [operation], fabric: { ...on, avoid: v.avoid } }, signal);
      around.proof ??= around.id && (await api.post("v1/verify", { plan: { id: around.id } }, signal));
    } catch (e) {
      if (!(e instanceof api.Problem) || e.status === 0 || /avoid/.test(e.field)) throw e;
      reason = e.message; // the failed parts exist, but no plan avoids them
    }
    if (running === mine) render({ wire, layout, plugging, sound, around, reason, v });
  } catch (e) {
    if (running === mine) refuse(form, box, body, live, e, "The fabric that this view opens with is stored in the page: “Mend all” or Ctrl+Z lead back to it.", (field) => field.replace(/switches$/, "layout"));
  } finally {
    if (running === mine) wait.end();
  }
}

const room = () => Math.max(280, $("#fabric-result").clientWidth - 34);

function render({ wire, layout, plugging, sound, around, reason, v, waits }) {
  const focused = document.activeElement?.dataset?.part, now = around ?? sound, row = wire.layouts.find((l) => l.layout === layout);
  const picture = new FabricPicture({ plugging, plan: reason || waits ? null : now, island: Number(v.island) || 1, failed: new Set(v.avoid.split(",").map((x) => x.trim())), width: room(), toggle });
  body.replaceChildren(hero(wire, layout, row, sound, around, reason, v), card("Plugging and circuits", picture.element),
    layouts(wire, layout), ...(row ? [bill(wire, row)] : []), availability(wire, layout, v));
  if (focused) picture.focus(focused);
  live.textContent = $(".hero", body).textContent;
}

function hero(wire, layout, row, sound, around, reason, v) {
  const total = sound.summary.cost_ns.total, then = around?.summary.cost_ns.total;
  return h("section", { class: "card hero", "aria-label": "Time" },
    h("p", {}, h("b", {}, `${v.op} of ${spaced(v.size)} on ${v.nodes} GPUs`), `, ${v.ports} ${v.ports === "1" ? "port" : "ports"} each, plugged as ${layout}`),
    h("div", { class: "times" }, h("div", { class: then || reason ? "time second" : "time" }, time(total), h("small", {}, "while all works")),
      then && h("div", { class: "time" }, time(then), h("small", {}, `around what failed, ${signed(then / total - 1, percent)}`)), reason && h("div", { class: "time second exposed" }, "no plan", h("small", {}, "without what failed"))),
    h("div", { class: "facts" }, row && fact(money(row.cost_usd.likely), `cost, ${money(row.cost_usd.low)} to ${money(row.cost_usd.high)}`), row && fact(power(row.power_w.likely), `power, ${power(row.power_w.low)} to ${power(row.power_w.high)}`),
      row && fact(String(row.switches), `switches: ${wire.technology ?? "of no known technology"}`), row?.loss !== undefined && fact(percent(row.loss), "slower than one ideal switch")),
    h("p", { class: "failures" }, v.avoid ? h("b", {}, "Failed: ") : "Nothing has failed.", v.avoid.split(",").map((x) => x.trim()).filter(Boolean).map((x) => h("button", { type: "button", class: "chip", "aria-label": `Mend ${x}`, onclick: () => toggle(x) }, `${x} ×`)), around?.proof && h("span", { class: around.proof.ok ? "good" : "bad" }, around.proof.ok ? " The plan around it is verified." : " The plan around it is not correct.")),
    reason && h("p", { class: "bad" }, reason));
}

function layouts(wire, layout) {
  const rows = wire.layouts.map((l) => [
    h("button", { type: "button", "aria-pressed": String(l.layout === layout), onclick: () => { form.elements.layout.value = l.layout === wire.best ? "" : l.layout; make(); } }, l.layout),
    l.switches, `${l.ports_used} of ${wire.radix || l.ports_used}`, l.times_ns ? time(l.times_ns[0]) : "–", l.loss === undefined ? "–" : `${l.bounded ? "≥ " : ""}${percent(l.loss)}`, l.cost_usd ? money(l.cost_usd.likely) : "–", l.power_w ? power(l.power_w.likely) : "–"]);
  return card("Layouts", h("p", { class: "note" }, "Choose one to plug the ports so. The loss is against one ideal switch with all ports."), grid("Layouts", ["<Layout", "Switches", "Ports used", "Time", "Loss", "Cost", "Power"], rows));
}

function bill(wire, row) {
  if (!row.bill) return card("Cost and power", h("p", {}, row.reason ?? "No switch of the catalogue does here."));
  const range = (r, show) => h("span", { title: `${show(r.low)} to ${show(r.high)}` }, show(r.likely), h("small", {}, r.high > r.low ? ` ${show(r.low)} – ${show(r.high)}` : ""));
  const most = Math.max(...row.bill.map((b) => b.cost_usd.likely));
  return card("Cost and power", grid("Bill", ["Count", "<Part", "<Share", "Cost", "Power"], [...row.bill.map((b) => {
    const bar = h("i");
    bar.style.width = `${(100 * b.cost_usd.likely) / most}%`;
    return [b.count, `${b.kind.replaceAll("_", " ")}: ${b.part}`, h("div", { class: "share plain short" }, bar), range(b.cost_usd, money), b.power_w.likely > 0 ? range(b.power_w, power) : "–"];
  }), ["", h("b", {}, "all"), "", range(row.cost_usd, money), range(row.power_w, power)]]),
  wire.light && h("p", { class: "note" }, `A link has light for ${wire.light.stages.likely} ${wire.light.stages.likely === 1 ? "switch" : "switches"} in a row (${wire.light.stages.low} for certain, ${wire.light.stages.high} at most). Prices are uncertain: the range is what is likely at the least and at the most.`));
}

/** How long the fabric works while parts fail and are repaired: only on request, because it takes a while. */
function availability(wire, layout, v) {
  const out = h("div", {}), left = running.signal, asked = { for: [{ op: v.op, size: v.size }], ...(wire.technology && { technology: wire.technology }), fabric: { ...machine(v), switches: layout } };
  const button = h("button", { type: "button", onclick: async () => {
    button.disabled = true;
    const mine = new AbortController(), signal = AbortSignal.any([left, mine.signal]);
    const said = h("p", { class: "note", role: "status" }, "Planning around failures…");
    out.replaceChildren(said, h("button", { type: "button", onclick: () => mine.abort() }, "Stop"));
    try {
      const { answer } = await job("availability", asked, { signal, said: (t) => { said.textContent = `Planning around failures… ${t}`; } });
      out.replaceChildren(grid("Availability", ["<While parts fail", "Full speed", "Slower", "Stopped", "Speed on average"], answer.cases.map((c) => [
        `${c.replanning ? "planned again around it" : "stopped until the repair"}${c.spares ? ", with spares" : ""}`, share(c.shares.full), share(c.shares.reduced), share(c.shares.down), share(c.shares.speed_low)])));
    } catch (e) {
      if (e.name !== "AbortError" && !(e instanceof api.Problem)) throw e;
      out.replaceChildren(h("p", { class: "note", role: "status" }, e.name === "AbortError" ? "Stopped." : e.message));
    } finally { button.disabled = false; }
  } }, "How long does it work?");
  return card("Availability", h("p", { class: "note" }, "Transceivers, fibres, ports and switches fail and are repaired; the speed with something missing is that of a plan around it."), button, out);
}

const share = (x) => `${(100 * x).toFixed(x > 0.9 && x < 1 ? 3 : 2)} %`;
