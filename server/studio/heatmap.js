// A grid of coloured cells that can be read with a mouse and with keys.
import { bytes, h, number, s, time } from "./dom.js";
import { moments } from "./timeline.js";

/** A value in the studio's form: 64KiB as 64 KiB, 10us as 10 us. */
export function spelled(text) {
  const unit = /[A-Za-z]+$/.exec(text)?.[0] ?? "";
  if (/^[KMGT]?i?B$/.test(unit)) return bytes(number(text));
  if (/^([pnum]?s)$/.test(unit)) return time(number(text));
  return text.replace(/(\d)([A-Za-z])/, "$1 $2");
}

/** Which values of an axis are labelled: those that begin with a 1, if they are few enough, or every n-th. */
function ticks(values, every) {
  const decades = values.map((v) => /^10*[A-Za-z]/.test(v)), ones = decades.filter(Boolean).length;
  if (ones > 2 && ones < values.length && values.length / ones >= every && !values.some((v) => /B$/.test(v))) return decades;
  return values.map((_, i) => i % every === 0);
}

// Distinguishable with the common kinds of colour blindness, in both themes.
const ramp = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
const named = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#994f00", "#005ab5", "#5d3a9b"];
const pays = 1.05; // as in the table of findings: below it, differences between model and machine would hide it

const shade = (f) => {
  const at = Math.min(0.9999, Math.max(0, f)) * (ramp.length - 1), i = Math.floor(at), q = at - i;
  return `rgb(${ramp[i].map((v, k) => Math.round(v + (ramp[i + 1][k] - v) * q)).join(" ")})`;
};

export class HeatMap {
  constructor(axes, { width, read, open, told }) {
    Object.assign(this, { axes, read, open, told, cells: new Map(), x: 0, y: 0, kept: null });
    this.at = Object.fromEntries(["x", "y"].map((a) => [a, axes[a].values.map(number)]));
    const nx = axes.x.values.length, ny = axes.y.values.length;
    Object.assign(this, { nx, ny, left: 84, bottom: 44 });
    this.w = (width - this.left - 6) / nx;
    this.tall = Math.max(12, Math.min(34, 420 / ny));
    const height = this.tall * ny + this.bottom + 6;
    this.svg = s("svg", { class: "draw", width, height, viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "application",
      "aria-label": `Heat map: ${axes.x.label} across in ${nx} values, ${axes.y.label} upwards in ${ny}. Arrow keys move, Enter opens the plan, P keeps a cell.` });
    this.rects = [];
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++) {
        const r = s("rect", { class: "cell k-stage", x: this.left + i * this.w, y: (ny - 1 - j) * this.tall + 4, width: this.w - 0.5, height: this.tall - 0.5 });
        r.addEventListener("pointerenter", (e) => { if (e.pointerType !== "touch") this.go(i, j); });
        r.addEventListener("click", (e) => {
          this.go(i, j);
          if (e.shiftKey) this.keep(); // on the way to a button, a mouse would leave the cell
          else if (e.pointerType !== "touch") this.enter(); // a finger cannot hover
        });
        this.rects.push(r);
      }
    }
    const text = (x, y, words, anchor) => s("text", { class: "soft", x, y, "text-anchor": anchor }, words);
    const written = { x: ticks(axes.x.values, Math.ceil(72 / this.w)), y: ticks(axes.y.values, Math.ceil(16 / this.tall)) };
    // Each line lies on a wider one of the opposite brightness, so that it is visible on any cell.
    [this.under, this.line, this.bordersUnder, this.borders] = ["even under", "even", "border under", "border"].map((c) => s("path", { class: c }));
    this.marks = s("g", { class: "marks" });
    this.pin = s("g", { class: "pin", visibility: "hidden" }, s("rect", { class: "pin-under", width: this.w, height: this.tall }), s("rect", { class: "pin-over", width: this.w, height: this.tall }), s("path", { d: "M4 4h9l-9 9z" }));
    this.here = s("rect", { class: "here", width: this.w, height: this.tall, visibility: "hidden" }); // until a cell is pointed at
    this.svg.append(...this.rects,
      ...axes.x.values.flatMap((v, i) => (written.x[i] ? [text(this.left + (i + 0.5) * this.w, ny * this.tall + 20, spelled(v), "middle")] : [])),
      ...axes.y.values.flatMap((v, j) => (written.y[j] ? [text(this.left - 6, (ny - 0.5 - j) * this.tall + 8, spelled(v), "end")] : [])),
      text(this.left + (nx * this.w) / 2, height - 6, axes.x.label, "middle"), this.marks, this.bordersUnder, this.borders, this.under, this.line, this.pin, this.here);
    this.key = h("div", { class: "key" });
    this.tip = h("div", { class: "tip", hidden: true, "aria-hidden": "true" });
    this.title = h("h3");
    this.element = h("div", { class: "heat" }, this.title, h("p", { class: "note" }, `Upwards: ${axes.y.label}`), this.svg, this.tip, this.key);
    this.svg.addEventListener("focus", () => { if (this.svg.matches(":focus-visible")) this.go(this.x, this.y); }); // keys start there
    this.svg.addEventListener("keydown", (e) => this.press(e));
    this.svg.addEventListener("pointermove", (e) => this.hover(e));
    this.svg.addEventListener("pointerleave", () => { this.tip.hidden = true; });
  }

  /** Shows a cell's values beside the pointer. */
  hover(e) {
    const cell = this.cells.get(this.y * this.nx + this.x), on = e.target.classList.contains("cell") && e.pointerType !== "touch" && cell?.total_ns && this.metric;
    this.tip.hidden = !on;
    if (!on) return;
    const value = this.metric.of(cell), box = this.element.getBoundingClientRect(), x = e.clientX - box.left, right = x > box.width - 220;
    this.tip.textContent = `${cell.name}: ${this.metric.words ? value : this.metric.show(value)}`;
    this.tip.style.left = right ? "auto" : `${x + 14}px`;
    this.tip.style.right = right ? `${box.width - x + 14}px` : "auto";
    this.tip.style.top = `${e.clientY - box.top + 16}px`;
  }

  count() { return this.cells.size; }

  full() { return this.cells.size === this.nx * this.ny; }

  press(e) {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (moves[e.key]) this.go(Math.min(this.nx - 1, Math.max(0, this.x + moves[e.key][0])), Math.min(this.ny - 1, Math.max(0, this.y + moves[e.key][1])));
    else if (e.key === "Enter") this.enter();
    else if (e.key === "p" || e.key === "P") this.keep();
    else return;
    e.preventDefault();
  }

  go(i, j) {
    this.x = i;
    this.y = j;
    this.here.removeAttribute("visibility");
    this.here.setAttribute("x", this.left + i * this.w);
    this.here.setAttribute("y", (this.ny - 1 - j) * this.tall + 4);
    this.read(this.cells.get(j * this.nx + i), this.kept);
  }

  keep() {
    const at = this.y * this.nx + this.x;
    this.kept = this.cells.get(at) ?? null;
    this.pin.setAttribute("visibility", this.kept ? "visible" : "hidden");
    this.pin.setAttribute("transform", `translate(${this.left + this.x * this.w} ${(this.ny - 1 - this.y) * this.tall + 4})`);
    this.go(this.x, this.y);
    if (this.kept) this.told?.(`${this.axes.x.values[this.x]},${this.axes.y.values[this.y]}`);
  }

  /** Keeps the cell that a link names, once it is planned. */
  keepNamed(name) {
    const [x, y] = name.split(",").map((v, k) => this.axes[k ? "y" : "x"].values.indexOf(v));
    if (!(x >= 0 && y >= 0) || this.kept || !this.cells.has(y * this.nx + x)) return;
    this.x = x;
    this.y = y;
    this.keep();
  }

  enter() { this.open(this.axes.x.values[this.x], this.axes.y.values[this.y]); }

  add(cells) {
    const nearest = (list, v) => list.reduce((b, x, i) => (Math.abs(x - v) < Math.abs(list[b] - v) ? i : b), 0);
    for (const c of cells) {
      const i = nearest(this.at.x, c.params[this.axes.x.param]), j = nearest(this.at.y, c.params[this.axes.y.param]);
      c.name = `${spelled(this.axes.x.values[i])}, ${spelled(this.axes.y.values[j])}`;
      this.cells.set(j * this.nx + i, c);
    }
    if (!this.here.hasAttribute("visibility")) this.go(this.x, this.y); // the cell under the pointer may have been planned now
  }

  paint(m, over) {
    this.title.textContent = m.label;
    this.metric = m;
    const known = [...this.cells].filter(([, c]) => c.total_ns).map(([k, c]) => [k, m.of(c)]).filter(([, v]) => m.words || Number.isFinite(v));
    if (m.words) {
      const names = [...new Set(known.map(([, v]) => v))].sort();
      for (const [k, v] of known) this.color(k, named[names.indexOf(v) % named.length]);
      this.key.replaceChildren(h("ul", { class: "legend" }, names.map((n, i) => h("li", {}, swatch(named[i % named.length]), n))));
    } else {
      const f = m.log ? Math.log : (v) => v, all = known.map(([, v]) => f(v)), lo = Math.min(...all), hi = Math.max(...all);
      for (const [k, v] of known) this.color(k, shade(hi > lo ? (f(v) - lo) / (hi - lo) : 0.5));
      const back = m.log ? Math.exp : (v) => v;
      const marks = !(hi > lo) ? [lo] : m.log ? powers(lo, hi) : moments(lo, hi, 5);
      this.key.replaceChildren(...(all.length ? [bar(marks.map((v) => [hi > lo ? (v - lo) / (hi - lo) : 0.5, m.show(back(v))]), m.show(back(lo)), m.show(back(hi)))] : []));
    }
    const even = over.even ? this.divide((c) => c.reconfigurations > 0 && c.baselines_ns.static / c.total_ns >= pays) : "";
    const borders = over.borders ? this.divide((c) => `${c.algorithm} ${c.planner}`) : "";
    for (const [path, d] of [[this.under, even], [this.line, even], [this.bordersUnder, borders], [this.borders, borders]]) path.setAttribute("d", d);
    this.mark(over);
  }

  color(k, c) {
    this.rects[k].style.fill = c;
    this.rects[k].style.stroke = "none";
  }

  /** A line between cells that differ. */
  divide(what) {
    const of = (i, j) => { const c = this.cells.get(j * this.nx + i); return c?.total_ns ? what(c) : undefined; };
    const differ = (a, b) => a !== undefined && b !== undefined && a !== b;
    let d = "";
    for (let j = 0; j < this.ny; j++) {
      for (let i = 0; i < this.nx; i++) {
        const me = of(i, j), x = this.left + i * this.w, y = (this.ny - 1 - j) * this.tall + 4;
        if (i + 1 < this.nx && differ(me, of(i + 1, j))) d += `M${x + this.w} ${y}v${this.tall}`;
        if (j + 1 < this.ny && differ(me, of(i, j + 1))) d += `M${x} ${y}h${this.w}`;
      }
    }
    return d;
  }

  /** Numbers of reconfigurations, and dots whose width is the gap: as wide as the cell at 100 %. */
  mark({ numbers, gaps }) {
    const list = [];
    for (const [k, c] of this.cells) {
      if (!c.total_ns || !(numbers || gaps)) continue;
      const x = this.left + ((k % this.nx) + 0.5) * this.w, y = (this.ny - 1 - Math.floor(k / this.nx) + 0.5) * this.tall + 4, gap = c.total_ns / c.operation_bound_ns - 1;
      if (gaps && gap > 0) list.push(s("circle", { cx: x, cy: y, r: (Math.min(this.w, this.tall) / 2 - 1) * Math.min(1, gap) }));
      if (numbers && this.w > 12) list.push(s("text", gaps ? { x: x + this.w / 2 - 4, y: y + this.tall / 2 - 4, "text-anchor": "end", class: "small" } : { x, y: y + 4, "text-anchor": "middle" }, c.reconfigurations));
    }
    this.marks.replaceChildren(...list);
  }
}

/** The logarithms of the powers of ten between two values, or of the ends if there is none. */
function powers(lo, hi) {
  const ten = Math.LN10, all = [];
  for (let i = Math.ceil(lo / ten); i * ten <= hi; i++) all.push(i * ten);
  return all.length ? all : [lo, hi];
}

/** The colours from the least to the most, with round values below: each is its place from 0 to 1, and words. */
function bar(marks, least, most) {
  const width = 420, at = (q) => 20 + q * (width - 40), g = s("svg", { class: "colours", viewBox: `0 0 ${width} 34`, role: "img", "aria-label": `Colours from ${least} to ${most}` });
  for (let i = 0; i < 60; i++) g.append(s("rect", { x: at(i / 60), y: 0, width: (width - 40) / 60 + 0.5, height: 12, fill: shade((i + 0.5) / 60) }));
  for (const [q, text] of marks) g.append(s("line", { class: "grid", x1: at(q), x2: at(q), y1: 12, y2: 17 }), s("text", { class: "soft", x: at(q), y: 30, "text-anchor": "middle" }, text));
  return g;
}

function swatch(color) {
  const i = h("i");
  i.style.background = color;
  return i;
}
