// The circuits of a moment as a matrix: senders down, receivers across. It stays readable where a
// drawing of thousands of lines would not.
const left = 60, top = 30, edge = 10;

/** Where the matrix is on a canvas, for a zoom. */
export function frame(nodes, w, h, { k, x, y }) {
  const side = Math.max(40, Math.min(w - left - edge, h - top - edge)), x0 = Math.max(left, (w - side) / 2), cell = (side * k) / nodes;
  const limit = (v) => Math.min(0, Math.max(side - side * k, v - (side * (k - 1)) / 2));
  return { side, x0, y0: top, cell, dx: limit(x), dy: limit(y), nodes };
}

/** The first and the last visible GPU. */
const seen = (f, offset) => [Math.max(0, Math.floor(-offset / f.cell)), Math.min(f.nodes - 1, Math.ceil((f.side - offset) / f.cell))];

/** Numbers at round distances. */
function ticks(first, last, room) {
  const want = (last - first + 1) / Math.max(1, room), pitch = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096].find((p) => p >= want) ?? 8192, all = [];
  for (let i = Math.ceil(first / pitch) * pitch; i <= last; i += pitch) all.push(i);
  return all;
}

/** How to move a picture so that a pair is in its middle, for a zoom k. */
export function centred(f, [from, to], k) {
  const cell = (f.side * k) / f.nodes, at = (i) => f.side / 2 - (i + 0.5) * cell + (f.side * (k - 1)) / 2;
  return { k, x: at(to), y: at(from) };
}

/** The pair next to the middle of a picture, of lists u, v, u, v, ..; null if there is none. */
export function middle(f, lists) {
  const to = (f.side / 2 - f.dx) / f.cell - 0.5, from = (f.side / 2 - f.dy) / f.cell - 0.5;
  let best = null, least = Infinity;
  for (const pairs of lists) {
    for (let i = 0; i < pairs.length; i += 2) {
      const d = (pairs[i] - from) ** 2 + (pairs[i + 1] - to) ** 2;
      if (d < least) { least = d; best = [pairs[i], pairs[i + 1]]; }
    }
  }
  return best;
}

/** Cells of pairs as one path; if there are many, those outside the picture are left out. */
function cells(f, pairs) {
  let inside = 0;
  const path = new Path2D(), few = pairs.length < 8 * f.nodes, dot = Math.max(few ? 3 : 1.4, f.cell - (f.cell > 5 ? 1 : 0)), out = (v) => v < -dot || v > f.side;
  for (let i = 0; i < pairs.length; i += 2) {
    const x = pairs[i + 1] * f.cell + f.dx, y = pairs[i] * f.cell + f.dy;
    if (out(x) || out(y)) continue;
    inside++;
    path.rect(f.x0 + x, f.y0 + y, dot, dot);
  }
  return { path, inside };
}

/** Draws scenes: each has idle pairs and buckets of pairs by load, dark or a part done of it. */
export function matrix(g, f, scenes, color, bundle) {
  g.save();
  g.fillStyle = color.lit;
  g.fillRect(f.x0, f.y0, f.side, f.side);
  g.beginPath();
  g.rect(f.x0, f.y0, f.side, f.side);
  g.clip();
  if (bundle > 1 && bundle * f.cell > 7) { // islands
    g.strokeStyle = color.line;
    g.lineWidth = 1;
    g.beginPath();
    for (let i = bundle; i < f.nodes; i += bundle) {
      const at = i * f.cell - 0.5;
      g.moveTo(f.x0 + at + f.dx, f.y0);
      g.lineTo(f.x0 + at + f.dx, f.y0 + f.side);
      g.moveTo(f.x0, f.y0 + at + f.dy);
      g.lineTo(f.x0 + f.side, f.y0 + at + f.dy);
    }
    g.stroke();
  }
  let inside = 0;
  for (const { scene, done } of scenes) {
    const key = `${f.x0} ${f.side} ${f.cell} ${f.dx} ${f.dy}`;
    if (scene.cells?.key !== key) scene.cells = { key, idle: cells(f, scene.idle), loads: scene.buckets.map((b) => cells(f, b)) };
    g.fillStyle = scene.dark ? color.dark : color.idle;
    g.globalAlpha = scene.dark ? 0.7 : 1;
    g.fill(scene.cells.idle.path);
    inside += scene.cells.idle.inside;
    g.fillStyle = color.transmission;
    scene.cells.loads.forEach(({ path, inside: some }, i) => {
      inside += some;
      g.globalAlpha = (0.3 + (0.7 * (i + 1)) / scene.buckets.length) * (0.45 + 0.55 * done); // fuller as the step goes on
      g.fill(path);
    });
  }
  if (!inside) {
    g.globalAlpha = 1;
    g.fillStyle = color.soft;
    g.font = "14px system-ui, sans-serif";
    g.textAlign = "center";
    g.textBaseline = "middle";
    g.fillText("No circuits in this part now; ⤢ shows all.", f.x0 + f.side / 2, f.y0 + f.side / 2, f.side - 20);
  }
  g.restore();
  g.strokeStyle = color.line;
  g.strokeRect(f.x0 + 0.5, f.y0 + 0.5, f.side, f.side);
  g.fillStyle = color.soft;
  g.font = "12px system-ui, sans-serif";
  g.textBaseline = "middle";
  for (const i of ticks(...seen(f, f.dy), f.side / 26)) { g.textAlign = "right"; g.fillText(i, f.x0 - 5, f.y0 + (i + 0.5) * f.cell + f.dy); }
  for (const i of ticks(...seen(f, f.dx), f.side / 44)) { g.textAlign = "center"; g.fillText(i, f.x0 + (i + 0.5) * f.cell + f.dx, f.y0 - 8); }
  g.textAlign = "left";
  g.fillText("to →", f.x0, 8);
  g.save();
  g.translate(f.x0 - 50, f.y0 + 4);
  g.rotate(Math.PI / 2);
  g.fillText("from →", 0, 0);
  g.restore();
}

/** The pair under a place of the canvas. */
export function pair(f, x, y) {
  const to = Math.floor((x - f.x0 - f.dx) / f.cell), from = Math.floor((y - f.y0 - f.dy) / f.cell);
  return x < f.x0 || y < f.y0 || x > f.x0 + f.side || y > f.y0 + f.side || to >= f.nodes || from >= f.nodes ? null : [from, to];
}
