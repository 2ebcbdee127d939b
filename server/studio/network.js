// The circuits of a plan, drawn for every moment: link loads and moving chunks. Canvas, so
// that 256 GPUs stay within a frame.
import { colors, time } from "./dom.js";
import { along, gpus, ring } from "./ring.js";

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
          routes.push({ path: r.path, reduce: t.action !== "copy" });
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

  /** What is on: of planes that do not wait for one another, several at once. */
  on() {
    const now = this.scenes.filter((x) => x.from <= this.t && this.t < x.to);
    return now.length ? now : [this.scenes.findLast((x) => x.from <= this.t) ?? this.scenes[0]];
  }

  /** Draws the moment t. */
  draw(t = this.t) {
    this.t = t;
    const on = ring(this.canvas, this.nodes), scenes = this.on(), color = colors();
    for (const scene of scenes) this.paint(on, scene, color);
    for (const scene of scenes) if (!scene.dark) this.chunks(on, scene, color);
    gpus(on, color.ink, color.panel);
    this.tell(scenes.map((x) => x.text).join("; "));
    return `${time(t)} of ${time(this.total)}`;
  }

  /** The circuits of a scene, the darker the busier. */
  paint({ g, at, bend }, scene, color) {
    const buckets = Array.from({ length: shades + 1 }, () => new Path2D());
    for (const [u, v] of scene.links) {
      const load = scene.most ? (scene.loads.get(u * 65536 + v) || 0) / scene.most : 0;
      const path = buckets[load > 0 ? Math.max(1, Math.ceil(load * shades)) : 0], [bx, by] = bend(u, v);
      path.moveTo(...at[u]);
      path.quadraticCurveTo(bx, by, ...at[v]);
    }
    g.setLineDash(scene.dark ? [4, 5] : []);
    buckets.forEach((path, i) => {
      g.strokeStyle = scene.dark ? color.dark : i ? color.transmission : color.line;
      g.globalAlpha = i ? 0.25 + (0.75 * i) / shades : 1;
      g.lineWidth = (i ? 1 + (2.5 * i) / shades : 1) * (this.nodes > 64 ? 0.6 : 1);
      g.stroke(path);
    });
    g.setLineDash([]);
    g.globalAlpha = 1;
  }

  /** Chunks on their way: a route of several hops is gone along at an even pace. */
  chunks(on, scene, color) {
    const f = Math.min(1, Math.max(0, (this.t - scene.from) / (scene.to - scene.from)));
    const marks = { true: new Path2D(), false: new Path2D() }, dot = this.nodes > 64 ? 1.8 : 3.6;
    for (const { path, reduce } of scene.routes) {
      const hops = path.length - 1, gone = f * hops, k = Math.min(hops - 1, Math.floor(gone));
      const [x, y] = along(on, path[k], path[k + 1], gone - k);
      marks[reduce].moveTo(x + dot, y);
      marks[reduce].arc(x, y, dot, 0, 7);
    }
    on.g.fillStyle = color.dark;
    on.g.fill(marks.true);
    on.g.fillStyle = color.propagation;
    on.g.fill(marks.false);
  }
}
