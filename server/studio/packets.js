// A simulation on the circuits: packets in transit, how busy each circuit is and what waits
// for it, at every moment. Canvas, so that 256 GPUs stay within a frame.
import { colors, percent, time } from "./dom.js";
import { frame as square, matrix, pair } from "./matrix.js";
import { along, gpus, ring, sized } from "./ring.js";

const shades = 6; // of busy circuits, each as one path
const abreast = 9; // packets drawn on one circuit; if there are more, every second or third
const many = 64; // GPUs above which a matrix is drawn
const near = 16; // pixels within which a circuit counts as hit
const key = (u, v) => u * 65536 + v;

/** The steps of a film with their circuits. */
function prepare(plan, film) {
  const stages = plan.stages.flatMap((stage, i) => stage.steps.map(() => ({ links: stage.links.map(([u, v]) => [u, v]), name: stage.topology || `stage ${i + 1}` })));
  return film.steps.map((step, i) => ({ ...step, ...stages[i], loads: new Map(step.links.map((l) => [key(l.from, l.to), l])) }));
}

export class Packets {
  /** Calls tell(text) with a description of the moment. */
  constructor(canvas, plan, film, tell) {
    Object.assign(this, { canvas, tell, film, nodes: plan.fabric.nodes, total: film.completion_ns, steps: prepare(plan, film), t: 0, failure: null, over: null });
    this.longest = Math.max(1, ...this.steps.flatMap((s) => [...s.loads.values()].map((l) => Math.max(...l.queue_ns))));
  }

  /** {from, to, at, step, lost}: circuits both ways that fail, and the step that never ends. */
  fail(failure) { this.failure = failure; }

  /** The current steps: several at once if planes do not wait for one another. */
  now() {
    const on = this.steps.filter((s) => s.start_ns <= this.t && this.t < s.end_ns);
    return on.length ? on : [this.steps.findLast((s) => s.start_ns <= this.t) ?? this.steps[0]];
  }

  frame(step) { return Math.min(step.frames - 1, Math.max(0, Math.floor(((this.t - step.traffic_ns) / (step.end_ns - step.traffic_ns || 1)) * step.frames))); }

  broken(u, v) {
    const f = this.failure;
    return f && this.t >= f.at && ((f.from === u && f.to === v) || (f.from === v && f.to === u));
  }

  draw(t = this.t) {
    this.t = t;
    const color = colors(), f = this.failure, stuck = f?.step && t >= this.steps[f.step - 1].end_ns, steps = stuck ? [this.steps[f.step - 1]] : this.now();
    const isDark = (step) => t < step.start_ns + step.dark_ns, isBusy = (step) => !isDark(step) && !stuck && t >= step.traffic_ns;
    if (this.nodes > many) {
      this.asMatrix(steps, isDark, isBusy, color);
      this.tell(steps.map((step) => this.words(step, isDark(step), isBusy(step), stuck)).join("; "));
      return `${time(t)} of ${time(this.total)}`;
    }
    const on = (this.on = ring(this.canvas, this.nodes)), { g, at, bend } = on;
    const buckets = Array.from({ length: shades + 1 }, () => new Path2D()), down = new Path2D(), waits = new Path2D(), unlit = new Path2D();
    for (const step of steps) {
      const dark = isDark(step), busy = isBusy(step), frame = this.frame(step);
      for (const [u, v] of step.links) {
        const load = busy ? step.loads.get(key(u, v)) : undefined, part = load?.busy[frame] ?? 0, [bx, by] = bend(u, v);
        const path = this.broken(u, v) ? down : dark ? unlit : buckets[part > 0 ? Math.max(1, Math.ceil(part * shades)) : 0];
        path.moveTo(...at[u]);
        path.quadraticCurveTo(bx, by, ...at[v]);
        const queue = load?.queue_ns[frame] ?? 0;
        if (queue > 0) {
          const [x, y] = along(on, u, v, 0.14), r = 1.5 + 7 * Math.sqrt(queue / this.longest) * (this.nodes > 64 ? 0.5 : 1);
          waits.moveTo(x + r, y);
          waits.arc(x, y, r, 0, 7);
        }
      }
    }
    g.setLineDash([4, 5]);
    g.strokeStyle = color.dark;
    g.globalAlpha = 1;
    g.lineWidth = this.nodes > 64 ? 0.6 : 1;
    g.stroke(unlit);
    g.setLineDash([]);
    buckets.forEach((path, i) => {
      if (!i && this.nodes > 32) return; // idle circuits would hide the rest
      g.strokeStyle = i ? color.transmission : color.line;
      g.globalAlpha = i ? 0.2 + (0.45 * i) / shades : 1;
      g.lineWidth = (i ? 1 + (2 * i) / shades : 1) * (this.nodes > 64 ? 0.6 : 1);
      g.stroke(path);
    });
    g.globalAlpha = 0.45;
    g.fillStyle = color.startup;
    g.fill(waits);
    g.globalAlpha = 1;
    g.setLineDash([7, 5]);
    g.strokeStyle = color.bad;
    g.lineWidth = 3.5;
    g.stroke(down);
    g.setLineDash([]);
    for (const step of steps) if (isBusy(step)) this.packets(on, step, color);
    gpus(on, color.ink, color.panel);
    this.tell(steps.map((step) => this.words(step, isDark(step), isBusy(step), stuck)).join("; "));
    return `${time(t)} of ${time(this.total)}`;
  }

  /** Many GPUs as a matrix: senders down, receivers across; violet: data waits there. */
  asMatrix(steps, isDark, isBusy, color) {
    const { g, w, h } = sized(this.canvas), night = document.documentElement.dataset.theme === "dark", waits = new Path2D(), down = new Path2D();
    const grid = (this.grid = square(this.nodes, w, h, { k: 1, x: 0, y: 0 })), middle = (u, v) => [grid.x0 + (v + 0.5) * grid.cell, grid.y0 + (u + 0.5) * grid.cell];
    const scenes = steps.map((step) => {
      const scene = { dark: isDark(step), idle: [], buckets: Array.from({ length: shades }, () => []) }, frame = this.frame(step), busy = isBusy(step);
      for (const [u, v] of step.links) {
        const load = busy ? step.loads.get(key(u, v)) : undefined, part = load?.busy[frame] ?? 0, [x, y] = middle(u, v);
        if (part > 0) scene.buckets[Math.ceil(part * shades) - 1].push(u, v);
        else scene.idle.push(u, v);
        if (load?.queue_ns[frame] > 0) {
          const r = 1.5 + 3 * Math.sqrt(load.queue_ns[frame] / this.longest);
          waits.moveTo(x + r, y);
          waits.arc(x, y, r, 0, 7);
        }
        if (this.broken(u, v)) down.rect(x - 5, y - 5, 10, 10);
      }
      return { scene, done: 1 };
    });
    matrix(g, grid, scenes, { ...color, lit: night ? "#141a22" : "#fafbfd", idle: color.line }, 0);
    g.globalAlpha = 0.45;
    g.fillStyle = color.startup;
    g.fill(waits);
    g.globalAlpha = 1;
    g.strokeStyle = color.bad;
    g.lineWidth = 3;
    g.stroke(down);
  }

  words(step, dark, busy, stuck) {
    if (stuck) return `Step ${step.index} never ends: what it sends over the circuits between ${this.failure.from} and ${this.failure.to} is lost.`;
    if (dark) return `Dark: the switch sets ${step.name}`;
    if (!busy) return `Step ${step.index} on ${step.name}: start-up`;
    return `Step ${step.index} on ${step.name}${step.trains ? "" : ": too many packets to draw, so circuits are only shaded by how busy they are"}`;
  }

  packets({ g, at, bend }, step, color) {
    const { t } = this, delta = this.film.delta_ns, dot = this.nodes > 32 ? 3 : 6, path = new Path2D(), f = this.failure;
    for (const [u, v, , n, start, gap, each] of step.trains ?? []) {
      const ends = start + (n - 1) * gap + each + delta;
      if (t < start || t > ends) continue;
      let first = 0, last = 0;
      if (n > 1) {
        first = Math.max(0, Math.ceil((t - start - each - delta) / gap));
        last = Math.min(n - 1, Math.floor((t - start) / gap));
      }
      const every = Math.max(1, Math.ceil((last - first + 1) / (this.nodes > 32 ? 3 : abreast))), broken = this.broken(u, v);
      const [x1, y1] = at[u], [x2, y2] = at[v], [bx, by] = bend(u, v);
      for (let i = Math.ceil(first / every) * every; i <= last; i += every) {
        if (broken && start + i * gap + each > f.at) continue; // the packet is lost
        const q = Math.min(1, (t - start - i * gap) / (each + delta || 1)), p = 1 - q;
        path.rect(p * p * x1 + 2 * p * q * bx + q * q * x2 - dot / 2, p * p * y1 + 2 * p * q * by + q * q * y2 - dot / 2, dot, dot);
      }
    }
    g.fillStyle = color.dark;
    g.fill(path);
  }

  /** The circuit next to a place on the canvas, with what it does now, or null. */
  near(x, y) {
    if (this.nodes > many) return this.under(x, y);
    if (!this.on) return null;
    let best = null, least = near, step = null;
    for (const one of this.now()) {
      for (const [u, v] of one.links) {
        for (const q of [0.2, 0.35, 0.5, 0.65, 0.8]) {
          const [px, py] = along(this.on, u, v, q), d = Math.hypot(px - x, py - y);
          if (d < least) { least = d; best = [u, v]; step = one; }
        }
      }
    }
    if (!best) return null;
    return this.about(step, best);
  }

  /** The circuit next to a cell of the matrix. */
  under(x, y) {
    const [u, v] = (this.grid && pair(this.grid, x, y)) ?? [], wide = Math.ceil(3 / (this.grid?.cell ?? 1));
    let best = null, least = Infinity, step = null;
    for (const one of this.now()) for (const [a, b] of one.links) {
      const d = Math.max(Math.abs(a - u), Math.abs(b - v));
      if (d <= wide && d < least) { least = d; best = [a, b]; step = one; }
    }
    return best && this.about(step, best);
  }

  about(step, best) {
    const load = this.t >= step.traffic_ns ? step.loads.get(key(...best)) : undefined, frame = this.frame(step);
    return { from: best[0], to: best[1], text: `${best[0]} → ${best[1]}: ${load ? `busy ${percent(load.busy[frame])}, ${time(load.queue_ns[frame])} of work waits` : "idle"}` };
  }
}
