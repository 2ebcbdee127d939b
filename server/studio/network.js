// The circuits of a plan, drawn for every moment: which ones carry data, how much, which way,
// and the chunks on them. Canvas, and what does not change within a step is kept: 256 GPUs stay
// within a frame.
import { bytes, colors, percent, time } from "./dom.js";
import { closer, place, ways } from "./layout.js";
import { centred, frame, matrix, middle, pair } from "./matrix.js";
import { along, arrow, gpus, sized } from "./ring.js";

const shades = 6; // colours for loads, each drawn as one path
const near = 14; // pixels within which a circuit counts as hit
const key = (u, v) => u * 65536 + v;
const ends = (k) => [Math.floor(k / 65536), k % 65536];

/** The drawing data of each step: loads of links in bytes, and routes. */
function prepare(plan) {
  const scenes = [];
  plan.stages.forEach((stage, i) => {
    const links = stage.links.map(([u, v, n = 1]) => [u, v, n]), name = stage.topology || `stage ${i + 1}`;
    if (stage.reconfiguration_ns > 0) scenes.push(sorted({ from: stage.start_ns, to: stage.start_ns + stage.reconfiguration_ns, links, dark: true, text: `Dark: the switch sets ${name}`, routes: [], loads: new Map(), most: 0 }));
    for (const step of stage.steps) {
      const loads = new Map(), routes = [];
      for (const t of step.transfers) {
        for (const r of t.routes) {
          const carried = t.bytes * r.share;
          routes.push({ path: r.path, reduce: t.action !== "copy" });
          for (let k = 0; k + 1 < r.path.length; k++) {
            const at = key(r.path[k], r.path[k + 1]);
            loads.set(at, (loads.get(at) || 0) + carried);
          }
        }
      }
      let most = 0;
      for (const v of loads.values()) most = Math.max(most, v);
      scenes.push(sorted({ from: step.start_ns, moves: step.start_ns + (step.startup_ns || 0), to: step.start_ns + step.total_ns, links, loads, routes, most, text: `Step ${step.index} on ${name}: ${step.transfers.length} transfers over ${carriers(links, loads)}` }));
    }
  });
  return scenes;
}

/** How many circuits carry data; data within islands, or over links that are always up, needs none. */
function carriers(links, loads) {
  const lit = links.filter(([u, v]) => loads.has(key(u, v))).length, others = loads.size - lit;
  return `${lit} of ${links.length} circuits${others ? ` and ${others} ${others === 1 ? "link" : "links"} that ${others === 1 ? "needs" : "need"} no circuit` : ""}`;
}

/** Circuits by load: idle, or one of the shades; u, v, u, v, .. */
function sorted(scene) {
  scene.idle = [];
  scene.buckets = Array.from({ length: shades }, () => []);
  for (const [u, v] of scene.links) if (!scene.loads.has(key(u, v))) scene.idle.push(u, v);
  for (const [k, load] of scene.loads) scene.buckets[Math.max(0, Math.ceil((load / scene.most) * shades) - 1)].push(...ends(k));
  return scene;
}

export class Network {
  constructor(canvas, plan, tell) {
    Object.assign(this, { canvas, plan, tell, nodes: plan.fabric.nodes, total: plan.cost_ns.total, scenes: prepare(plan), t: 0, zoom: { k: 1, x: 0, y: 0 }, ways: ways(plan) });
    this.way = this.ways[0][0];
    this.idle = this.nodes <= 32; // whether idle circuits are drawn
  }

  /** The current steps: several at once if planes do not wait for one another. */
  on() {
    const now = this.scenes.filter((x) => x.from <= this.t && this.t < x.to);
    return now.length ? now : [this.scenes.findLast((x) => x.from <= this.t) ?? this.scenes[0]];
  }

  /** Zooms by a factor about a place, by default the middle; in a matrix about the circuit next to it, so that there is one to be seen. */
  scale(by, px, py) {
    const k = Math.min(64, Math.max(1, this.zoom.k * by)), f = k / this.zoom.k, w = this.canvas.clientWidth, h = this.canvas.clientHeight, x = (px ?? w / 2) - w / 2, y = (py ?? h / 2) - h / 2;
    const next = this.way === "matrix" && px === undefined && by > 1 && middle(this.grid, this.on().flatMap((scene) => [...scene.buckets, scene.idle]));
    if (next) this.zoom = centred(this.grid, next, k);
    else this.zoom = k === 1 ? { k, x: 0, y: 0 } : { k, x: x - (x - this.zoom.x) * f, y: y - (y - this.zoom.y) * f };
    this.draw();
  }

  shift(dx, dy) {
    if (this.zoom.k === 1) return;
    this.zoom = { ...this.zoom, x: this.zoom.x + dx, y: this.zoom.y + dy };
    this.draw();
  }

  /** Draws the moment t. */
  draw(t = this.t) {
    this.t = t;
    const { g, w, h } = sized(this.canvas), scenes = this.on(), color = colors();
    if (this.way === "matrix") {
      const night = document.documentElement.dataset.theme === "dark";
      this.grid = frame(this.nodes, w, h, this.zoom);
      matrix(g, this.grid, scenes.map((scene) => ({ scene, done: this.done(scene) })), { ...color, lit: night ? "#141a22" : "#fafbfd", idle: color.line }, this.plan.fabric.island?.size ?? 0);
    } else {
      const at = `${this.way} ${w} ${h} ${this.zoom.k} ${this.zoom.x} ${this.zoom.y}`;
      if (this.at !== at) { this.at = at; this.places = closer(place(this.way, this.plan, w, h), this.zoom, w, h); }
      const on = { ...this.places, g };
      this.islands(on, color);
      for (const scene of scenes) this.paint(on, scene, color);
      for (const scene of scenes) if (!scene.dark) this.chunks(on, scene, color);
      gpus(on, color.ink, color.panel);
    }
    this.tell(scenes.map((x) => x.text).join("; "));
    return `${time(t)} of ${time(this.total)}`;
  }

  done(scene) { return scene.dark ? 0 : Math.min(1, Math.max(0, (this.t - scene.moves) / (scene.to - scene.moves || 1))); }

  islands({ g, groups }, color) {
    g.strokeStyle = color.line;
    g.fillStyle = color.dim;
    g.lineWidth = 1;
    for (const { x, y, r } of groups) {
      g.beginPath();
      g.arc(x, y, r, 0, 7);
      g.globalAlpha = 0.5;
      g.fill();
      g.globalAlpha = 1;
      g.stroke();
    }
  }

  /** The circuits of a scene, the darker the busier, with arrows where these can be seen. */
  paint(on, scene, color) {
    const { g } = on, thin = this.nodes > 64 && this.zoom.k < 3;
    if (scene.lines?.at !== this.at) scene.lines = { at: this.at, idle: arcs(on, scene.idle, false), loads: scene.buckets.map((b) => arcs(on, b, !thin)) };
    if (scene.dark || this.idle) {
      g.setLineDash(scene.dark ? [4, 5] : []);
      g.strokeStyle = scene.dark ? color.dark : color.line;
      g.lineWidth = thin ? 0.6 : 1;
      g.stroke(scene.lines.idle.lines);
      g.setLineDash([]);
    }
    g.strokeStyle = g.fillStyle = color.transmission;
    scene.lines.loads.forEach(({ lines, heads }, i) => {
      g.globalAlpha = 0.3 + (0.6 * (i + 1)) / shades;
      g.lineWidth = (1 + (1.6 * (i + 1)) / shades) * (thin ? 0.5 : 1);
      g.stroke(lines);
      if (heads) g.fill(heads);
    });
    g.globalAlpha = 1;
  }

  /** Chunks in transit, which move along routes of several hops at an even pace. */
  chunks(on, scene, color) {
    const f = this.done(scene), dot = Math.max(2, Math.min(5.5, on.size * 0.62)), marks = { true: new Path2D(), false: new Path2D() };
    for (const { path, reduce } of scene.routes) {
      const hops = path.length - 1, gone = f * hops, k = Math.min(hops - 1, Math.floor(gone));
      const [x, y] = along(on, path[k], path[k + 1], gone - k);
      marks[reduce].moveTo(x + dot, y);
      marks[reduce].arc(x, y, dot, 0, 7);
    }
    const { g } = on;
    g.strokeStyle = color.panel;
    g.lineWidth = 1.5;
    for (const [reduce, fill] of [[true, color.dark], [false, color.propagation]]) {
      g.fillStyle = fill;
      if (dot > 2.5) g.stroke(marks[reduce]); // an edge that sets them off from their circuit
      g.fill(marks[reduce]);
    }
  }

  /** What is at a place of the canvas, in words, or "". */
  near(x, y) {
    const say = (scene, u, v) => `GPU ${u} → ${v}: ${scene.loads.has(key(u, v)) ? `${bytes(scene.loads.get(key(u, v)))}, ${percent(scene.loads.get(key(u, v)) / scene.most)} of the busiest` : "a circuit that carries nothing now"}`;
    const scenes = this.on();
    if (this.way === "matrix") {
      const [u, v] = pair(this.grid, x, y) ?? [];
      if (u === undefined) return "";
      const wide = Math.ceil(2 / this.grid.cell) * (this.grid.cell < 3 ? 1 : 0); // pixels that stand for several pairs
      for (const scene of scenes) for (let i = u - wide; i <= u + wide; i++) for (let j = v - wide; j <= v + wide; j++) if (scene.loads.has(key(i, j))) return say(scene, i, j);
      return `GPU ${u} → ${v}: no circuit that carries something`;
    }
    if (!this.places || this.nodes > 512) return "";
    let best = "", least = near;
    for (const scene of scenes) {
      const look = (u, v) => {
        for (const q of [0.2, 0.35, 0.5, 0.65, 0.8]) {
          const [px, py] = along(this.places, u, v, q), d = Math.hypot(px - x, py - y);
          if (d < least) { least = d; best = say(scene, u, v); }
        }
      };
      for (const k of scene.loads.keys()) look(...ends(k));
      if (this.idle) for (let i = 0; i < scene.idle.length; i += 2) look(scene.idle[i], scene.idle[i + 1]);
    }
    return best;
  }
}

/** Arcs of circuits as one path, and arrows on them as another. */
function arcs(on, pairs, arrows) {
  const lines = new Path2D(), heads = arrows ? new Path2D() : null, size = Math.max(2.6, Math.min(6, on.size * 0.6));
  for (let i = 0; i < pairs.length; i += 2) {
    const u = pairs[i], v = pairs[i + 1], [bx, by] = on.bend(u, v);
    lines.moveTo(...on.at[u]);
    lines.quadraticCurveTo(bx, by, ...on.at[v]);
    if (heads) arrow(heads, along(on, u, v, 0.64), along(on, u, v, 0.6), size);
  }
  return { lines, heads };
}
