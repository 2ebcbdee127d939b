// Circuits from top to bottom, time from left to right: how busy each circuit is, or what waits for it.
import { colors, h, time } from "./dom.js";
import { moments } from "./timeline.js";

const most = 40; // circuits with a row at once

/** Returns the element, and functions that show a kind ("busy" or "queue") and move the cursor. */
export function carpet(film, width) {
  const sums = new Map();
  for (const step of film.steps) {
    for (const l of step.links) {
      const id = `${l.from} → ${l.to}`, one = sums.get(id) ?? { id, ends: [l.from, l.to], busy: 0, parts: [] };
      one.busy += (l.busy.reduce((a, b) => a + b, 0) / step.frames) * (step.end_ns - step.traffic_ns);
      one.parts.push([step, l]);
      sums.set(id, one);
    }
  }
  const all = [...sums.values()].sort((a, b) => b.busy - a.busy || a.id.localeCompare(b.id, "en", { numeric: true }));
  let chosen = all, from = 0, rows = all.slice(0, most);
  const tall = all.length > 20 ? 10 : 14, left = 66, height = rows.length * tall + 22, total = film.completion_ns;
  const longest = Math.max(1, ...film.steps.flatMap((s) => s.links.map((l) => Math.max(...l.queue_ns))));
  const canvas = h("canvas", { class: "carpet", role: "img" });
  const x = (t) => left + ((width - left - 6) * t) / total;
  let picture = null, kind = "busy", cursor = 0;
  const said = () => (chosen.length === 0 ? "no circuits" : chosen.length <= most ? `${chosen === all ? "all" : "these"} ${chosen.length} circuits` : `circuits ${from + 1} to ${from + rows.length} of ${chosen.length}, the busiest first`);
  const paint = () => {
    const color = colors(), dpr = Math.min(2, devicePixelRatio || 1);
    canvas.width = width * dpr;
    canvas.height = height * dpr;
    canvas.style.height = `${height}px`;
    canvas.setAttribute("aria-label", `${kind === "busy" ? "How busy" : "What waits for"} ${said()} over ${time(total)}; the table below has the figures`);
    picture = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
    const g = picture.getContext("2d"), whole = (px) => Math.round(px * dpr) / dpr;
    g.scale(dpr, dpr);
    g.font = `${Math.min(11, tall - 1)}px system-ui`;
    g.textBaseline = "middle";
    rows.forEach((row, i) => {
      const y = i * tall;
      g.globalAlpha = 1;
      g.fillStyle = color.dim;
      g.fillRect(left, y, width - left - 6, tall - 1);
      g.fillStyle = color.soft;
      g.textAlign = "right";
      g.fillText(row.id, left - 8, y + tall / 2);
      g.fillStyle = kind === "busy" ? color.transmission : color.startup;
      for (const [step, l] of row.parts) {
        const each = (step.end_ns - step.traffic_ns) / step.frames;
        for (let k = 0; k < step.frames; k++) {
          const part = kind === "busy" ? l.busy[k] : Math.sqrt(l.queue_ns[k] / longest);
          if (part <= 0) continue;
          g.globalAlpha = 0.15 + 0.85 * Math.min(1, part);
          const from = whole(x(step.traffic_ns + k * each)), to = whole(x(step.traffic_ns + (k + 1) * each)); // whole pixels leave no seams
          g.fillRect(from, y, Math.max(1 / dpr, to - from), tall - 1);
        }
      }
    });
    g.globalAlpha = 0.9;
    g.fillStyle = color.dark;
    for (const s of film.steps) if (s.dark_ns > 0) g.fillRect(x(s.start_ns), rows.length * tall, Math.max(1, x(s.start_ns + s.dark_ns) - x(s.start_ns)), 4);
    g.globalAlpha = 1;
    g.fillStyle = color.soft;
    g.textAlign = "center";
    for (const t of moments(0, total, width < 560 ? 3 : 8)) g.fillText(t ? time(t) : "0", Math.min(width - 24, x(t)), height - 7);
  };
  const move = (t) => {
    cursor = t;
    const g = canvas.getContext("2d"), dpr = canvas.width / width;
    g.clearRect(0, 0, canvas.width, canvas.height);
    g.drawImage(picture, 0, 0);
    g.fillStyle = colors().ink;
    g.fillRect(x(t) * dpr, 0, 1.5 * dpr, (rows.length * tall + 4) * dpr);
  };
  paint();
  return {
    element: canvas, longest, move, said, more: all.length > most,
    show: (to) => { kind = to; paint(); move(cursor); },
    /** Shows other circuits: some pages further, of one GPU or, for "", of all GPUs. */
    turn: (pages, gpu) => {
      chosen = gpu === "" ? all : all.filter((r) => r.ends.includes(Number(gpu)));
      from = pages === 0 ? 0 : Math.max(0, Math.min(from + pages * most, Math.floor((chosen.length - 1) / most) * most));
      rows = chosen.slice(from, from + most);
      paint();
      move(cursor);
    },
    at: (px) => ((px - left) / (width - left - 6)) * total,
  };
}
