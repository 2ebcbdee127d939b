// The circuits of a plan, drawn for every moment: link loads and moving chunks. Canvas, so
// that 256 GPUs stay within a frame.
import { css, time } from "./dom.js";

const shades = 6; // loads are drawn in so many colours, each as one path

/** What is drawn of each step: loads of links in bytes, and routes. */
function prepare(plan) {
  const scenes = [];
  plan.stages.forEach((stage, i) => {
    const links = stage.links.map(([u, v]) => [u, v]);
    if (stage.reconfiguration_ns > 0) scenes.push({ from: stage.start_ns, to: stage.start_ns + stage.reconfiguration_ns, links, dark: true, text: `Dark: the switch sets ${stage.topology || `stage ${i + 1}`}`, routes: [], loads: new Map(), most: 0 });
    for (const step of stage.steps) {
      const loads = new Map(), routes = [];
      for (const t of step.transfers) {
        for (const r of t.routes) {
          const carried = t.bytes * r.share;
          routes.push({ path: r.path, reduce: t.action === "reduce" });
          for (let k = 0; k + 1 < r.path.length; k++) {
            const key = r.path[k] * 65536 + r.path[k + 1];
            loads.set(key, (loads.get(key) || 0) + carried);
          }
        }
      }
      scenes.push({ from: step.start_ns, to: step.start_ns + step.total_ns, links, loads, routes, most: Math.max(0, ...loads.values()), text: `Step ${step.index} on ${stage.topology || `stage ${i + 1}`}, ${step.transfers.length} transfers` });
    }
  });
  return scenes;
}

export class Network {
  constructor(canvas, plan, tell) {
    this.canvas = canvas;
    this.tell = tell;
    this.nodes = plan.fabric.nodes;
    this.total = plan.cost_ns.total;
    this.scenes = prepare(plan);
    this.t = 0;
  }

  scene() {
    return this.scenes.findLast((x) => x.from <= this.t) ?? this.scenes[0];
  }

  place(i, cx, cy, r) {
    const a = (2 * Math.PI * i) / this.nodes - Math.PI / 2;
    return [cx + r * Math.cos(a), cy + r * Math.sin(a)];
  }

  /** Draws the moment t. */
  draw(t = this.t) {
    this.t = t;
    const c = this.canvas, dpr = Math.min(2, devicePixelRatio || 1), w = c.clientWidth, hgt = c.clientHeight;
    if (c.width !== Math.round(w * dpr)) { c.width = Math.round(w * dpr); c.height = Math.round(hgt * dpr); }
    const g = c.getContext("2d");
    g.setTransform(dpr, 0, 0, dpr, 0, 0);
    g.clearRect(0, 0, w, hgt);
    const scene = this.scene(), cx = w / 2, cy = hgt / 2, r = Math.min(w, hgt) / 2 - 26;
    const at = Array.from({ length: this.nodes }, (_, i) => this.place(i, cx, cy, r));
    // Bends towards the middle, to the right of the way, so that both ways can be seen.
    const bend = (u, v) => {
      const [x1, y1] = at[u], [x2, y2] = at[v], k = 0.12;
      return [(x1 + x2) / 2 + (cx - (x1 + x2) / 2) * 0.25 + (y2 - y1) * k, (y1 + y2) / 2 + (cy - (y1 + y2) / 2) * 0.25 - (x2 - x1) * k];
    };
    const buckets = Array.from({ length: shades + 1 }, () => new Path2D());
    for (const [u, v] of scene.links) {
      const load = scene.most ? (scene.loads.get(u * 65536 + v) || 0) / scene.most : 0;
      const path = buckets[load > 0 ? Math.max(1, Math.ceil(load * shades)) : 0], [bx, by] = bend(u, v);
      path.moveTo(...at[u]);
      path.quadraticCurveTo(bx, by, ...at[v]);
    }
    g.setLineDash(scene.dark ? [4, 5] : []);
    buckets.forEach((path, i) => {
      g.strokeStyle = scene.dark ? css("--dark") : i ? css("--transmission") : css("--line");
      g.globalAlpha = i ? 0.25 + (0.75 * i) / shades : 1;
      g.lineWidth = (i ? 1 + (2.5 * i) / shades : 1) * (this.nodes > 64 ? 0.6 : 1);
      g.stroke(path);
    });
    g.setLineDash([]);
    g.globalAlpha = 1;
    if (!scene.dark) this.chunks(g, scene, at, bend);
    const size = Math.max(2, Math.min(11, (Math.PI * r) / this.nodes / 1.6));
    g.fillStyle = css("--ink");
    for (const [x, y] of at) { g.beginPath(); g.arc(x, y, size, 0, 7); g.fill(); }
    if (size > 8) {
      g.fillStyle = css("--panel");
      g.font = "10px system-ui";
      g.textAlign = "center";
      g.textBaseline = "middle";
      at.forEach(([x, y], i) => g.fillText(i, x, y));
    }
    this.tell(`${scene.text}`, `${time(t)} of ${time(this.total)}`);
  }

  /** Chunks on their way: a route of several hops is gone along at an even pace. */
  chunks(g, scene, at, bend) {
    const f = Math.min(1, Math.max(0, (this.t - scene.from) / (scene.to - scene.from)));
    const marks = { true: new Path2D(), false: new Path2D() }, dot = this.nodes > 64 ? 1.8 : 3.6;
    for (const { path, reduce } of scene.routes) {
      const hops = path.length - 1, along = f * hops, k = Math.min(hops - 1, Math.floor(along)), q = along - k, p = 1 - q;
      const [x1, y1] = at[path[k]], [x2, y2] = at[path[k + 1]], [bx, by] = bend(path[k], path[k + 1]);
      const x = p * p * x1 + 2 * p * q * bx + q * q * x2, y = p * p * y1 + 2 * p * q * by + q * q * y2;
      marks[reduce].moveTo(x + dot, y);
      marks[reduce].arc(x, y, dot, 0, 7);
    }
    g.fillStyle = css("--dark");
    g.fill(marks.true);
    g.fillStyle = css("--propagation");
    g.fill(marks.false);
  }
}
