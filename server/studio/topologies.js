// The view of topologies: the frontier of a size and degree, two compared, and the reader's own.
import * as api from "./api.js";
import { $, h, s, time, css } from "./dom.js";
import { blame, clear, fields, remember, restore, stale, strange, values } from "./fields.js";
import { graph } from "./graph.js";
import { moments } from "./timeline.js";
import { Undo } from "./undo.js";

const form = $("#topologies-form"), body = $("#topologies-body"), box = $("#topologies-error");
let running = null, undo = null, asked = 0, redraw = () => {};
const own = h("section", { class: "card", "aria-label": "A graph of your own" }), compared = h("section", { class: "card", "aria-label": "Compared", hidden: true });

export async function start() {
  undo = new Undo(form, $("#topologies"), (state) => { restore(form, state); redraw(); find(); });
  const word = (f) => ({ form: "topologies", ...f });
  form.append(...fields([
    word({ name: "nodes", label: "GPUs", value: "16", number: true }), word({ name: "degree", label: "Ports each", value: "4", number: true }),
    word({ name: "op", label: "Operation", wide: true, value: "allreduce", options: ["allreduce", "allgather", "reducescatter"].map((o) => [o, o]) }),
    word({ name: "size", label: "Size", value: "1MiB" }), word({ name: "alpha", label: "Latency of a step", value: "10us" }),
    word({ name: "node_bandwidth", label: "Bandwidth of a GPU", value: "100Gbps" }), word({ name: "bidirectional", label: "Circuits", wide: true, value: "", options: [["", "one-way or two-way"], ["true", "two-way"]] }),
  ]), h("div", { class: "actions" }, h("button", { class: "primary" }, "Find"), undo.back, undo.forth));
  form.addEventListener("submit", (e) => { e.preventDefault(); find(); });
  body.append(own); // a field must be on the page to be part of the form
  mine();
}

export function show(query) {
  const unknown = query ? restore(form, query) : [];
  if (query) redraw();
  find();
  strange(box, unknown);
}

const ratio = (text) => { const [p, q = "1"] = text.split("/"); return Number(p) / Number(q); };

async function find() {
  running?.abort();
  const mine = (running = new AbortController()), v = values(form);
  const odd = clear(form);
  box.hidden = true;
  remember("topologies", form);
  undo.note();
  body.classList.add("busy");
  try {
    const whole = (t) => (/^\d+$/.test(t) ? Number(t) : t);
    const found = await api.post("v1/find", { nodes: whole(v.nodes), degree: whole(v.degree), op: v.op, size: v.size, alpha: v.alpha, node_bandwidth: v.node_bandwidth, ...(v.bidirectional && { bidirectional: true }) }, mine.signal);
    if (odd) { stale(body); return; }
    body.classList.remove("stale");
    const other = found.frontier.find((p) => p.expr !== found.best.expr), chosen = [found.best, other].filter(Boolean).map((p) => p.expr);
    body.replaceChildren(frontier(found, v.op, chosen), compared, own);
    await compare(chosen, v.op, mine.signal);
  } catch (e) {
    if (e.name === "AbortError") return;
    if (!(e instanceof api.Problem)) throw e;
    blame(form, box, e);
    stale(body);
  } finally {
    if (running === mine) body.classList.remove("busy");
  }
}

function frontier(found, op, first) {
  const points = [...found.frontier, { ...found.bound, expr: "" }];
  const width = Math.max(280, $("#topologies-result").clientWidth - 34), height = 240, left = 60, bottom = 40;
  const xs = points.map((p) => p.steps), ys = points.map((p) => ratio(p.bandwidth)), [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const more = (y1 - y0) * 0.1 || y0 * 0.1, lo = y0 - more, hi = y1 + more;
  const x = (v) => left + ((v - x0 + 0.5) / (x1 - x0 + 1)) * (width - left - 20), y = (v) => height - bottom - ((v - lo) / (hi - lo)) * (height - bottom - 30);
  const plot = s("svg", { class: "draw", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Steps against bandwidth of ${found.frontier.length} topologies and the bound` });
  plot.append(s("text", { class: "soft", x: width / 2, y: height - 6, "text-anchor": "middle" }, "steps"), s("text", { class: "soft", x: 0, y: 14 }, "bandwidth, in M/B"));
  for (let v = x0; v <= x1; v++) plot.append(s("line", { class: "grid", x1: x(v), x2: x(v), y1: 24, y2: height - bottom }), s("text", { class: "soft", x: x(v), y: height - bottom + 16, "text-anchor": "middle" }, v));
  for (const v of moments(lo, hi, 5)) plot.append(s("line", { class: "grid", x1: left, x2: width - 20, y1: y(v), y2: y(v) }), s("text", { class: "soft", x: left - 8, y: y(v) + 4, "text-anchor": "end" }, Number(v.toPrecision(6))));
  for (const p of points) {
    const bound = !p.expr;
    plot.append(s(bound ? "path" : "circle", bound
      ? { d: `M${x(p.steps) - 7} ${y(ratio(p.bandwidth))}h14m-7 -7v14`, stroke: css("--ink"), "stroke-width": 2.5 }
      : { cx: x(p.steps), cy: y(ratio(p.bandwidth)), r: 6, class: p.expr === found.best.expr ? "k-dark" : "k-transmission" }, s("title", {}, `${p.expr || "bound"}: ${p.steps} steps, ${p.bandwidth} M/B, ${time(p.time_ns)}`)));
  }
  const chosen = new Set(first);
  const pick = (e) => {
    if (e.target.checked) chosen.add(e.target.value); else chosen.delete(e.target.value);
    const [oldest] = chosen;
    if (chosen.size > 2) { // only the ticked ones are shown
      chosen.delete(oldest);
      for (const i of e.target.closest("table").querySelectorAll("input")) if (i.value === oldest) i.checked = false;
    }
    compare([...chosen], op).catch((x) => { box.hidden = false; box.textContent = x.message; });
  };
  const row = (p, name) => h("tr", {}, h("td", {}, name ?? h("label", {}, h("input", { type: "checkbox", value: p.expr, checked: chosen.has(p.expr), onchange: pick }), ` ${p.expr}`)), h("td", {}, p.steps), h("td", {}, p.bandwidth), h("td", {}, time(p.time_ns)), h("td", { class: "l" }, p.method ?? ""));
  return h("section", { class: "card", "aria-label": "Frontier" }, h("h3", {}, `${found.frontier.length === 1 ? "One topology" : `${found.frontier.length} topologies`} of ${found.nodes} GPUs and ${found.degree} ports that no other beats in both steps and bandwidth`), plot,
    h("ul", { class: "legend" }, h("li", {}, h("i", { class: "k-dark" }), "fastest for this size"), h("li", {}, h("i", { class: "k-transmission" }), "others"), h("li", {}, "+ the bound: no topology beats it")),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of the frontier" }, h("table", {},
      h("thead", {}, h("tr", {}, ["Topology (choose two to compare)", "Steps", "Bandwidth", "Time", "Schedule"].map((t) => h("th", { scope: "col", class: t === "Schedule" ? "l" : undefined }, t)))),
      h("tbody", {}, found.frontier.map((p) => row(p)), row(found.bound, "bound")))));
}

/** A topology with its drawing, its measures and its schedule. */
async function facts(expr, op, signal, drawn = true) {
  const [wiring, m, schedule] = await Promise.all([api.get(`v1/wiring?topology=${encodeURIComponent(expr)}`, signal), api.post("v1/topology", { topology: expr }, signal), api.post("v1/schedule", { topology: expr, op, best: true }, signal)]);
  return h("div", { class: "one" }, h("h4", {}, expr.startsWith("Edges(") ? "Your graph" : expr), drawn && graph(wiring.nodes, wiring.links.map((l) => [l.from, l.to]), { label: `${expr.slice(0, 60)} with ${m.circuits} circuits` }),
    h("dl", {}, [["Diameter", m.diameter ?? "not connected"], ["At least, by Moore", m.moore_diameter ?? "–"], ["Average distance", m.average_distance?.toFixed(3) ?? "–"], ["Circuits", m.circuits], ["Two-way", m.bidirectional ? "yes" : "no"],
      ["Steps", schedule.steps], ["Bandwidth", `${schedule.bandwidth} M/B${schedule.bandwidth_optimal ? ", optimal" : ""}`], ["Schedule by", schedule.method], ["Load per step", schedule.per_step.slice(0, 12).join(", ")]].flatMap(([k, v]) => [h("dt", {}, k), h("dd", {}, String(v))])));
}

/** Shows the chosen topologies: two, one or none. */
async function compare(exprs, op, signal) {
  const mine = ++asked;
  compared.hidden = !exprs.length;
  const made = await Promise.all(exprs.map((e) => facts(e, op, signal)));
  if (mine !== asked) return; // others were chosen meanwhile
  compared.replaceChildren(h("h3", {}, exprs.length > 1 ? "Two compared" : "The one that is chosen"), h("div", { class: "pair" }, made), wires());
}

const wires = () => h("ul", { class: "legend" }, h("li", {}, h("i", { class: "k-transmission" }), "circuits both ways"), h("li", {}, h("i", { class: "k-dark" }), "circuits one way"));

/** A graph by hand, or from an edge list, and its schedule. */
function mine() {
  const text = h("textarea", { id: "edges", name: "edges", form: form.id, rows: 6, spellcheck: "false" }, "0,1\n1,2\n2,3\n3,4\n4,5\n5,0\n0,3\n1,4\n2,5"), two = h("input", { type: "checkbox", id: "two", name: "two", form: form.id, checked: true });
  const why = h("p", { class: "why", role: "alert" }), drawing = h("div"), result = h("div");
  let last = null, timer = 0;
  // It is part of the address, like the form.
  const note = () => { clearTimeout(timer); timer = setTimeout(() => { remember("topologies", form); undo.note(); }, 600); };
  const read = () => {
    const count = new Map();
    for (const [i, line] of text.value.split("\n").entries()) {
      if (!line.trim()) continue;
      const m = /^\s*(\d{1,4})\s*[,; ]\s*(\d{1,4})\s*$/.exec(line);
      if (!m || m[1] === m[2]) throw new Error(`line ${i + 1}: write two different GPUs, such as 0,1`);
      for (const [u, v] of two.checked ? [[m[1], m[2]], [m[2], m[1]]] : [[m[1], m[2]]]) count.set(`${Number(u)},${Number(v)}`, 1);
    }
    if (!count.size) throw new Error("there is no circuit yet");
    return [...count.keys()].map((k) => k.split(",").map(Number)).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  };
  const draw = async () => {
    last?.abort();
    last = new AbortController();
    why.textContent = "";
    try {
      const links = read(), nodes = Math.max(...links.flat()) + 1;
      drawing.replaceChildren(graph(nodes, links, { label: "Your graph: choose two GPUs to add or remove a circuit", edit: (u, v) => {
        const lines = text.value.split("\n").filter((l) => l.trim()), at = lines.findIndex((l) => l.replace(/\s/g, "") === `${u},${v}` || (two.checked && l.replace(/\s/g, "") === `${v},${u}`));
        if (at >= 0) lines.splice(at, 1); else lines.push(`${u},${v}`);
        text.value = lines.join("\n");
        change();
      } }));
      result.replaceChildren(await facts(`Edges(${nodes};${links.map((l) => `${l},1`).join(",")})`, form.elements.op.value, last.signal, false));
    } catch (e) {
      if (e.name !== "AbortError") { why.textContent = e.message; result.replaceChildren(); }
    }
  };
  const change = () => { draw(); note(); };
  redraw = draw;
  const more = h("button", { type: "button", onclick: () => {
    const last = Math.max(0, ...text.value.match(/\d+/g)?.map(Number) ?? []);
    text.value = `${text.value.trimEnd()}\n${last},${last + 1}\n${last + 1},0`.trimStart();
    change();
  } }, "Add a GPU");
  text.addEventListener("input", change);
  two.addEventListener("change", change);
  own.append(h("h3", {}, "A graph of your own"), h("div", { class: "pair" }, h("div", { class: "field" }, h("label", { for: "edges" }, "Circuits, one a line: from,to"), text, h("label", {}, two, " every circuit has one the other way"), why,
    h("p", { class: "note" }, "Or choose two GPUs in the drawing, with the mouse or with Tab and Enter."), h("div", { class: "downloads" }, more), drawing, wires()), result));
  draw();
}
