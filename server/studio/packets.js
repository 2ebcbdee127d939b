// A simulation on the circuits: packets on their way, how busy each circuit is and what waits
// for it, at every moment. Canvas, so that 256 GPUs stay within a frame.
import { colors, percent, time } from "./dom.js";
import { along, gpus, ring } from "./ring.js";

const shades = 6; // of busy circuits, each as one path
const abreast = 9; // packets that are drawn on one circuit; of more, every second or third
const near = 16; // pixels within which a circuit is meant
const key = (u, v) => u * 65536 + v;

/** The steps of a film with the circuits that are up in them. */
function prepare(plan, film) {
  const stages = plan.stages.flatMap((stage, i) => stage.steps.map(() => ({ links: stage.links.map(([u, v]) => [u, v]), name: stage.topology || `stage ${i + 1}` })));
  return film.steps.map((step, i) => ({ ...step, ...stages[i], loads: new Map(step.links.map((l) => [key(l.from, l.to), l])) }));
}

export class Packets {
  /** tell(text) is given what the moment is. */
  constructor(canvas, plan, film, tell) {
    Object.assign(this, { canvas, tell, film, nodes: plan.fabric.nodes, total: film.completion_ns, steps: prepare(plan, film), t: 0, failure: null, over: null });
    this.longest = Math.max(1, ...this.steps.flatMap((s) => [...s.loads.values()].map((l) => Math.max(...l.queue_ns))));
  }

  /** {from, to, at, step, lost}: circuits both ways that fail, and the step that never ends. */
  fail(failure) { this.failure = failure; }

  /** The steps that are on: of planes that do not wait for one another, several at once. */
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
    const on = (this.on = ring(this.canvas, this.nodes)), { g, at, bend } = on, color = colors();
    const f = this.failure, stuck = f?.step && t >= this.steps[f.step - 1].end_ns, steps = stuck ? [this.steps[f.step - 1]] : this.now();
    const isDark = (step) => t < step.start_ns + step.dark_ns, isBusy = (step) => !isDark(step) && !stuck && t >= step.traffic_ns;
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

  words(step, dark, busy, stuck) {
    if (stuck) return `Step ${step.index} never ends: what was to come over the circuits between ${this.failure.from} and ${this.failure.to} does not.`;
    if (dark) return `Dark: the switch sets ${step.name}`;
    if (!busy) return `Step ${step.index} on ${step.name}: start-up`;
    return `Step ${step.index} on ${step.name}${step.trains ? "" : ": too many packets to draw, so circuits are only shaded by how busy they are"}`;
  }

  packets({ g, at, bend }, step, color) {
    const { t } = this, delta = this.film.delta_ns, dot = this.nodes > 64 ? 2.4 : 6, path = new Path2D(), f = this.failure;
    for (const [u, v, , n, start, gap, each] of step.trains ?? []) {
      const ends = start + (n - 1) * gap + each + delta;
      if (t < start || t > ends) continue;
      let first = 0, last = 0;
      if (n > 1) {
        first = Math.max(0, Math.ceil((t - start - each - delta) / gap));
        last = Math.min(n - 1, Math.floor((t - start) / gap));
      }
      const every = Math.max(1, Math.ceil((last - first + 1) / abreast)), broken = this.broken(u, v);
      const [x1, y1] = at[u], [x2, y2] = at[v], [bx, by] = bend(u, v);
      for (let i = Math.ceil(first / every) * every; i <= last; i += every) {
        if (broken && start + i * gap + each > f.at) continue; // it is lost
        const q = Math.min(1, (t - start - i * gap) / (each + delta || 1)), p = 1 - q;
        path.rect(p * p * x1 + 2 * p * q * bx + q * q * x2 - dot / 2, p * p * y1 + 2 * p * q * by + q * q * y2 - dot / 2, dot, dot);
      }
    }
    g.fillStyle = color.dark;
    g.fill(path);
  }

  /** The circuit next to a place on the canvas, with what it does now, or null. */
  near(x, y) {
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
    const load = this.t >= step.traffic_ns ? step.loads.get(key(...best)) : undefined, frame = this.frame(step);
    return { from: best[0], to: best[1], text: `${best[0]} → ${best[1]}: ${load ? `busy ${percent(load.busy[frame])}, ${time(load.queue_ns[frame])} of work waits` : "idle"}` };
  }
}
