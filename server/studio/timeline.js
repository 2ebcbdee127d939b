// The plan over time: the stages with the dark time between them, the steps, and where the time goes.
import { h, s, time, bytes } from "./dom.js";

/** Round moments between two, about as many as requested: 1, 2 or 5 times a power of ten apart. */
export function moments(from, to, about) {
  const least = (to - from) / Math.max(1, about), ten = 10 ** Math.floor(Math.log10(least)), pitch = [1, 2, 5, 10].map((m) => m * ten).find((p) => p >= least * 0.999), all = [];
  for (let i = Math.ceil(from / pitch - 1e-9); i * pitch <= to * (1 + 1e-12); i++) all.push(i * pitch);
  return all;
}

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
  for (const v of moments(0, most, 4)) {
    const y = height - bottom - v * scale;
    g.append(s("line", { class: "grid", x1: left, x2: width, y1: y, y2: y }), s("text", { class: "soft", x: left - 6, y: y + 4, "text-anchor": "end" }, time(v)));
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

const shown = 16; // switches with rows of their own

/**
 * The plan over time, to look at closely: buttons, keys, or the wheel with Ctrl zoom, dragging moves,
 * a click says what is there and calls seek(ns). Gives the element, and what moves its cursor and
 * gives every switch that goes dark by itself a row.
 */
export function timeline(summary, width, seek) {
  const total = summary.cost_ns.total, holder = h("div"), said = h("p", { class: "note detail", role: "status" }, "Click for details; the arrow keys go from step to step, + and − zoom.");
  let from = 0, to = total, now = 0, switches = [], chart = null, held = null;
  const build = () => {
    const focused = chart?.svg === document.activeElement;
    chart = (summary.independent ? planes : gantt)(summary, width, { from, to }, switches);
    chart.svg.addEventListener("keydown", press);
    chart.svg.addEventListener("wheel", wheel, { passive: false });
    chart.svg.addEventListener("pointerdown", (e) => { held = { x: e.clientX, from, moved: false }; });
    chart.svg.addEventListener("pointermove", drag);
    holder.replaceChildren(chart.svg);
    if (focused) chart.svg.focus();
    chart.move(now);
  };
  const look = (a, b) => {
    const long = Math.min(total, Math.max(total / 2000, b - a));
    from = Math.min(total - long, Math.max(0, a));
    to = from + long;
    build();
  };
  const zoom = (by, about = (from + to) / 2) => look(about - (about - from) * by, about + (to - about) * by);
  const where = (e) => { const box = chart.svg.getBoundingClientRect(); return chart.at(((e.clientX - box.left) * width) / box.width); };
  const tell = (t) => {
    const all = steps(summary), one = all.find((x) => t >= x.start_ns - x.dark_ns && t < x.start_ns + x.total_ns) ?? all.at(-1);
    if (!one) return;
    said.textContent = t < one.start_ns && one.dark_ns ? `Dark until ${time(one.start_ns)}, for ${time(one.dark_ns)}: the switch sets ${one.topology || "other circuits"}.`
      : `Step ${one.index} on ${one.topology || `stage ${one.stage + 1}`}: from ${time(one.start_ns)} to ${time(one.start_ns + one.total_ns)}; start-up ${time(one.startup_ns || 0)}, propagation ${time(one.propagation_ns || 0)} over ${one.hops} ${one.hops === 1 ? "hop" : "hops"}, transmission ${time(one.transmission_ns || 0)}.`;
  };
  const go = (t) => {
    now = Math.min(total, Math.max(0, t));
    seek(now);
    tell(now);
    if (now < from || now > to) look(now - (to - from) / 2, now + (to - from) / 2);
    else chart.move(now);
  };
  const press = (e) => {
    const starts = steps(summary).flatMap((x) => (x.dark_ns ? [x.start_ns - x.dark_ns, x.start_ns] : [x.start_ns])), tiny = total * 1e-9;
    if (e.key === "ArrowRight") go(starts.find((x) => x > now + tiny) ?? total);
    else if (e.key === "ArrowLeft") go(starts.findLast((x) => x < now - tiny) ?? 0);
    else if (e.key === "+" || e.key === "=") zoom(0.5, now);
    else if (e.key === "-") zoom(2, now);
    else if (e.key === "0") look(0, total);
    else return;
    e.preventDefault();
  };
  const wheel = (e) => {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    zoom(Math.exp(e.deltaY / 200), where(e));
  };
  const drag = (e) => {
    if (!held || !e.buttons) return;
    const by = ((held.x - e.clientX) * (to - from)) / chart.room;
    if (Math.abs(held.x - e.clientX) > 4) held.moved = true;
    if (!held.moved || to - from >= total) return;
    const keep = held;
    look(keep.from + by, keep.from + by + (to - from));
    held = keep;
  };
  holder.addEventListener("pointerup", (e) => {
    if (held && !held.moved) go(where(e));
    held = null;
  });
  const button = (text, label, f) => h("button", { type: "button", "aria-label": label, title: label, onclick: f }, text);
  build();
  return {
    element: h("div", {}, h("div", { class: "downloads tools" }, button("+", "Zoom into the time", () => zoom(0.5, now >= from && now <= to ? now : undefined)), button("−", "Zoom out of the time", () => zoom(2)), button("⤢", "Show the whole time", () => look(0, total)),
      button("◀", "Earlier", () => look(from - (to - from) / 2, to - (to - from) / 2)), button("▶", "Later", () => look(from + (to - from) / 2, to + (to - from) / 2))), holder, said),
    move: (t) => { now = t; chart.move(t); },
    darken: (list) => { switches = list; build(); },
  };
}

/** The frame of both charts: a scale of time below, and a cursor that covers no words. */
function axis(summary, width, { from, to }, height, label) {
  const left = 74, right = 8, room = width - left - right;
  const x = (t) => left + (room * (Math.min(to, Math.max(from, t)) - from)) / (to - from);
  const svg = s("svg", { class: "draw over-time", width, height, viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "application", "aria-label": `${label}. Arrow keys go from step to step, plus and minus zoom, 0 shows all.` });
  const cursor = s("path", { class: "cursor" }), spans = [], words = s("g", { class: "words" });
  const ends = moments(from, to, width < 560 ? 3 : 8);
  for (const t of ends) words.append(s("line", { class: "grid", x1: x(t), x2: x(t), y1: height - 24, y2: height - 20 }), s("text", { class: "soft", x: Math.min(width - 24, Math.max(left + 10, x(t))), y: height - 6, "text-anchor": "middle" }, t ? time(t) : "0"));
  return {
    svg, x, left, room, words, spans, inside: (a, b) => b >= from && a <= to,
    rect: (cls, a, b, y, high, title) => { if (b > from && a < to && b > a) svg.append(s("rect", { class: cls, x: x(a), y, width: Math.max(0.75, x(b) - x(a)), height: high }, s("title", {}, title))); },
    done: () => {
      svg.append(cursor, words);
      return { svg, room, at: (px) => from + ((px - left) / room) * (to - from), move: (t) => {
        const at = x(t), under = spans.find((w) => at > w.from && at < w.to); // it does not cover words
        cursor.setAttribute("d", `M${at} 4V${under ? `${under.top}M${at} ${under.bottom}V` : ""}${height - 24}`);
        cursor.setAttribute("visibility", t < from || t > to ? "hidden" : "visible");
      } };
    },
  };
}

/** Stages, the dark time of every switch, and steps over time. Until the service has said which switches go dark separately, there is one row for all. */
export function gantt(summary, width, window = { from: 0, to: summary.cost_ns.total }, switches = []) {
  if (summary.independent) return planes(summary, width, window);
  const total = summary.cost_ns.total, rows = Math.min(shown, Math.max(1, switches.length)), tall = rows > 4 ? 10 : 16, pitch = tall + 3, dark = 42, top = dark + rows * pitch + 8, height = top + 58;
  const { x, rect, words, spans, inside, done, left } = axis(summary, width, window, height, `${summary.stages.length} stages over ${time(total)}, ${summary.reconfigurations} reconfigurations`);
  const label = (y, text) => words.append(s("text", { class: "soft", x: 0, y }, text));
  label(27, "Circuits");
  label(dark + 12, rows > 1 ? "Switches" : "Switch");
  label(top + 17, "Steps");
  summary.stages.forEach((stage, i) => {
    const from = stage.start_ns, up = from + stage.reconfiguration_ns, to = summary.stages[i + 1]?.start_ns ?? total;
    if (stage.reconfiguration_ns > 0) rect("k-dark", from, up, 10, 26, `Nothing is sent for ${time(stage.reconfiguration_ns)}`);
    rect("k-stage", up, to, 10, 26, `Stage ${i + 1}: ${stage.topology}, ${time(to - up)}`);
    const word = stage.topology || `stage ${i + 1}`;
    if (!inside(up, to) || x(to) - x(up) <= 7.2 * word.length + 8) return;
    words.append(s("text", { x: x(up) + 5, y: 27 }, word));
    spans.push({ from: x(up) + 2, to: x(up) + 8 + 7.2 * word.length, top: 13, bottom: 33 });
  });
  for (let i = 0; i < rows; i++) rect("k-lit", 0, total, dark + i * pitch, tall, `Switch ${i + 1}`);
  for (const t of steps(summary)) {
    let at = t.start_ns;
    for (const p of parts) {
      const d = t[`${p}_ns`] || 0;
      rect(`k-${p}`, at, at + d, top, 26, `Step ${t.index}: ${names[p].toLowerCase()} ${time(d)}`);
      at += d;
    }
  }
  for (const one of switches.slice(0, shown)) {
    for (const d of one.dark) rect("k-dark", d.from_ns, d.until_ns, dark + one.index * pitch, tall, `Switch ${one.index + 1} sets ${d.circuits} circuits of stage ${d.stage}: dark for ${time(d.until_ns - d.from_ns)}`);
  }
  if (switches.length > shown) words.append(s("text", { class: "soft", x: left, y: top - 2 }, `and ${switches.length - shown} more switches`));
  return done();
}

/** The activity of every plane, if planes do not wait for one another: one row each. */
function planes(summary, width, window) {
  const total = summary.cost_ns.total, rows = summary.fabric.ports, tall = rows > 8 ? 12 : 26, pitch = tall + 4, top = 10, height = top + rows * pitch + 26;
  const { rect, words, done } = axis(summary, width, window, height, `${summary.stages.length} turns of ${rows} planes over ${time(total)}, ${summary.reconfigurations} reconfigurations`);
  for (let k = 0; k < rows; k++) words.append(s("text", { class: "soft", x: 0, y: top + k * pitch + tall / 2 + 4 }, `Plane ${k + 1}`));
  for (const stage of summary.stages) {
    const y = top + stage.lanes.findIndex((lane) => lane.share > 0) * pitch, step = stage.steps[0];
    rect("k-dark", stage.start_ns, step.start_ns, y, tall, `The plane sets ${stage.topology}: dark for ${time(stage.reconfiguration_ns)}`);
    let at = step.start_ns;
    for (const p of parts) {
      rect(`k-${p}`, at, at + (step[`${p}_ns`] || 0), y, tall, `Step ${step.index} on ${stage.topology}: ${names[p].toLowerCase()} ${time(step[`${p}_ns`] || 0)}`);
      at += step[`${p}_ns`] || 0;
    }
  }
  return done();
}

export function table(summary) {
  const head = ["Step", "Topology", "Start", "Takes", "Start-up", "Propagation", "Transmission", "Hops", "Congestion"];
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of the steps" }, h("table", {},
    h("thead", {}, h("tr", {}, head.map((t) => h("th", { scope: "col", class: t === "Topology" ? "l" : undefined }, t)))),
    h("tbody", {}, steps(summary).map((t) => h("tr", {}, h("td", {}, t.index), h("td", { class: "l" }, t.topology),
      [t.start_ns, t.total_ns, t.startup_ns, t.propagation_ns, t.transmission_ns].map((v) => h("td", {}, time(v || 0))), h("td", {}, t.hops), h("td", {}, String(Number((t.congestion ?? 0).toPrecision(4)))))))));
}

export const subject = (summary) => `${summary.collective.op} of ${bytes(summary.collective.size_bytes)} on ${summary.fabric.nodes} GPUs`;
