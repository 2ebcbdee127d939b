// The circuits of a training step at a moment: ranks on a circle, or a matrix if there are many.
import { h } from "./dom.js";
import { colorOf, ports } from "./schedule.js";

const most = 64; // ranks up to which they stand on a circle

/** The ranks of a text such as 0-15, 0-120:8 or 3,5. */
export function ranksOf(text) {
  return text.split(",").flatMap((part) => {
    const [, a, b, step] = /^(\d+)(?:-(\d+)(?::(\d+))?)?$/.exec(part) ?? [], out = [];
    for (let r = Number(a); r <= Number(b ?? a); r += Number(step ?? 1)) out.push(r);
    return out;
  });
}

/** The pairs of ranks that circuits join. */
export function joins(d, c, classOf) {
  const groups = (c.jumps || !d.workload.kinds[c.kind] ? [[...classOf.keys()]] : d.workload.kinds[c.kind]).map((g) => g.filter((r) => c.classes.includes(classOf[r]))).filter((g) => g.length > 1), out = [];
  for (const g of groups) {
    if (c.pair) {
      const next = g.filter((r) => classOf[r] === c.classes[1]);
      g.filter((r) => classOf[r] === c.classes[0]).forEach((r, i) => { if (next[i] !== undefined) out.push([r, next[i]]); });
    } else if (c.ring) g.forEach((r, i) => out.push([r, g[(i + c.ring + g.length) % g.length]]));
    else if (c.jumps) g.forEach((r, i) => c.jumps.forEach((j) => out.push([r, g[(i + j) % g.length]])));
    else for (const [a, b] of c.links ?? []) if (g[a] !== undefined && g[b] !== undefined) out.push([g[a], g[b]]);
  }
  return out;
}

export class Circuits {
  constructor(d, width) {
    Object.assign(this, { d, t: 0 });
    this.held = ports(d);
    this.classOf = [];
    d.classes.forEach((c, k) => ranksOf(c.ranks).forEach((r) => { this.classOf[r] = k; }));
    this.pairs = (d.circuits ?? []).map(() => null);
    this.size = Math.min(420, width);
    this.canvas = h("canvas", { class: "circuits", role: "img" });
    this.element = h("div", {}, this.canvas);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  /** The circuits that are up at a moment, and those being set. */
  at(t) {
    const up = new Map();
    for (const [lane, parts] of this.held) {
      const p = parts.find((x) => x.from <= t && t < x.to);
      if (!p?.circuits) continue;
      const e = up.get(p.circuits) ?? up.set(p.circuits, { dark: false, lanes: [] }).get(p.circuits);
      e.dark ||= Boolean(p.dark);
      e.lanes.push(lane.split(",").map(Number));
    }
    return up;
  }

  show(t) {
    this.t = t;
    this.draw();
  }

  words(t) {
    const up = this.at(t), byClass = this.d.classes.map((c, k) => {
      const list = [...up].filter(([, e]) => e.lanes.some((l) => l[0] === k)).map(([n, e]) => {
        const c = this.d.circuits[n - 1], i = h("i");
        i.style.background = colorOf(e.dark ? "rewiring" : c.kind ?? "other");
        const name = (k) => this.d.classes[k].name || `class ${k}`;
        return h("li", {}, i, `${c.kind ?? "all ranks"}: ${c.pair ? `${name(c.classes[0])} to ${name(c.classes[1])}` : c.name}${e.dark ? ", being set" : ""}`);
      });
      return h("div", {}, h("h4", {}, `${c.name || `class ${k}`} · ranks ${c.ranks}`), list.length ? h("ul", { class: "legend column" }, list) : h("p", { class: "note" }, "no circuits"));
    });
    return [...byClass.slice(0, 8), h("p", { class: "note" }, this.classOf.length > most ? "A dot for each circuit: across who sends, downwards who receives. " : "An arc for each circuit; its arrow says which way it sends. ", "Dashed or orange: being set.")];
  }

  draw() {
    const c = this.canvas, wide = Math.min(this.size, c.parentElement?.clientWidth || this.size), dpr = devicePixelRatio || 1, n = this.classOf.length, up = this.at(this.t);
    c.style.width = c.style.height = `${wide}px`;
    if (c.width !== Math.round(wide * dpr)) c.width = c.height = Math.round(wide * dpr);
    const g = c.getContext("2d");
    g.setTransform(dpr, 0, 0, dpr, 0, 0);
    g.clearRect(0, 0, wide, wide);
    let count = 0;
    if (n > most) this.frame(g, n, wide);
    for (const [k, e] of up) {
      const spec = this.d.circuits[k - 1], pairs = (this.pairs[k - 1] ??= joins(this.d, spec, this.classOf));
      count += pairs.length;
      g.strokeStyle = g.fillStyle = colorOf(e.dark ? "rewiring" : spec.kind ?? "other");
      g.setLineDash(e.dark ? [4, 4] : []);
      if (n > most) { for (const [a, b] of pairs) g.fillRect((a / n) * wide, (b / n) * wide, Math.max(1, wide / n), Math.max(1, wide / n)); } else for (const [a, b] of pairs) this.arc(g, a, b, wide);
    }
    g.setLineDash([]);
    if (n <= most) this.ranks(g, n, wide);
    c.setAttribute("aria-label", `${n} ranks; ${count} circuits are up or being set`);
  }

  /** The matrix, with a line where a class ends. */
  frame(g, n, wide) {
    g.strokeStyle = colorOf("line");
    g.lineWidth = 1;
    g.strokeRect(0.5, 0.5, wide - 1, wide - 1);
    for (let r = 1; r < n; r++) {
      if (this.classOf[r] === this.classOf[r - 1] || this.d.classes.length > 32) continue;
      const q = (r / n) * wide;
      g.beginPath();
      g.moveTo(q, 0);
      g.lineTo(q, wide);
      g.moveTo(0, q);
      g.lineTo(wide, q);
      g.stroke();
    }
  }

  spot(r, wide) {
    const n = this.classOf.length, a = (2 * Math.PI * r) / n - Math.PI / 2, q = wide / 2 - 16;
    return [wide / 2 + q * Math.cos(a), wide / 2 + q * Math.sin(a)];
  }

  arc(g, a, b, wide) {
    const [x1, y1] = this.spot(a, wide), [x2, y2] = this.spot(b, wide), mx = (x1 + x2) / 2, my = (y1 + y2) / 2;
    const bx = mx + (wide / 2 - mx) * 0.3 + (y2 - y1) * 0.14, by = my + (wide / 2 - my) * 0.3 - (x2 - x1) * 0.14;
    g.lineWidth = 1.8;
    g.beginPath();
    g.moveTo(x1, y1);
    g.quadraticCurveTo(bx, by, x2, y2);
    g.stroke();
    const t = 0.72, px = (1 - t) ** 2 * x1 + 2 * t * (1 - t) * bx + t * t * x2, py = (1 - t) ** 2 * y1 + 2 * t * (1 - t) * by + t * t * y2;
    const dx = 2 * (1 - t) * (bx - x1) + 2 * t * (x2 - bx), dy = 2 * (1 - t) * (by - y1) + 2 * t * (y2 - by), l = Math.hypot(dx, dy) || 1;
    g.beginPath(); // the sending direction
    g.moveTo(px + (dx / l) * 5, py + (dy / l) * 5);
    g.lineTo(px - (dx / l) * 4 - (dy / l) * 4, py - (dy / l) * 4 + (dx / l) * 4);
    g.lineTo(px - (dx / l) * 4 + (dy / l) * 4, py - (dy / l) * 4 - (dx / l) * 4);
    g.fill();
  }

  ranks(g, n, wide) {
    g.textAlign = "center";
    g.textBaseline = "middle";
    g.font = "600 10px system-ui, sans-serif";
    const small = n > 40;
    for (let r = 0; r < n; r++) {
      const [x, y] = this.spot(r, wide);
      g.fillStyle = colorOf("ink");
      g.beginPath();
      g.arc(x, y, small ? 5 : 11, 0, 7);
      g.fill();
      if (!small) { g.fillStyle = colorOf("panel"); g.fillText(r, x, y + 0.5); }
    }
  }
}
