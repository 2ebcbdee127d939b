// What a race is, and how one lane of it is drawn: the same function draws the page and the film.
import { along, arrow, circle } from "./ring.js";

/** The fastest plan of a lane for a delay, with its time. */
export function fastest(race, lane, size, delay) {
  let best = null;
  for (const line of race.lanes[lane][size]) {
    const total = line.fixed_ns + line.changes * delay;
    if (!best || total < best.total * (1 - 1e-12)) best = { ...line, total };
  }
  return { ...best, plan: race.plans[best.plan] };
}

/** A plan as a sequence of events: the switch is dark, or a step runs. */
export function parts(plan, delay) {
  const all = [];
  let t = 0, index = 0;
  plan.stages.forEach((stage, i) => {
    if (stage.dark) all.push({ dark: true, from: t, to: (t += delay), circuits: stage.circuits, before: plan.stages[i - 1]?.circuits, stage: i, index });
    for (const step of stage.steps) {
      index++;
      all.push({ from: t, moves: t + step.startup_ns, to: (t += step.total_ns), circuits: stage.circuits, routes: step.routes, stage: i, index });
    }
  });
  return all;
}

export const partAt = (all, t) => all.find((p) => t < p.to) ?? all.at(-1);

/** The colour of a GPU and of its chunks; all have the same brightness, so that a number on each is readable. */
export const hue = (i, nodes, dark) => `oklch(${dark ? "0.78 0.13" : "0.52 0.17"} ${(360 * i) / nodes + 20})`;

const loaded = new WeakMap(); // by routes: the circuits they take

function busy(routes) {
  let set = loaded.get(routes);
  if (!set) {
    set = new Set();
    for (const path of routes) for (let k = 0; k + 1 < path.length; k++) set.add(path[k] * 65536 + path[k + 1]);
    loaded.set(routes, set);
  }
  return set;
}

/** Arcs of circuits, with an arrow on each, as one path each. */
function arcs(on, circuits, chosen) {
  const lines = new Path2D(), heads = new Path2D(), size = Math.max(2.4, Math.min(5.5, on.r / 26));
  for (let i = 0; i < circuits.length; i += 2) {
    const u = circuits[i], v = circuits[i + 1];
    if (!chosen(u, v)) continue;
    const [bx, by] = on.bend(u, v);
    lines.moveTo(...on.at[u]);
    lines.quadraticCurveTo(bx, by, ...on.at[v]);
    arrow(heads, along(on, u, v, 0.6), along(on, u, v, 0.55), size);
  }
  return { lines, heads };
}

/** Draws a lane in a square at a moment. color: of the theme, with night for a dark one. */
export function paint(g, { x, y, side }, race, all, t, color) {
  const total = all.at(-1).to, over = t >= total, part = partAt(all, t), cx = x + side / 2, cy = y + side / 2, r = side / 2 - Math.max(9, side * 0.055);
  const on = circle(race.nodes, cx, cy, r), wide = Math.max(0.8, side / 260), dark = part.dark && !over;
  g.save();
  g.beginPath();
  g.arc(cx, cy, r, 0, 7);
  g.fillStyle = dark ? color.unlit : color.lit;
  g.fill();
  const circuits = race.circuits[part.circuits];
  if (dark) {
    // Old circuits fade out as new ones fade in.
    const f = (t - part.from) / (part.to - part.from || 1);
    g.lineWidth = wide * 1.2;
    g.setLineDash([3 * wide, 4 * wide]);
    g.strokeStyle = color.amber;
    for (const [which, strength] of [[part.before, 1 - f], [part.circuits, f]]) {
      if (which === undefined) continue;
      g.globalAlpha = 0.15 + 0.6 * strength;
      g.stroke(arcs(on, race.circuits[which], () => true).lines);
    }
    g.setLineDash([]);
    g.globalAlpha = 1;
    g.strokeStyle = color.amber;
    g.lineWidth = wide * 3.4;
    g.beginPath();
    g.arc(cx, cy, r, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * f);
    g.stroke();
    g.fillStyle = color.amber;
    g.font = `600 ${Math.max(10, side / 15)}px system-ui, sans-serif`;
    g.textAlign = "center";
    g.textBaseline = "middle";
    g.fillText("dark", cx, cy);
  } else {
    const routes = race.routes[part.routes], takes = busy(routes), idle = arcs(on, circuits, (u, v) => over || !takes.has(u * 65536 + v));
    g.strokeStyle = color.line;
    g.lineWidth = wide;
    g.stroke(idle.lines);
    if (!over) {
      const lit = arcs(on, circuits, (u, v) => takes.has(u * 65536 + v));
      g.strokeStyle = g.fillStyle = color.transmission;
      g.globalAlpha = 0.55;
      g.lineWidth = wide * 1.5;
      g.stroke(lit.lines);
      g.globalAlpha = 0.9;
      g.fill(lit.heads);
      g.globalAlpha = 1;
      chunks(g, on, race, routes, Math.max(0, (t - part.moves) / (part.to - part.moves || 1)), side, color);
    }
    if (over) {
      g.strokeStyle = color.propagation;
      g.lineWidth = wide * 3.4;
      g.beginPath();
      g.arc(cx, cy, r, 0, 7);
      g.stroke();
    }
  }
  const dot = Math.max(3, Math.min(12, (Math.PI * r) / race.nodes / 1.5));
  g.textAlign = "center";
  g.textBaseline = "middle";
  g.font = `600 ${Math.round(dot * 1.05)}px system-ui, sans-serif`;
  on.at.forEach(([gx, gy], i) => {
    g.fillStyle = hue(i, race.nodes, color.night);
    g.beginPath();
    g.arc(gx, gy, dot, 0, 7);
    g.fill();
    if (dot < 8) return;
    g.fillStyle = color.panel;
    g.fillText(i, gx, gy + 0.5);
  });
  g.restore();
}

/** Chunks in transit, with a tail; they move along routes of several hops at an even pace. */
function chunks(g, on, race, routes, f, side, color) {
  const crowd = routes.length > 3 * race.nodes, dot = Math.max(1.6, side / (crowd ? 130 : 74)), tail = 0.07;
  const at = (path, q) => {
    const hops = path.length - 1, gone = Math.min(1, Math.max(0, q)) * hops, k = Math.min(hops - 1, Math.floor(gone));
    return along(on, path[k], path[k + 1], gone - k);
  };
  const paths = new Map();
  for (const path of routes) {
    if (!paths.has(path[0])) paths.set(path[0], [new Path2D(), new Path2D()]);
    const [dots, tails] = paths.get(path[0]), [x, y] = at(path, f);
    dots.moveTo(x + dot, y);
    dots.arc(x, y, dot, 0, 7);
    if (f > 0 && !crowd) {
      tails.moveTo(...at(path, f - tail));
      tails.lineTo(x, y);
    }
  }
  g.lineCap = "round";
  g.lineWidth = dot * 1.5;
  for (const [from, [dots, tails]] of paths) {
    g.strokeStyle = g.fillStyle = hue(from, race.nodes, color.night);
    g.globalAlpha = 0.35;
    g.stroke(tails);
    g.globalAlpha = 1;
    g.fill(dots);
    if (!crowd) {
      g.strokeStyle = color.panel;
      g.lineWidth = 1;
      g.stroke(dots);
      g.lineWidth = dot * 1.5;
    }
  }
  g.globalAlpha = 1;
}
