// GPUs in a circle on a canvas, and the circuits between them as arcs.

/** Sizes a canvas for the screen, and clears it. */
export function sized(canvas) {
  const dpr = Math.min(2, devicePixelRatio || 1), w = canvas.clientWidth, hgt = canvas.clientHeight;
  if (canvas.width !== Math.round(w * dpr) || canvas.height !== Math.round(hgt * dpr)) { canvas.width = Math.round(w * dpr); canvas.height = Math.round(hgt * dpr); }
  const g = canvas.getContext("2d");
  g.setTransform(dpr, 0, 0, dpr, 0, 0);
  g.clearRect(0, 0, w, hgt);
  return { g, w, h: hgt };
}

/** Does the same, and returns where GPUs are and how circuits bend. */
export function ring(canvas, nodes) {
  const { g, w, h } = sized(canvas);
  return { g, ...circle(nodes, w / 2, h / 2, Math.max(10, Math.min(w, h) / 2 - 26)) };
}

/** Where GPUs are in a circle, and how the circuits between them bend. */
export function circle(nodes, cx, cy, r) {
  const at = Array.from({ length: nodes }, (_, i) => {
    const a = (2 * Math.PI * i) / nodes - Math.PI / 2;
    return [cx + r * Math.cos(a), cy + r * Math.sin(a)];
  });
  // Bends towards the middle, long circuits more, and to the right, so that both directions are visible.
  const bend = (u, v) => {
    const [x1, y1] = at[u], [x2, y2] = at[v], k = 0.12, pull = Math.max(0.06, 0.25 * Math.min(1, Math.hypot(x2 - x1, y2 - y1) / r));
    return [(x1 + x2) / 2 + (cx - (x1 + x2) / 2) * pull + (y2 - y1) * k, (y1 + y2) / 2 + (cy - (y1 + y2) / 2) * pull - (x2 - x1) * k];
  };
  return { at, bend, r, size: Math.max(2, Math.min(11, (Math.PI * r) / nodes / 1.6)) };
}

/** The place at fraction q of a circuit. */
export function along({ at, bend }, u, v, q) {
  const [x1, y1] = at[u], [x2, y2] = at[v], [bx, by] = bend(u, v), p = 1 - q;
  return [p * p * x1 + 2 * p * q * bx + q * q * x2, p * p * y1 + 2 * p * q * by + q * q * y2];
}

/** The GPUs themselves, with their numbers if there is room. */
export function gpus({ g, at, size }, ink, panel) {
  g.fillStyle = ink;
  g.beginPath();
  for (const [x, y] of at) { g.moveTo(x + size, y); g.arc(x, y, size, 0, 7); }
  g.fill();
  if (size <= 8) return;
  g.fillStyle = panel;
  g.font = "10px system-ui";
  g.textAlign = "center";
  g.textBaseline = "middle";
  at.forEach(([x, y], i) => g.fillText(i, x, y));
}

/** An arrow at a place that points away from another. */
export function arrow(path, [x, y], [px, py], size) {
  const d = Math.hypot(x - px, y - py) || 1, dx = ((x - px) / d) * size, dy = ((y - py) / d) * size;
  path.moveTo(x + dx, y + dy);
  path.lineTo(x - dx - dy, y - dy + dx);
  path.lineTo(x - dx + dy, y - dy - dx);
  path.closePath();
}
