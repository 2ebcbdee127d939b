// Draws the choices of a design by cost and time, and their times over the delay.
import { money, power } from "./asking.js";
import { h, s, time } from "./dom.js";

const hues = ["#1f6fe0", "#0a7d74", "#7a5bd1", "#b0357c", "#5f7f1a", "#3d7f99", "#a86a00"];

const makers = (d) => [...new Set(d.choices.filter((c) => c.kind === "optical").map((c) => c.technology))];

/** The colour of a choice: the colour of its switches; packet fabrics are grey. */
export const hue = (d, c) => (c.kind === "optical" ? hues[makers(d).indexOf(c.technology) % hues.length] : "var(--soft)");

export const nameOf = (c) => `${c.kind === "optical" ? c.technology : c.kind}, ${c.ports} ${c.ports === 1 ? "port" : "ports"}${c.island > 1 ? `, islands of ${c.island}` : ""}`;

/** Round ticks of a logarithmic axis. */
function ticks(lo, hi, few) {
  const out = [], decades = Math.log10(hi / lo), steps = decades > 4 ? [1] : few || decades > 1.5 ? [1, 3] : [1, 2, 5];
  for (let p = Math.floor(Math.log10(lo)); p <= Math.ceil(Math.log10(hi)); p++) for (const k of steps) { const v = k * 10 ** p; if (v >= lo * 0.999 && v <= hi * 1.001) out.push(v); }
  return out;
}

function axes(g, { x, y, xs, ys, showX, showY, label, left, bottom, width, height }) {
  for (const v of xs) g.append(s("line", { class: "grid", x1: x(v), x2: x(v), y1: 8, y2: height - bottom }), s("text", { class: "soft", x: x(v), y: height - bottom + 18, "text-anchor": "middle" }, showX(v)));
  for (const v of ys) g.append(s("line", { class: "grid", x1: left, x2: width - 10, y1: y(v), y2: y(v) }), s("text", { class: "soft", x: left - 8, y: y(v) + 4, "text-anchor": "end" }, showY(v)));
  g.append(s("text", { class: "soft", x: (left + width) / 2, y: height - 4, "text-anchor": "middle" }, label));
}

export class Choices {
  /** Calls chosen(i) with the choice that is selected. */
  constructor(d, width, chosen) {
    Object.assign(this, { d, width, chosen, by: "cost_usd", at: -1 });
    this.list = d.choices.map((c, i) => [c, i]).filter(([c]) => c.iteration_ns > 0 && c.cost_usd).sort((a, b) => a[0].iteration_ns - b[0].iteration_ns);
    this.box = h("div", {});
    const by = h("select", { "aria-label": "Across", onchange: (e) => { this.by = e.target.value; this.draw(); } }, [["cost_usd", "across: cost"], ["power_w", "across: power"]].map(([v, t]) => h("option", { value: v }, t)));
    const key = (c) => { const i = h("i", { class: "dot" }); i.style.background = c; return i; };
    this.element = h("div", {}, h("div", { class: "actions" }, by), this.box, h("ul", { class: "legend" }, makers(d).map((m, i) => h("li", {}, key(hues[i % hues.length]), m)), h("li", {}, key("var(--soft)"), "packet switches"), h("li", {}, "Larger: more ports"), h("li", {}, "Square: islands"), h("li", {}, "Line and full colour: nothing is as good in time, cost and power")));
    this.draw();
  }

  draw() {
    const { d, width, by } = this, narrow = width < 600, height = narrow ? 380 : 460, left = 64, bottom = 44;
    const v = (c) => c[by].likely, all = this.list.map(([c]) => c), pad = (a, k) => [Math.min(...a) / k, Math.max(...a) * k];
    const [x0, x1] = pad(all.map(v), 1.15), [y0, y1] = pad(all.map((c) => c.iteration_ns), 1.2);
    const x = (q) => left + 10 + (Math.log(q / x0) / Math.log(x1 / x0)) * (width - left - 30), y = (q) => height - bottom - 8 - (Math.log(q / y0) / Math.log(y1 / y0)) * (height - bottom - 24);
    const g = s("svg", { class: "draw choices", width, height, viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "application", "aria-label": `${all.length} fabrics by ${by === "cost_usd" ? "cost" : "power"} and time. Left and Right go from the fastest to the slowest; the card below says what each is.` });
    axes(g, { x, y, xs: ticks(x0, x1, narrow), ys: ticks(y0, y1), showX: by === "cost_usd" ? money : power, showY: time, label: by === "cost_usd" ? "Cost (likely); upwards: time of the load" : "Power (likely); upwards: time of the load", left, bottom, width, height });
    const front = all.filter((c) => c.on_frontier).sort((a, b) => v(a) - v(b)), stairs = [];
    for (const c of front) if (!stairs.length || c.iteration_ns < stairs.at(-1).iteration_ns) stairs.push(c);
    if (stairs.length > 1) g.append(s("path", { class: "front", d: stairs.map((c, i) => (i ? `H${x(v(c))}V${y(c.iteration_ns)}` : `M${x(v(c))} ${y(c.iteration_ns)}`)).join("") }));
    this.span = s("g", { class: "span" });
    g.append(this.span);
    this.dots = new Map();
    for (const [c, i] of [...this.list].sort((a, b) => (a[0].on_frontier ? 1 : 0) - (b[0].on_frontier ? 1 : 0))) { // choices on the frontier are on top
      const r = 4 + 2.2 * Math.log2(c.ports + 1), cx = x(v(c)), cy = y(c.iteration_ns), common = { class: `choice${c.on_frontier ? "" : " beaten"}`, style: `--c:${hue(d, c)}` };
      const mark = c.island > 1 ? s("rect", { ...common, x: cx - r * 0.9, y: cy - r * 0.9, width: 1.8 * r, height: 1.8 * r, rx: 2 }) : s("circle", { ...common, cx, cy, r });
      mark.append(s("title", {}, `${nameOf(c)}: ${time(c.iteration_ns)}, ${money(c.cost_usd.likely)}, ${power(c.power_w.likely)}`));
      mark.addEventListener("click", () => this.choose(i));
      this.dots.set(i, { mark, cx, cy, r });
      g.append(mark);
    }
    for (const [text, i] of [["fastest", d.best], ["least time × cost", d.value]]) {
      const at = this.dots.get(i);
      if (at && !(text !== "fastest" && i === d.best)) g.append(s("text", { class: "tag", x: at.cx > width * 0.6 ? at.cx - at.r - 6 : at.cx + at.r + 6, y: at.cy + (text === "fastest" ? 16 : -8), "text-anchor": at.cx > width * 0.6 ? "end" : "start" }, text));
    }
    g.addEventListener("keydown", (e) => {
      const k = this.list.findIndex(([, i]) => i === this.at), to = { ArrowRight: k + 1, ArrowDown: k + 1, ArrowLeft: k - 1, ArrowUp: k - 1, Home: 0, End: this.list.length - 1 }[e.key];
      if (to === undefined) return;
      e.preventDefault();
      this.choose(this.list[Math.min(this.list.length - 1, Math.max(0, to))][1]);
    });
    Object.assign(this, { x, y });
    this.box.replaceChildren(g);
    if (this.at >= 0) this.choose(this.at);
  }

  choose(i) {
    this.dots.get(this.at)?.mark.classList.remove("picked");
    this.at = i;
    const at = this.dots.get(i), c = this.d.choices[i];
    if (at) {
      at.mark.classList.add("picked");
      const r = c[this.by]; // range of its cost
      this.span.replaceChildren(s("line", { x1: Math.max(64, this.x(r.low)), x2: Math.min(this.width - 6, this.x(r.high)), y1: at.cy, y2: at.cy }));
    }
    this.chosen(i);
  }
}

/** Times over the delay: a line for each layout, with all its corners. */
export function curves(d, width) {
  const narrow = width < 600, height = narrow ? 320 : 380, left = 64, bottom = 44, lo = 10, hi = 1e8, at = (c, q) => {
    const p = c.pieces.findLast((k) => k.from_ns <= q) ?? c.pieces[0];
    return p.iteration_ns + p.changes * (q - p.from_ns);
  };
  const ends = d.curves.flatMap((c) => [at(c, lo), at(c, hi)]), y0 = Math.min(...ends) / 1.2, y1 = Math.max(...ends) * 1.2;
  const x = (q) => left + 10 + (Math.log(Math.max(lo, q) / lo) / Math.log(hi / lo)) * (width - left - (narrow ? 70 : 120)), y = (q) => height - bottom - 8 - (Math.log(q / y0) / Math.log(y1 / y0)) * (height - bottom - 24);
  const g = s("svg", { class: "draw curves", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": d.curves.map((c) => `${c.ports} ports${c.island > 1 ? `, islands of ${c.island}` : ""}: ${time(at(c, lo))} without delay, ${time(at(c, hi))} without changes, which pay up to ${time(c.pays_up_to_ns)}`).join("; ") });
  axes(g, { x, y, xs: [10, 1e3, 1e5, 1e7].concat(narrow ? [] : [1e2, 1e4, 1e6, 1e8]), ys: ticks(y0, y1), showX: time, showY: time, label: "Delay of a change; upwards: time of the load", left, bottom, width: x(hi) + 10, height });
  for (const t of [...new Map(d.choices.filter((c) => c.kind === "optical").map((c) => [c.technology, c])).values()]) {
    g.append(s("line", { class: "sold", x1: x(t.reconfig_ns), x2: x(t.reconfig_ns), y1: 8, y2: height - bottom, style: `stroke:${hue(d, t)}` }, s("title", {}, `${t.technology}: ${time(t.reconfig_ns)}`)));
  }
  const most = [...new Set(d.curves.map((c) => c.ports))].sort((a, b) => a - b), ends2 = [];
  for (const c of d.curves) {
    const points = [lo];
    for (let q = lo; q < hi; q *= 1.2) points.push(q);
    points.push(...c.pieces.map((p) => p.from_ns).filter((q) => q > lo && q < hi), hi);
    points.sort((a, b) => a - b);
    const color = hues[most.indexOf(c.ports) % hues.length];
    g.append(s("path", { class: `curve${c.island > 1 ? " inside" : ""}`, style: `stroke:${color}`, d: points.map((q, i) => `${i ? "L" : "M"}${x(q).toFixed(1)} ${y(at(c, q)).toFixed(1)}`).join("") }));
    if (c.pays_up_to_ns >= lo && c.pays_up_to_ns <= hi) g.append(s("circle", { cx: x(c.pays_up_to_ns), cy: y(at(c, c.pays_up_to_ns)), r: 4, style: `fill:${color}` }, s("title", {}, `changing circuits pays up to ${time(c.pays_up_to_ns)}`)));
    ends2.push([y(at(c, hi)), `${c.ports}p${c.island > 1 ? (narrow ? `/${c.island}` : `, islands of ${c.island}`) : ""}`, color]);
  }
  let last = -Infinity; // keeps labels apart
  for (const [at2, text, color] of ends2.sort((a, b) => a[0] - b[0])) {
    last = Math.max(at2, last + 15);
    g.append(s("text", { x: x(hi) + 8, y: last + 4, style: `fill:${color}` }, text));
  }
  return g;
}
