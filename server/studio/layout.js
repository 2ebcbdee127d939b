// Where GPUs are drawn, according to the structure of the plan. Islands are groups, tori and
// digits are grids, everything else is a circle.
import { circle } from "./ring.js";

/** The radices of a plan's structure, the slowest first: of a torus, or of the digits of its steps. */
function digits(plan) {
  const { nodes } = plan.fabric;
  for (const stage of plan.stages) {
    const named = /^(?:Torus|Mesh|Hamming|HyperX)\(([\d,]+)\)/.exec(stage.topology ?? "")?.[1].split(",").map(Number);
    for (const dims of [named, ...stage.steps.map((s) => s.symmetry?.dims)]) {
      const whole = dims?.filter((d) => d > 1);
      if (whole?.length > 1 && whole.reduce((a, b) => a * b) === nodes) return whole;
    }
  }
  return null;
}

/** The ways to draw a plan, the best first: [key, words]. */
export function ways(plan) {
  const { nodes, island } = plan.fabric, list = [];
  if (nodes > 64) list.push(["matrix", "matrix"]);
  if (island?.size > 1 && nodes > island.size && nodes % island.size === 0) list.push(["groups", "islands"]);
  const dims = digits(plan), square = dims && nodes > 16 && Math.min(dims.at(-1), dims.at(-2)) >= 4;
  if (square) list.push(["grid", "grid"]);
  list.push(["circle", "circle"]);
  if (dims && !square) list.push(["grid", "grid"]);
  if (nodes <= 64) list.push(["matrix", "matrix"]);
  return list;
}

/** Where GPUs are in a picture of a width and height, and how circuits bend. */
export function place(way, plan, w, h) {
  const { nodes } = plan.fabric;
  if (way === "groups") return groups(nodes, plan.fabric.island.size, w, h);
  if (way === "grid") return lattice(nodes, digits(plan), w, h);
  return { ...circle(nodes, w / 2, h / 2, Math.max(10, Math.min(w, h) / 2 - 26)), groups: [] };
}

/** Rows and columns; further dimensions are blocks beside each other. The two directions of a circuit bend apart. */
function lattice(nodes, dims, w, h) {
  const columns = dims.at(-1), rows = dims.at(-2), blocks = nodes / (columns * rows);
  const across = Math.max(1, Math.round(Math.sqrt((blocks * rows * w) / (columns * h)))), down = Math.ceil(blocks / across), gap = blocks > 1 ? 1 : 0;
  const cell = Math.min((w - 30) / (across * (columns + gap)), (h - 30) / (down * (rows + gap)));
  const left = (w - cell * (across * (columns + gap) - gap - 1)) / 2, top = (h - cell * (down * (rows + gap) - gap - 1)) / 2;
  const at = Array.from({ length: nodes }, (_, i) => {
    const block = Math.floor(i / (columns * rows)), inside = i % (columns * rows);
    return [left + cell * ((block % across) * (columns + gap) + (inside % columns)), top + cell * (Math.floor(block / across) * (rows + gap) + Math.floor(inside / columns))];
  });
  const bend = (u, v) => {
    const [x1, y1] = at[u], [x2, y2] = at[v], far = Math.hypot(x2 - x1, y2 - y1) > 1.6 * cell ? 0.22 : 0.14;
    return [(x1 + x2) / 2 + (y2 - y1) * far, (y1 + y2) / 2 - (x2 - x1) * far];
  };
  return { at, bend, r: Math.min(w, h) / 2, size: Math.max(1.5, Math.min(11, cell / 3.4)), groups: [] };
}

/** Islands in a circle, each a circle; circuits between islands run together through the middle. */
function groups(nodes, size, w, h) {
  const count = nodes / size, rx = w / 2 - 20, ry = h / 2 - 20, small = Math.min((Math.PI * Math.min(rx, ry)) / count / 1.35, Math.min(rx, ry) * 0.36);
  const centre = Array.from({ length: count }, (_, k) => {
    const a = (2 * Math.PI * k) / count - Math.PI / 2;
    return [w / 2 + (Math.min(rx, ry * 1.5) - small) * Math.cos(a), h / 2 + (ry - small) * Math.sin(a)];
  });
  const at = Array.from({ length: nodes }, (_, i) => {
    const [x, y] = centre[Math.floor(i / size)], a = (2 * Math.PI * (i % size)) / size - Math.PI / 2, r = small * 0.72;
    return [x + r * Math.cos(a), y + r * Math.sin(a)];
  });
  const bend = (u, v) => {
    const [x1, y1] = at[u], [x2, y2] = at[v], mx = (x1 + x2) / 2, my = (y1 + y2) / 2, same = Math.floor(u / size) === Math.floor(v / size), pull = same ? 0 : 0.55, side = same ? 0.16 : 0.08;
    return [mx + (w / 2 - mx) * pull + (y2 - y1) * side, my + (h / 2 - my) * pull - (x2 - x1) * side];
  };
  return { at, bend, r: Math.min(rx, ry), size: Math.max(1.5, Math.min(10, (Math.PI * small * 0.72) / size / 1.5)), groups: centre.map(([x, y], k) => ({ x, y, r: small, label: `island ${k}` })) };
}

/** The same places, seen closer: k times as large, moved by x and y. */
export function closer(on, { k, x, y }, w, h) {
  if (k === 1 && !x && !y) return on;
  const to = ([a, b]) => [(a - w / 2) * k + w / 2 + x, (b - h / 2) * k + h / 2 + y];
  return { ...on, at: on.at.map(to), bend: (u, v) => to(on.bend(u, v)), size: Math.min(14, on.size * Math.sqrt(k)), groups: on.groups.map((c) => { const [a, b] = to([c.x, c.y]); return { ...c, x: a, y: b, r: c.r * k }; }) };
}
