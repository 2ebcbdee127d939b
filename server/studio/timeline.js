// The plan over time: the stages with the dark time between them, the steps, and where the time goes.
import { h, s, time, bytes } from "./dom.js";

const parts = ["startup", "propagation", "transmission"];
const names = { startup: "Start-up", propagation: "Propagation", transmission: "Transmission", dark: "Reconfiguration (dark)" };

export function legend(keys = ["startup", "propagation", "transmission", "dark"]) {
  return h("ul", { class: "legend" }, keys.map((k) => h("li", {}, h("i", { class: `k-${k}` }), names[k])));
}

/** Every step of a plan with its stage, and the dark time before it. */
export function steps(summary) {
  return summary.stages.flatMap((stage, i) => stage.steps.map((step, k) => ({ ...step, stage: i, topology: stage.topology, dark_ns: k ? 0 : stage.reconfiguration_ns })));
}

/** One bar for the whole: where the time goes. */
export function shares(cost) {
  const all = [...parts, "reconfiguration"].map((k) => [k === "reconfiguration" ? "dark" : k, cost[k] || 0]);
  let x = 0;
  const bar = s("svg", { class: "draw", viewBox: "0 0 1000 28", preserveAspectRatio: "none", height: 28, role: "img",
    "aria-label": all.map(([k, v]) => `${names[k]} ${time(v)}`).join(", ") });
  for (const [k, v] of all) {
    const w = (1000 * v) / cost.total;
    if (w > 0) bar.append(s("rect", { x, y: 0, width: w, height: 28, class: `k-${k}` }, s("title", {}, `${names[k]} ${time(v)}`)));
    x += w;
  }
  return bar;
}

/** A stacked bar for each step. */
export function bars(summary, width) {
  const all = steps(summary), height = 180, left = 62, bottom = 22, gap = all.length > 60 ? 0 : 2;
  const most = Math.max(...all.map((t) => t.total_ns + t.dark_ns));
  const each = (width - left) / all.length, scale = (height - bottom - 8) / most;
  const g = s("svg", { class: "draw", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Time of each of ${all.length} steps; the longest takes ${time(most)}` });
  for (const f of [0, 0.5, 1]) {
    const y = height - bottom - f * most * scale;
    g.append(s("line", { class: "grid", x1: left, x2: width, y1: y, y2: y }), s("text", { class: "soft", x: left - 6, y: y + 4, "text-anchor": "end" }, time(f * most)));
  }
  all.forEach((t, i) => {
    let y = height - bottom;
    const column = s("g", {}, s("title", {}, `Step ${t.index} on ${t.topology}: ${time(t.total_ns)}${t.dark_ns ? `, after ${time(t.dark_ns)} dark` : ""}`));
    for (const [k, v] of [["dark", t.dark_ns], ...parts.map((p) => [p, t[`${p}_ns`]])]) {
      const tall = (v || 0) * scale;
      if (tall > 0) column.append(s("rect", { class: `k-${k}`, x: left + i * each + gap / 2, y: y -= tall, width: Math.max(0.5, each - gap), height: tall }));
    }
    if (each > 18 || i % Math.ceil(18 / each) === 0) column.append(s("text", { class: "soft", x: left + (i + 0.5) * each, y: height - 6, "text-anchor": "middle" }, t.index));
    g.append(column);
  });
  return g;
}

const shown = 16; // switches that have a row of their own

/**
 * Stages, the dark time of every switch, and steps over time; seek(ns) is called where it is
 * clicked. Switches are those that the service says go dark each by itself; before it has
 * answered, there is a row for all. Gives the picture and a function that moves its cursor.
 */
export function gantt(summary, width, seek, switches = []) {
  if (summary.independent) return planes(summary, width, seek);
  const total = summary.cost_ns.total, left = 74, right = 8, rows = Math.min(shown, Math.max(1, switches.length)), tall = rows > 4 ? 10 : 16, pitch = tall + 3;
  const dark = 42, top = dark + rows * pitch + 8, height = top + 58;
  const x = (t) => left + ((width - left - right) * Math.min(total, Math.max(0, t))) / total;
  const g = s("svg", { class: "draw", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${summary.stages.length} stages over ${time(total)}, ${summary.reconfigurations} reconfigurations` });
  const label = (y, text) => s("text", { class: "soft", x: 0, y }, text);
  g.append(label(27, "Circuits"), label(dark + 12, rows > 1 ? "Switches" : "Switch"), label(top + 17, "Steps"));
  const rect = (cls, from, to, y, high, title) => s("rect", { class: cls, x: x(from), y, width: Math.max(0.75, x(to) - x(from)), height: high }, s("title", {}, title));
  summary.stages.forEach((stage, i) => {
    const from = stage.start_ns, up = from + stage.reconfiguration_ns, to = summary.stages[i + 1]?.start_ns ?? total;
    if (stage.reconfiguration_ns > 0) g.append(rect("k-dark", from, up, 10, 26, `Nothing is sent for ${time(stage.reconfiguration_ns)}`));
    g.append(rect("k-stage", up, to, 10, 26, `Stage ${i + 1}: ${stage.topology}, ${time(to - up)}`));
    const room = x(to) - x(up), word = stage.topology || `stage ${i + 1}`;
    if (room > 7.2 * word.length + 8) g.append(s("text", { x: x(up) + 5, y: 27 }, word));
  });
  for (let i = 0; i < rows; i++) g.append(rect("k-lit", 0, total, dark + i * pitch, tall, `Switch ${i + 1}`));
  for (const t of steps(summary)) {
    let at = t.start_ns;
    for (const p of parts) {
      const d = t[`${p}_ns`] || 0;
      if (d > 0) g.append(rect(`k-${p}`, at, at + d, top, 26, `Step ${t.index}: ${names[p].toLowerCase()} ${time(d)}`));
      at += d;
    }
  }
  for (const f of width < 560 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]) g.append(s("text", { class: "soft", x: x(f * total), y: height - 8, "text-anchor": f === 0 ? "start" : f === 1 ? "end" : "middle" }, time(f * total)));
  const cursor = s("line", { class: "cursor", y1: 4, y2: top + 32, x1: left, x2: left });
  g.append(cursor);
  g.addEventListener("click", (e) => {
    const box = g.getBoundingClientRect(), px = ((e.clientX - box.left) * width) / box.width;
    seek(Math.min(total, Math.max(0, ((px - left) / (width - left - right)) * total)));
  });
  for (const one of switches.slice(0, shown)) {
    for (const d of one.dark) cursor.before(rect("k-dark", d.from_ns, d.until_ns, dark + one.index * pitch, tall, `Switch ${one.index + 1} sets ${d.circuits} circuits of stage ${d.stage}: dark for ${time(d.until_ns - d.from_ns)}`));
  }
  if (switches.length > shown) cursor.before(s("text", { class: "soft", x: left, y: top - 2 }, `and ${switches.length - shown} more switches`));
  return { svg: g, move: (t) => { cursor.setAttribute("x1", x(t)); cursor.setAttribute("x2", x(t)); } };
}

/** What every plane does, where these do not wait for one another: a row for each. */
function planes(summary, width, seek) {
  const total = summary.cost_ns.total, left = 74, right = 8, rows = summary.fabric.ports, tall = rows > 8 ? 12 : 26, pitch = tall + 4, top = 10, height = top + rows * pitch + 26;
  const x = (t) => left + ((width - left - right) * Math.min(total, Math.max(0, t))) / total;
  const g = s("svg", { class: "draw", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${summary.stages.length} turns of ${rows} planes over ${time(total)}, ${summary.reconfigurations} reconfigurations` });
  for (let k = 0; k < rows; k++) g.append(s("text", { class: "soft", x: 0, y: top + k * pitch + tall / 2 + 4 }, `Plane ${k + 1}`));
  for (const stage of summary.stages) {
    const y = top + stage.lanes.findIndex((lane) => lane.share > 0) * pitch, step = stage.steps[0];
    const rect = (cls, from, to, title) => to > from && g.append(s("rect", { class: cls, x: x(from), y, width: Math.max(0.75, x(to) - x(from)), height: tall }, s("title", {}, title)));
    rect("k-dark", stage.start_ns, step.start_ns, `The plane sets ${stage.topology}: dark for ${time(stage.reconfiguration_ns)}`);
    let at = step.start_ns;
    for (const p of parts) {
      rect(`k-${p}`, at, at + (step[`${p}_ns`] || 0), `Step ${step.index} on ${stage.topology}: ${names[p].toLowerCase()} ${time(step[`${p}_ns`] || 0)}`);
      at += step[`${p}_ns`] || 0;
    }
  }
  for (const f of width < 560 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]) g.append(s("text", { class: "soft", x: x(f * total), y: height - 8, "text-anchor": f === 0 ? "start" : f === 1 ? "end" : "middle" }, time(f * total)));
  const cursor = s("line", { class: "cursor", y1: 4, y2: top + rows * pitch, x1: left, x2: left });
  g.append(cursor);
  g.addEventListener("click", (e) => {
    const box = g.getBoundingClientRect(), px = ((e.clientX - box.left) * width) / box.width;
    seek(Math.min(total, Math.max(0, ((px - left) / (width - left - right)) * total)));
  });
  return { svg: g, move: (t) => { cursor.setAttribute("x1", x(t)); cursor.setAttribute("x2", x(t)); } };
}

export function table(summary) {
  const head = ["Step", "Topology", "Start", "Takes", "Start-up", "Propagation", "Transmission", "Hops", "Congestion"];
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of the steps" }, h("table", {},
    h("thead", {}, h("tr", {}, head.map((t) => h("th", { scope: "col", class: t === "Topology" ? "l" : undefined }, t)))),
    h("tbody", {}, steps(summary).map((t) => h("tr", {}, h("td", {}, t.index), h("td", { class: "l" }, t.topology),
      [t.start_ns, t.total_ns, t.startup_ns, t.propagation_ns, t.transmission_ns].map((v) => h("td", {}, time(v || 0))), h("td", {}, t.hops), h("td", {}, String(Number((t.congestion ?? 0).toPrecision(4)))))))));
}

export const subject = (summary) => `${summary.collective.op} of ${bytes(summary.collective.size_bytes)} on ${summary.fabric.nodes} GPUs`;
