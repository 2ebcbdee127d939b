// A training step over time: a strip for every class of ranks, what it communicates by kind, and
// its ports. It zooms, pans, and has a cursor.
import { css, h, time } from "./dom.js";

const kinds = ["tp", "dp", "pp", "ep", "edp", "cp", "ends"];
let memo = { theme: null };

/** The colour of a kind of group, or of "compute", "rewiring", "waits", "exposed". */
export function colorOf(kind) {
  const theme = document.documentElement.dataset.theme;
  if (memo.theme !== theme) memo = { theme };
  return (memo[kind] ??= css({ compute: "--k-compute", rewiring: "--dark", waits: "--dim", exposed: "--bad", line: "--line", ink: "--ink", soft: "--soft", panel: "--panel" }[kind] ?? `--k-${kinds.includes(kind) ? kind : "other"}`));
}

/** The parts of intervals that no other interval covers; both are sorted by their starts. */
export function without(list, cover) {
  const out = [];
  for (const [a, b] of list) {
    let from = a;
    for (const [c, d] of cover) {
      if (d <= from) continue;
      if (c >= b) break;
      if (c > from) out.push([from, c]);
      from = Math.max(from, d);
    }
    if (from < b) out.push([from, b]);
  }
  return out;
}

export function union(list) {
  const out = [];
  for (const [a, b] of [...list].sort((x, y) => x[0] - y[0])) {
    if (out.length && a <= out.at(-1)[1]) out.at(-1)[1] = Math.max(out.at(-1)[1], b);
    else out.push([a, b]);
  }
  return out;
}

/** The circuits of every port over time: [{from, to, circuits | dark}], by "class side port". */
export function ports(d) {
  const lanes = new Map(), span = d.iteration_ns;
  const events = new Map();
  for (const c of d.changes ?? []) for (const l of c.lanes ?? []) (events.get(String(l)) ?? events.set(String(l), []).get(String(l))).push(c);
  for (const u of d.up ?? []) for (const l of u.lanes ?? []) if (!events.has(String(l))) lanes.set(String(l), [{ from: 0, to: span, circuits: u.circuits }]);
  const up = new Map((d.up ?? []).flatMap((u) => (u.lanes ?? []).map((l) => [String(l), u.circuits])));
  for (const [lane, list] of events) {
    list.sort((a, b) => a.start_ns - b.start_ns);
    const parts = [];
    let at = 0, held = up.get(lane) ?? list.at(-1).circuits; // an iteration begins with the circuits of the last one
    for (const c of list) {
      if (c.start_ns > at && held) parts.push({ from: at, to: c.start_ns, circuits: held });
      if (c.start_ns < 0) parts.push({ from: span + c.start_ns, to: span, dark: true, circuits: c.circuits });
      if (c.end_ns > 0) parts.push({ from: Math.max(0, c.start_ns), to: c.end_ns, dark: true, circuits: c.circuits, exposed: c.exposed_ns });
      at = Math.max(0, c.end_ns);
      held = c.circuits;
    }
    const end = list[0].start_ns < 0 ? span + list[0].start_ns : span;
    if (at < end) parts.push({ from: at, to: end, circuits: held });
    lanes.set(lane, parts.sort((a, b) => a.from - b.from));
  }
  return lanes;
}

const side = ["sends", "receives", "both ways"];

/** The lanes of a class: its activities by kind. */
export function lanesOf(d, held, k) {
  const mine = d.ops.filter((o) => (o.circuits ? d.circuits[o.circuits - 1].classes.includes(k) : o.class === k));
  const compute = mine.filter((o) => !o.kind), talk = mine.filter((o) => o.kind);
  const busy = union(compute.map((o) => [o.start_ns, o.end_ns]));
  const exposed = without(union(talk.map((o) => [o.start_ns, o.end_ns])), busy);
  const late = (d.changes ?? []).filter((c) => c.class === k && c.exposed_ns > 0 && c.end_ns > 0).map((c) => [Math.max(0, c.end_ns - c.exposed_ns), c.end_ns]);
  const rows = [{ name: "compute", tall: 18, items: [...busy.map(([from, to]) => ({ from, to, color: "compute", words: "computes" })), ...exposed.map(([from, to]) => ({ from, to, color: "exposed", words: "exposed communication" })), ...without(union(late), busy).map(([from, to]) => ({ from, to, color: "exposed", hatch: true, words: "waits for circuits" }))] }];
  for (const kind of [...new Set(talk.map((o) => o.kind))].sort()) {
    rows.push({ name: kind, tall: 12, items: talk.filter((o) => o.kind === kind).map((o) => ({ from: o.start_ns, to: o.end_ns, color: kind, words: `${o.id}${o.ports ? `, ${o.ports} ${o.ports === 1 ? "port" : "ports"}` : ""}` })) });
  }
  for (const [lane, parts] of [...held].filter(([l]) => Number(l.split(",")[0]) === k).sort(([a], [b]) => (a.split(",")[2] - b.split(",")[2]) || (a.split(",")[1] - b.split(",")[1]))) {
    const [, s, port] = lane.split(",");
    rows.push({ name: `port ${port} ${side[s]}`, tall: 7, items: parts.map((p) => ({ from: p.from, to: p.to, color: p.dark ? "rewiring" : d.circuits[p.circuits - 1]?.kind ?? "other", faint: !p.dark, words: p.dark ? "dark" : `holds ${d.circuits[p.circuits - 1]?.name ?? "circuits"} for ${d.circuits[p.circuits - 1]?.kind ?? "all"}` })) });
  }
  for (const r of rows) r.items.sort((a, b) => a.from - b.from);
  return rows;
}

export class Schedule {
  /** Calls moved(t) with the place of the cursor. */
  constructor(d, width, moved) {
    Object.assign(this, { d, moved, from: 0, to: d.iteration_ns, now: 0, width });
    this.held = ports(d);
    this.left = width > 600 ? 120 : 74;
    this.canvas = h("canvas", { class: "schedule", tabindex: 0, role: "application", "aria-label": `A step of ${d.name} over time, for each class of ranks. Left and Right move the cursor, Plus and Minus zoom, Page Up and Page Down pan, 0 shows all; the text below says what is at the cursor.` });
    this.said = h("p", { class: "note at", role: "status" });
    const button = (label, text, f) => h("button", { type: "button", "aria-label": label, title: label, onclick: f }, text);
    const which = h("select", { "aria-label": "Classes of ranks", onchange: (e) => this.choose(e.target.value) },
      [["all", d.classes.length > 4 ? "the first 4 classes" : "all classes"], ...d.classes.map((c, i) => [i, `${c.name || `class ${i}`}: ranks ${c.ranks}`])].map(([v, t]) => h("option", { value: v }, t)));
    this.slider = h("input", { type: "range", min: 0, max: 1000, step: "any", value: 0, "aria-label": "Moment of the step", oninput: () => this.seek((this.slider.valueAsNumber / 1000) * d.iteration_ns) });
    this.element = h("div", {}, h("div", { class: "player" }, button("Zoom in (+)", "+", () => this.zoom(0.5)), button("Zoom out (−)", "−", () => this.zoom(2)), button("All of the step (0)", "All", () => this.zoom(Infinity)), which, this.slider), this.canvas, this.said,
      h("ul", { class: "legend" }, [["compute", "computes"], ["exposed", "exposed: the class does nothing else"], ["rewiring", "port is dark"], ...[...new Set(d.ops.map((o) => o.kind).filter(Boolean))].sort().map((k) => [k, k])].map(([k, t]) => { const i = h("i"); i.style.background = colorOf(k); return h("li", {}, i, t); })));
    this.choose("all");
    this.listen();
  }

  choose(which) {
    const list = which === "all" ? this.d.classes.map((_, i) => i).slice(0, 4) : [Number(which)];
    this.blocks = list.map((k) => ({ name: `${this.d.classes[k].name || `class ${k}`} · ranks ${this.d.classes[k].ranks}`, rows: lanesOf(this.d, this.held, k) }));
    this.height = 22 + this.blocks.reduce((s, b) => s + 24 + b.rows.reduce((q, r) => q + r.tall + 3, 0) + 8, 0);
    this.canvas.style.height = `${this.height}px`;
    this.draw();
  }

  listen() {
    const c = this.canvas, t = (e) => this.from + ((e.offsetX - this.left) / (this.width - this.left - 8)) * (this.to - this.from);
    let drag = null;
    c.addEventListener("pointerdown", (e) => { drag = { x: e.offsetX, from: this.from, to: this.to, far: false }; c.setPointerCapture(e.pointerId); });
    c.addEventListener("pointermove", (e) => {
      if (!drag) return;
      const by = ((e.offsetX - drag.x) / (this.width - this.left)) * (drag.to - drag.from);
      if (Math.abs(e.offsetX - drag.x) > 4) drag.far = true;
      if (drag.far) this.pan(drag.from - by, drag.to - by);
    });
    c.addEventListener("pointerup", (e) => { if (drag && !drag.far) this.seek(t(e)); drag = null; });
    c.addEventListener("pointercancel", () => { drag = null; });
    c.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.metaKey) return; // the page scrolls
      e.preventDefault();
      this.zoom(e.deltaY > 0 ? 1.25 : 0.8, t(e));
    }, { passive: false });
    c.addEventListener("keydown", (e) => {
      const step = (this.to - this.from) / (e.shiftKey ? 20 : 200), page = (this.to - this.from) / 2;
      const keys = { ArrowLeft: () => this.seek(this.now - step), ArrowRight: () => this.seek(this.now + step), "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => this.zoom(Infinity),
        PageUp: () => this.pan(this.from - page, this.to - page), PageDown: () => this.pan(this.from + page, this.to + page), Home: () => this.seek(0), End: () => this.seek(this.d.iteration_ns) };
      if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
      e.preventDefault();
      keys[e.key]();
    });
    new ResizeObserver(() => this.draw()).observe(c);
    addEventListener("resize", () => { if (c.isConnected) this.draw(); });
  }

  seek(t) {
    this.now = Math.min(this.d.iteration_ns, Math.max(0, t));
    this.slider.value = (1000 * this.now) / this.d.iteration_ns;
    if (this.now < this.from || this.now > this.to) { const w = this.to - this.from; this.pan(this.now - w / 2, this.now + w / 2); } else this.draw();
    const words = this.blocks.map((b) => `${b.name.split(" ·")[0]}: ${[...new Set(b.rows.slice(0, 1 + b.rows.filter((r) => r.tall === 12).length).flatMap((r) => r.items.filter((i) => i.from <= this.now && this.now < i.to).map((i) => i.words)))].join(", ") || "waits"}`);
    this.said.textContent = `${time(this.now)} of ${time(this.d.iteration_ns)}. ${words.join("; ")}.`;
    this.slider.setAttribute("aria-valuetext", time(this.now));
    this.moved(this.now);
  }

  zoom(by, around = this.now >= this.from && this.now <= this.to ? this.now : (this.from + this.to) / 2) {
    const w = this.to - this.from, all = this.d.iteration_ns, next = Math.min(all, Math.max(all / 2e5, w * by));
    this.pan(around - ((around - this.from) / w) * next, around + ((this.to - around) / w) * next);
  }

  pan(from, to) {
    const w = Math.min(to - from, this.d.iteration_ns);
    this.from = Math.min(Math.max(0, from), this.d.iteration_ns - w);
    this.to = this.from + w;
    this.draw();
  }

  draw() {
    const c = this.canvas, wide = c.clientWidth || this.width, dpr = devicePixelRatio || 1, x0 = this.left, x1 = wide - 8;
    this.width = wide;
    c.width = Math.round(wide * dpr);
    c.height = Math.round(this.height * dpr);
    const g = c.getContext("2d");
    g.setTransform(dpr, 0, 0, dpr, 0, 0);
    g.clearRect(0, 0, wide, this.height);
    const x = (t) => x0 + ((t - this.from) / (this.to - this.from)) * (x1 - x0);
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    this.ticks(g, x, x0, x1);
    let y = 22;
    for (const b of this.blocks) {
      g.fillStyle = colorOf("ink");
      g.font = "600 12px system-ui, sans-serif";
      g.fillText(b.name, 0, y + 11);
      g.font = "11px system-ui, sans-serif";
      y += 24;
      for (const r of b.rows) {
        if (r.tall > 7 || this.left > 100) {
          g.fillStyle = colorOf("soft");
          g.font = r.tall > 7 ? "11px system-ui, sans-serif" : "9px system-ui, sans-serif";
          g.fillText(r.name, 8, y + r.tall / 2);
        }
        this.row(g, r, x, x0, x1, y);
        y += r.tall + 3;
      }
      y += 8;
    }
    const at = x(this.now);
    if (at >= x0 - 1 && at <= x1 + 1) {
      g.strokeStyle = colorOf("ink");
      g.lineWidth = 1.5;
      g.beginPath();
      g.moveTo(at, 18);
      g.lineTo(at, this.height - 6);
      g.stroke();
    }
  }

  /** Round ticks: at most one in 90 pixels. */
  ticks(g, x, x0, x1) {
    const span = this.to - this.from, rough = span / Math.max(2, (x1 - x0) / 90), p = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map((k) => k * p).find((k) => k >= rough);
    g.fillStyle = colorOf("soft");
    g.strokeStyle = colorOf("line");
    g.lineWidth = 1;
    g.textAlign = "center";
    for (let t = Math.ceil(this.from / step) * step; t <= this.to + step / 1e6; t += step) {
      g.beginPath();
      g.moveTo(x(t), 18);
      g.lineTo(x(t), this.height - 6);
      g.stroke();
      const text = time(Math.round(t * 1e3) / 1e3), w = g.measureText(text).width / 2;
      g.fillText(t === 0 ? "0" : text, Math.min(x1 - w, Math.max(x0 + 4, x(t))), 9);
    }
    g.textAlign = "left";
  }

  row(g, r, x, x0, x1, y) {
    let lo = 0, hi = r.items.length; // the first visible item; items of a row may overlap a little
    while (lo < hi) { const m = (lo + hi) >> 1; if (r.items[m].to < this.from) lo = m + 1; else hi = m; }
    const thin = new Map(); // items narrower than a pixel, by colour: how much of each pixel they cover
    for (let i = Math.max(0, lo - 4); i < r.items.length && r.items[i].from <= this.to; i++) {
      const it = r.items[i], a = Math.max(x0, x(it.from)), b = Math.min(x1, x(it.to));
      if (b < x0 || a > x1) continue;
      if (b - a < 1.5 && !(it.color === "rewiring")) { // a dark port is visible at any zoom
        const q = Math.floor(a), next = Math.max(0, b - q - 1), cover = thin.get(it.color) ?? thin.set(it.color, new Map()).get(it.color);
        cover.set(q, (cover.get(q) ?? 0) + (b - a - next) * (it.faint ? 0.45 : 1));
        if (next > 0) cover.set(q + 1, (cover.get(q + 1) ?? 0) + next * (it.faint ? 0.45 : 1));
        continue;
      }
      g.fillStyle = colorOf(it.color);
      g.globalAlpha = it.faint ? 0.45 : 1;
      g.fillRect(a, y, Math.max(it.color === "rewiring" ? 1 : 0, b - a - (b - a > 4 ? 0.6 : 0)), r.tall);
      if (it.hatch && b - a > 4) {
        g.fillStyle = colorOf("panel");
        for (let q = a + 2; q < b - 1; q += 5) g.fillRect(q, y, 1.5, r.tall);
      }
    }
    for (const [color, cover] of thin) {
      g.fillStyle = colorOf(color);
      for (const [q, part] of cover) { g.globalAlpha = Math.min(1, Math.max(r.tall === 12 ? 0.4 : 0.12, part)); g.fillRect(q, y, 1, r.tall); }
    }
    g.globalAlpha = 1;
  }
}
