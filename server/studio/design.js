// The view of what to buy: every fabric by cost and time, what would change the answer.
import * as api from "./api.js";
import { job, list, money, open, power, refuse, same, Wait, whole } from "./asking.js";
import { $, card, fact, grid, h, percent, signed, spaced, time } from "./dom.js";
import { clear, fields, remember, restore, values } from "./fields.js";
import { Choices, curves, hue, nameOf } from "./designpicture.js";
import { Undo } from "./undo.js";

const form = $("#design-form"), body = $("#design-body"), box = $("#design-error"), live = $("#design-live");
let stored = null, running = null, undo = null, wait = null;

export async function start() {
  const [design, { technologies }] = await Promise.all([import("./stored-design.js"), import("./stored-fabric.js")]);
  stored = design;
  const f = (name, label, value, more) => ({ form: "design", name, label, value, ...more }), r = stored.request;
  undo = new Undo(form, $("#design"), (state) => { restore(form, state); make(); });
  form.append(
    ...fields([
      f("mix", "Load: operation/size:times", r.mix.join(", "), { wide: true, hint: "allreduce/100MB:1" }),
      f("nodes", "GPUs", String(r.fabric.nodes), { number: true }), f("ports", "Ports, to choose from", r.ports.join(", "), { hint: "1, 2, 4" }),
      f("technology", "Optical switches, to choose from", r.technology.join(", "), { wide: true, hint: "all that are known" }),
      f("island", "Islands, to choose from", r.island.join(", "), { hint: "1, 8" }), f("island_bandwidth", "Bandwidth inside", r.fabric.island_bandwidth, { hint: "7200Gbps" }),
      f("bandwidth", "Bandwidth of a port", r.fabric.bandwidth, { hint: "800Gbps" }), f("budget_cost", "Most cost, USD", "", { hint: "any" }),
      f("budget_power", "Most power, W", "", { hint: "any" }),
    ]),
    h("details", { class: "more" }, h("summary", {}, "Switches and prices of your own"), h("label", { class: "note", for: "f-design-parts" }, "Parts as JSON"), h("textarea", { id: "f-design-parts", name: "parts", rows: 8, spellcheck: "false", "aria-describedby": "f-design-parts-why" }, JSON.stringify(r.parts)), h("div", { class: "why", id: "f-design-parts-why" }), h("p", { class: "note" }, `Known without it: ${technologies.join(", ")}.`)),
    h("div", { class: "actions" }, h("button", { class: "primary" }, "Compare"), undo.back, undo.forth),
    h("p", { class: "note wide" }, "A comparison takes seconds for 32 GPUs and minutes for 512."),
  );
  wait = new Wait(body, "Planning every choice", "Compare", stop);
  api.whenLeft("design", stop);
  form.addEventListener("submit", (e) => { e.preventDefault(); make(); });
}

function stop() {
  wait.cancel();
  running?.abort();
}

export const show = (query) => open(form, box, query, make);

function request() {
  const v = values(form), islands = list(v.island), numbers = (t) => list(t).map(whole);
  const made = { mix: list(v.mix) };
  if (v.technology) made.technology = list(v.technology);
  if (v.ports) made.ports = numbers(v.ports);
  if (islands.length) made.island = islands.map(whole);
  for (const k of ["budget_cost", "budget_power"]) if (v[k]) made[k] = /^[\d.]+$/.test(v[k]) ? Number(v[k]) : v[k];
  made.fabric = { nodes: whole(v.nodes), bandwidth: v.bandwidth };
  const large = Math.max(1, ...islands.map(Number).filter(Number.isFinite));
  if (large > 1) Object.assign(made.fabric, { island: String(large), island_bandwidth: v.island_bandwidth });
  if (v.parts) made.parts = JSON.parse(v.parts);
  return made;
}

async function make(keep) {
  running?.abort();
  const mine = (running = new AbortController());
  clear(form);
  wait.end();
  box.hidden = true;
  if (keep !== true) remember("design", form);
  undo.note();
  let asked;
  try {
    asked = request();
  } catch {
    $("#f-design-parts-why").textContent = "This is no JSON.";
    form.elements.parts.setAttribute("aria-invalid", "true");
    form.elements.parts.closest("details").open = true;
    return;
  }
  if (same(asked, stored.request)) {
    body.classList.remove("stale");
    render(stored.answer, true);
    return;
  }
  wait.begin();
  try {
    const { answer } = await job("design", asked, { signal: mine.signal, said: (t) => wait.said(t) });
    if (running !== mine) return;
    body.classList.remove("stale");
    render(answer, false);
  } catch (e) {
    if (running === mine) refuse(form, box, body, live, e, "The comparison that this view opens with is stored in the page: Ctrl+Z leads back to it.");
  } finally {
    if (running === mine) wait.end();
  }
}

const room = () => Math.max(280, $("#design-result").clientWidth - 34);

function render(d, isStored) {
  const width = room(), details = h("section", { class: "card", "aria-label": "The choice" });
  const choose = (i) => details.replaceChildren(...about(d, i));
  const picture = new Choices(d, width, choose);
  body.replaceChildren(hero(d, isStored), card("Every choice, by cost and time", picture.element), details,
    ...(d.curves?.length ? [card("Time over the delay of the switches", curves(d, width), h("p", { class: "note" }, "Each line is one layout: below the dot changing circuits pays, above it the fastest plans keep their circuits. Dashed uprights are the switches that one can buy."))] : []),
    sensitivity(d, width), worth(d));
  picture.choose(d.best >= 0 ? d.best : 0);
  live.textContent = spaced(d.answer);
}

function hero(d, isStored) {
  const taken = [["Fastest", d.best], ["Least time × cost", d.value]].filter(([, i]) => i >= 0);
  return h("section", { class: "card hero", "aria-label": "Answer" },
    h("p", {}, h("b", {}, `${d.fabric.nodes} GPUs`), `: ${d.mix?.map((m) => `${m.op}/${size(m.size_bytes)}:${m.times}`).join(", ") ?? d.workload}`),
    taken.map(([text, i]) => { const c = d.choices[i]; return h("div", { class: "taken" }, h("small", {}, text), h("div", { class: "time second" }, time(c.iteration_ns)), h("b", {}, nameOf(c)), h("span", { class: "note" }, `${money(c.cost_usd.likely)}, ${power(c.power_w.likely)}`)); }),
    !taken.length && h("div", { class: "time second" }, "Nothing is within the budget"),
    h("p", { class: "note" }, spaced(d.answer)), isStored && h("p", { class: "note" }, "This answer is stored in the page; any change of the form asks the service."));
}

const size = (b) => (b % 1e6 === 0 ? `${b / 1e6}MB` : b % 2 ** 20 === 0 ? `${b / 2 ** 20}MiB` : `${b}B`);

/** One choice: its times, its bill, and how it compares with the fastest. */
function about(d, i) {
  const c = d.choices[i], best = d.choices[d.best] ?? c, dot = h("i", { class: "dot" });
  dot.style.background = hue(d, c);
  if (!c.iteration_ns) return [h("h3", {}, dot, nameOf(c)), h("p", {}, c.reason ?? "no plan")];
  const ways = (d.mix ?? []).map((m, k) => [`${m.op}/${size(m.size_bytes)}`, m.times, time(c.times_ns[k]), percent((m.times * c.times_ns[k]) / c.iteration_ns), c.plans?.[k] ?? "–"]);
  return [h("h3", {}, dot, nameOf(c), c.on_frontier && h("span", { class: "good" }, " · on the frontier"), i === d.best && " · the fastest", i === d.value && " · the least time × cost", c.over_budget && h("span", { class: "bad" }, " · over the budget")),
    h("div", { class: "facts" }, fact(time(c.iteration_ns), i === d.best ? "for the load" : `for the load, ${signed(c.iteration_ns / best.iteration_ns - 1, percent)}`), fact(money(c.cost_usd.likely), `${money(c.cost_usd.low)} to ${money(c.cost_usd.high)}`), fact(power(c.power_w.likely), `${power(c.power_w.low)} to ${power(c.power_w.high)}`), c.reconfig_ns > 0 && fact(time(c.reconfig_ns), "to change circuits"), c.availability && fact(`${(100 * c.availability.likely).toFixed(2)} %`, "of the time all parts work")),
    h("div", { class: "stack tables" }, ways.length && grid("Operations", ["<Operation", "Times", "Each", "Share", "<Plan"], ways), c.bill && grid("Bill", ["Count", "<Part", "Cost", "Power"], c.bill.map((b) => [b.count, `${b.kind.replaceAll("_", " ")}: ${b.part}`, money(b.cost_usd.likely), b.power_w.likely ? power(b.power_w.likely) : "–"])))];
}

const inputs = { price: "price", power: "power", times: "how often", delay: "delay" };

/** What would change the answer, nearest first: the factor by which an input must change. */
function sensitivity(d) {
  if (!d.changes?.length) return card("What would change the answer", h("p", {}, "No single input does, up to a factor of 100."));
  const show = (c, x) => (c.input === "delay" ? time(x) : c.input === "price" ? money(x) : c.input === "power" ? power(x) : String(Number(x.toPrecision(3))));
  return card("What would change the answer", h("p", { class: "note" }, "One input at a time; the bar is how far it must move, on a scale of factors up to 100."), grid("What would change the answer", ["<Answer", "<Input", "Now", "Changes at", "<By", "<To"], d.changes.map((c) => {
    const f = c.now > 0 && c.at > 0 ? Math.abs(Math.log10(c.at / c.now)) / 2 : 1, bar = h("i", { class: c.within ? "near" : "" });
    bar.style.width = `${Math.min(100, Math.max(2, 100 * f))}%`;
    return [c.decision === "value" ? "time × cost" : "fastest", `${inputs[c.input] ?? c.input} of ${c.of}`, show(c, c.now), h("span", { class: c.within ? "bad" : "" }, show(c, c.at), c.within && h("small", {}, " within its range")), h("div", { class: "share plain short" }, bar), c.then >= 0 && d.choices[c.then] ? nameOf(d.choices[c.then]) : "none"];
  })));
}

/** What a port of a switch is worth. */
function worth(d) {
  return card("What a port is worth", grid("Worth of a port", ["<Switch", "Delay", "Cost of a port", "Worth at most", "<Above that, as fast and cheaper"], (d.worth ?? []).map((w) => [w.technology, time(w.switching_ns), money(w.price_usd.likely), h("span", { class: w.port_usd > w.price_usd.likely ? "good" : "" }, w.port_usd > 0 ? money(w.port_usd) : "nothing"), d.choices[w.than] ? nameOf(d.choices[w.than]) : "–"])),
    d.break_even?.length && h("details", {}, h("summary", {}, "Against packet switches, by delay"), grid("Worth against packets", ["Delay", "Worth at most", "<With"], d.break_even.map((b) => [time(b.delay_ns), money(b.port_usd), `${b.ports} ${b.ports === 1 ? "port" : "ports"}${b.island > 1 ? `, islands of ${b.island}` : ""}`]))));
}
