// The race: one collective on three fabrics side by side, with one scrubber for all.
import { write } from "./address.js";
import { $, bytes, colors, factor, h, number, s, save, stored, time } from "./dom.js";
import { player } from "./player.js";
import { opening, raceMap } from "./racemap.js";
import { fastest, paint, partAt, parts } from "./racetrack.js";
import { Undo } from "./undo.js";

const body = $("#race-body"), box = $("#race-error"), live = $("#race-live");
const lanes = { static: "Best static fabric", every: "Reconfigure every step", lightpath: "Lightpath" };
const operations = ["alltoall", "allreduce", "allgather"], counts = [8, 16, 32]; // for which races are stored
const about = { static: "the fastest plan that never reconfigures", every: "circuits that match each step, every time", lightpath: "the fastest plan of all" };
const places = ["1st", "2nd", "3rd"], tie = 1e-9;
const still = matchMedia("(prefers-reduced-motion: reduce)");
const seconds = 9; // of a race on the screen
const fresh = { op: "alltoall", nodes: 16, size: 4 * 2 ** 20, delay: 20e3, at: 0 };

const known = new Map(); // races by the names of their files
const apart = 800; // ms after which a movement of the same control counts as a new change
const pause = { change: 80, moment: 250 }; // ms between two changes of the address: browsers refuse more
let state = { ...fresh }, race = null, view = null, undo = null, timer = 0, due = 0, written = 0, last = { what: "", at: 0 }, turns = 0, quiet = false;

const load = async ({ op, nodes }) => {
  const name = `race-${op}-${nodes}.json`;
  if (!known.has(name)) {
    known.set(name, await stored(name));
  }
  return known.get(name);
};

export async function start() {
  undo = new Undo(null, $("#race"), (text) => become(parse(text)), () => String(new URLSearchParams({ op: state.op, nodes: state.nodes, size: state.size, delay: state.delay })));
  // Space plays and arrows move through time, unless a control uses these keys.
  document.addEventListener("keydown", (e) => {
    if ($("#race").hidden || !view || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, select, button, a, textarea, [tabindex='0']")) return;
    const way = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (way) view.control.seek(view.control.now() + way * view.total * 0.02);
    else if (e.key === " ") view.control.toggle();
    else return;
    e.preventDefault();
  });
}

const parse = (text) => Object.fromEntries([...new URLSearchParams(text)].map(([k, v]) => [k, k === "op" ? v : Number(v)]));
const list = (all) => `${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;
const within = (x, least, most) => x >= least * 0.999 && x <= most * 1.001;
const kinds = { size: /^\d[\d.]*(e\+?\d+)?([KMGT]i?)?B$/, delay: /^\d[\d.]*(e[+-]?\d+)?([pnum]?s)?$/ };
kinds.at = kinds.delay;

/** A value with a unit of its kind, or NaN. */
const valued = (k, v) => (kinds[k].test(v) ? number(v) : NaN);

/** What an address says: the race, and a line for each invalid part. */
async function read(query) {
  const asked = new URLSearchParams(query), next = { ...fresh }, wrong = [];
  const refuse = (k, why) => wrong.push(`“${k}=${asked.get(k).slice(0, 40)}”: ${why}.`);
  for (const k of asked.keys()) if (!(k in fresh)) refuse(k, "a race has no such setting; it is left out");
  if (operations.includes(asked.get("op"))) next.op = asked.get("op");
  else if (asked.has("op")) refuse("op", `races are of ${list(operations)}; this is ${next.op}`);
  if (counts.includes(Number(asked.get("nodes")))) next.nodes = Number(asked.get("nodes"));
  else if (asked.has("nodes")) refuse("nodes", `races are of ${list(counts)} GPUs; this is ${next.nodes}`);
  const its = await load(next), sizes = its.sizes_bytes, size = valued("size", asked.get("size") ?? ""), delay = valued("delay", asked.get("delay") ?? "");
  if (within(size, sizes[0], sizes.at(-1))) next.size = size;
  if (within(delay, its.least_ns, its.most_ns)) next.delay = delay;
  if (!asked.has("size") && !asked.has("delay")) Object.assign(next, opening(its, next));
  next.size = sizes[nearest(sizes, next.size)];
  if (asked.has("size") && next.size !== size) refuse("size", within(size, sizes[0], sizes.at(-1)) ? `races are of each power of two; this is ${bytes(next.size)}` : `sizes go from ${bytes(sizes[0])} to ${bytes(sizes.at(-1))}; this is ${bytes(next.size)}`);
  if (asked.has("delay") && next.delay !== delay) refuse("delay", `delays go from ${time(its.least_ns)} to ${time(its.most_ns)}; this is ${time(next.delay)}`);
  const at = valued("at", asked.get("at") ?? "");
  if (at >= 0) next.at = at;
  else if (asked.has("at")) refuse("at", "this is no moment of a race; it is left out");
  return { next, wrong, resting: asked.has("at") };
}

/** Shows the race of a URL. */
export async function show(query) {
  const mine = ++turns, { next, wrong, resting } = await read(query), its = await load(next);
  if (mine !== turns) return;
  [state, race] = [next, its];
  last = { what: "", at: 0 };
  box.hidden = !wrong.length;
  box.textContent = wrong.join(" ");
  build();
  undo.note();
  if (!resting && !still.matches) view.control.play();
  else view.control.show(Math.min(state.at, view.total));
}

const plain = (ns) => time(ns).replace(" ", ""), sized = (b) => bytes(b).replace(" ", "");
const nearest = (sizes, size) => sizes.reduce((best, b, i) => (Math.abs(Math.log(b / size)) < Math.abs(Math.log(sizes[best] / size)) ? i : best), 0);

function address() {
  const at = view.control.now();
  return `#race?${new URLSearchParams({ op: state.op, nodes: state.nodes, size: sized(state.size), delay: plain(state.delay), ...(at > 0 && at < view.total && { at: plain(at) }) })}`;
}

/** Writes the state into the address: at once, or soon if it was just written. */
function remember(wait = pause.change) {
  if (quiet) return;
  const when = Math.max(performance.now(), written + wait);
  if (timer && due <= when) return; // it will be written earlier
  clearTimeout(timer);
  due = when;
  const note = () => {
    timer = 0;
    if ($("#race").hidden || !view) return;
    written = performance.now();
    write(address());
  };
  if (when <= performance.now()) note();
  else timer = setTimeout(note, when - performance.now());
}

/** Records a change, for undo; one movement of a control is one change. */
function changed(what) {
  quiet = false;
  const now = performance.now(), same = what && last.what === what && now - last.at < apart;
  last = { what, at: now };
  box.hidden = true;
  if (same) {
    undo.amend();
    remember();
    return;
  }
  undo.note();
  clearTimeout(timer);
  timer = 0;
  written = now;
  const to = address();
  if (location.hash !== to) write(to, true);
}

function palette() {
  const night = document.documentElement.dataset.theme === "dark";
  return { ...colors(), night, lit: night ? "#1f2936" : "#f1f5fb", unlit: "#0a0d12", amber: "#ffb066" };
}

/** A slider on a logarithmic scale, or over a list. */
function slider(id, label, range, input) {
  const out = h("output", { for: id });
  const control = h("input", { id, type: "range", ...range, oninput: () => input(control.valueAsNumber) });
  return { element: h("div", { class: "knob" }, h("label", { for: id }, label), out, control), set: (value, text) => { control.value = value; out.textContent = text; control.setAttribute("aria-valuetext", text); } };
}

function build() {
  const old = view?.control.now() ?? 0;
  const columns = Object.entries(lanes).map(([key, name]) => {
    const title = h("h3", { title: about[key] }, name), canvas = h("canvas", { class: "lane", role: "img" }), clock = h("b", { class: "clock" }), place = h("span", { class: "place" }), what = h("p", { class: "note what" });
    return { key, name, canvas, clock, place, what, title, element: h("section", { class: `lane-card lane-${key}`, "aria-label": name }, title, canvas, h("p", { class: "finish" }, clock, place), what) };
  });
  const tracks = h("div", { class: "tracks" }), verdict = h("p", { class: "verdict-line" }), said = h("p", { class: "note", role: "status" });
  const lo = Math.log(race.least_ns), hi = Math.log(race.most_ns);
  const delay = slider("race-delay", "Reconfiguration delay", { min: 0, max: 1000, step: 1 }, (v) => move({ delay: Number(Math.exp(lo + ((hi - lo) * v) / 1000).toPrecision(3)) }, "delay"));
  const size = slider("race-size", "Size", { min: 0, max: race.sizes_bytes.length - 1, step: 1 }, (v) => move({ size: race.sizes_bytes[v] }, "size"));
  const pick = (key, list) => h("select", { id: `race-${key}`, onchange: (e) => turn({ [key]: typeof list[0] === "number" ? Number(e.target.value) : e.target.value }) }, list.map((v) => h("option", { value: v, selected: v === state[key] }, v)));
  const map = raceMap(race, (i, d) => move({ size: race.sizes_bytes[i], delay: Number(d.toPrecision(3)) }, "map"));
  const opened = h("a", { class: "button" }, "Open Lightpath’s plan");
  view = { columns, tracks, verdict, delay, size, map, opened, total: 1 };
  view.control = player({ total: () => view.total, seconds, label: "Moment of the race", alive: () => tracks.isConnected && !$("#race").hidden, draw, once: true });
  const share = h("button", { type: "button", onclick: async () => {
    write(address());
    try { await navigator.clipboard.writeText(location.href); said.textContent = "The link is copied: it holds the delay, the size and the moment."; } catch { said.textContent = "The link is in the address bar."; }
  } }, "Copy link");
  const shoot = typeof MediaRecorder === "function" && h("button", { type: "button", onclick: (e) => film(e.target, said) }, "Film (WebM)");
  body.replaceChildren(h("div", { class: "race-head" }, h("div", {}, h("h3", { class: "race-title" }, `One ${state.op}, ${state.nodes} GPUs, three fabrics`), h("div", { class: "verdict-room" }, verdict, longest.map((text) => h("p", { class: "verdict-ghost", "aria-hidden": "true" }, text)))),
    h("div", { class: "race-op" }, h("label", { for: "race-op" }, "Collective"), pick("op", operations), h("label", { for: "race-nodes" }, "GPUs"), pick("nodes", counts), h("span", { class: "pair-of" }, undo.back, undo.forth))),
    h("div", { class: "race-grid" },
      h("div", { class: "stack" }, h("section", { class: "card", "aria-label": "The race" }, h("div", { class: "lanes" }, columns.map((c) => c.element)), tracks, view.control.element,
        h("ul", { class: "legend" }, [["transmission", "A step: chunks move along circuits"], ["dark", "Dark: the switch is reconfiguring"]].map(([k, text]) => h("li", {}, h("i", { class: `k-${k}` }), text)), h("li", {}, "A chunk has the colour of the GPU that sends it.")))),
      h("section", { class: "card race-side", "aria-label": "When does reconfiguring pay?" }, h("h3", {}, "When does reconfiguring pay?"), delay.element, size.element, map.element,
        h("p", { class: "note" }, map.caption),
        h("div", { class: "downloads" }, opened, share, shoot), said)));
  new ResizeObserver(() => draw(view.control.now())).observe(columns[0].canvas);
  settle();
  view.control.show(Math.min(old, view.total));
}

/** Another race, from its start; another collective is opened where Lightpath wins alone. */
async function turn(change) {
  const mine = ++turns;
  let its;
  try { its = await load({ ...state, ...change }); } catch (e) { box.hidden = false; box.textContent = e.message; return; }
  if (mine !== turns) return;
  put({ ...state, ...change, ...(change.op && opening(its, state)) }, its);
}

/** The race of an earlier state. */
async function become(next) {
  const mine = ++turns, its = await load(next);
  if (mine === turns) put(next, its);
}

function put(next, its) {
  const focused = document.activeElement, id = focused?.id;
  Object.assign(state, next);
  race = its;
  view = null;
  quiet = true; // until the previous address is kept
  build();
  changed("");
  if (id) document.getElementById(id)?.focus();
  else if (focused?.isConnected) focused.focus();
  if (!still.matches) view.control.play();
}

/** The plans of the lanes for the chosen delay and size. */
function settle() {
  const i = nearest(race.sizes_bytes, state.size);
  state.size = race.sizes_bytes[i];
  state.delay = Math.min(race.most_ns, Math.max(race.least_ns, state.delay));
  for (const c of view.columns) {
    c.run = fastest(race, c.key, i, state.delay);
    c.parts = parts(c.run.plan, state.delay);
  }
  view.total = Math.max(...view.columns.map((c) => c.run.total));
  const of = Object.fromEntries(view.columns.map((c) => [c.key, c.run.total])), lo = Math.log(race.least_ns), hi = Math.log(race.most_ns);
  for (const c of view.columns) c.rank = view.columns.filter((o) => o.run.total < c.run.total * (1 - tie)).length;
  const changes = Object.fromEntries(view.columns.map((c) => [c.key, c.run.changes])), text = words(of, changes);
  view.verdict.replaceChildren(...text);
  live.textContent = view.verdict.textContent;
  view.delay.set(Math.round((1000 * (Math.log(state.delay) - lo)) / (hi - lo)), time(state.delay));
  view.size.set(i, bytes(state.size));
  view.map.show(i, state.delay);
  view.opened.href = `#plan?${new URLSearchParams({ op: state.op, nodes: state.nodes, size: sized(state.size), reconfig: plain(state.delay) })}`;
  view.columns.forEach((c) => {
    const kept = c.key === "every" && c.run.changes === 0;
    c.name = kept ? "Every-step plan" : lanes[c.key];
    c.title.textContent = c.name;
    c.title.title = kept ? keeps : about[c.key];
    c.element.setAttribute("aria-label", c.name);
    c.what.textContent = kept ? `${c.run.plan.algorithm}: ${keeps}` : `${c.run.plan.algorithm}, ${c.run.changes === 0 ? "no reconfiguration" : c.run.changes === 1 ? "1 reconfiguration" : `${c.run.changes} reconfigurations`}`;
  });
  strips();
}

/** Who wins, in a sentence. */
function words(of, changes) {
  const even = (a, b) => Math.abs(of[a] / of[b] - 1) <= tie, b = (t) => h("b", {}, t), n = changes.lightpath, times = n === 1 ? "once" : n === 2 ? "twice" : `${n} times`;
  const other = changes.every ? "reconfiguring every step" : "the fastest every-step plan, which keeps its circuits";
  if (even("lightpath", "static")) return ["At this delay ", b("no reconfiguration pays"), `: Lightpath stays static and finishes in ${time(of.lightpath)}${even("every", "static") ? "." : `; ${other}${changes.every ? "" : ","} takes ${factor(of.every / of.lightpath)} as long.`}`];
  const over = `${factor(of.static / of.lightpath)} faster than the best static fabric`;
  if (even("lightpath", "every")) return ["At this delay ", b("reconfiguring every step is best"), `: Lightpath does so too, and is ${over}.`];
  return [b("Lightpath wins"), `: it reconfigures ${times}, and is ${over} and ${factor(of.every / of.lightpath)} faster than ${other}.`];
}

const keeps = "the fastest every-step plan keeps its circuits";
// The longest sentences, invisible, so that the page below does not jump as the sentence changes.
const longest = ["Lightpath wins: it reconfigures 10 times, and is 10.00× faster than the best static fabric and 10.00× faster than the fastest every-step plan, which keeps its circuits.",
  "At this delay no reconfiguration pays: Lightpath stays static and finishes in 10.00 ms; the fastest every-step plan, which keeps its circuits, takes 10.00× as long."];

/** The activity of each fabric over time, one strip below the other, on the same scale. */
function strips() {
  view.tracks.replaceChildren(...view.columns.map((c) => {
    const strip = s("svg", { class: "strip", viewBox: "0 0 1000 16", preserveAspectRatio: "none", role: "img", "aria-label": `${c.name}: ${time(c.run.total)}, dark ${c.run.changes} times for ${time(state.delay)} each` });
    c.parts.forEach((p) => strip.append(s("rect", { class: p.dark ? "k-dark" : p.index % 2 ? "k-transmission" : "k-transmission lighter", x: (1000 * p.from) / view.total, y: 0, width: (1000 * (p.to - p.from)) / view.total, height: 16 })));
    c.head = s("line", { class: "cursor", y1: 0, y2: 16, x1: 0, x2: 0, "vector-effect": "non-scaling-stroke" });
    strip.append(c.head);
    strip.addEventListener("pointerdown", (e) => { const r = strip.getBoundingClientRect(); view.control.seek(((e.clientX - r.left) / r.width) * view.total); });
    return h("div", { class: "track" }, h("span", {}, c.name), strip);
  }));
}

/** A new delay or size; the moment stays the same fraction of the race. */
function move(change, what) {
  const part = view.control.now() / view.total;
  Object.assign(state, change);
  quiet = true;
  settle();
  view.control.show(part * view.total);
  changed(what);
}

function draw(t) {
  if (!view.columns[0].canvas.isConnected) return "";
  const color = palette(), dpr = Math.min(2, devicePixelRatio || 1);
  for (const c of view.columns) {
    const side = c.canvas.clientWidth, px = Math.round(side * dpr), g = c.canvas.getContext("2d");
    if (!side) continue;
    if (c.canvas.width !== px) { c.canvas.width = px; c.canvas.height = px; }
    g.setTransform(dpr, 0, 0, dpr, 0, 0);
    g.clearRect(0, 0, side, side);
    paint(g, { x: 0, y: 0, side }, race, c.parts, t, color);
    const over = t >= c.run.total;
    c.clock.textContent = time(Math.min(t, c.run.total));
    c.element.classList.toggle("over", over);
    c.element.classList.toggle("first", over && c.rank === 0);
    c.place.textContent = over ? places[c.rank] : "";
    c.canvas.setAttribute("aria-label", `${c.name}: ${status(c, t)}`);
    const x = (1000 * Math.min(t, view.total)) / view.total;
    c.head.setAttribute("x1", x);
    c.head.setAttribute("x2", x);
  }
  remember(pause.moment);
  return `${time(t)} of ${time(view.total)}`;
}

function status(c, t) {
  if (t >= c.run.total) return `finished ${places[c.rank]} in ${time(c.run.total)}`;
  const p = partAt(c.parts, t);
  return p.dark ? "dark, the switch is reconfiguring" : `step ${p.index} on ${c.run.plan.stages[p.stage].topology}`;
}

/** Records the race from start to end, in the browser's encoding. */
async function film(button, said) {
  const width = 1280, height = 720, side = 380, canvas = h("canvas", { width, height }), g = canvas.getContext("2d"), color = palette();
  const type = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"].find((t) => MediaRecorder.isTypeSupported(t));
  if (!type) { said.textContent = "This browser cannot record WebM."; return; }
  const runs = view.columns.map((c) => ({ ...c })), total = view.total, title = `${state.op} of ${bytes(state.size)} on ${state.nodes} GPUs, reconfiguration delay ${time(state.delay)}`, verdict = view.verdict.textContent, mine = race;
  const frame = (t) => {
    g.fillStyle = color.panel;
    g.fillRect(0, 0, width, height);
    g.textAlign = "center";
    g.textBaseline = "alphabetic";
    const text = (words, x, y, font, fill) => { g.font = `${font} system-ui, sans-serif`; g.fillStyle = fill; g.textAlign = "center"; g.textBaseline = "alphabetic"; g.fillText(words, x, y, width - 40); };
    text(title, width / 2, 44, "600 28px", color.ink);
    runs.forEach((c, i) => {
      const x = 40 + i * 410, over = t >= c.run.total;
      text(c.name, x + side / 2, 92, "600 22px", color.ink);
      paint(g, { x, y: 108, side }, mine, c.parts, t, color);
      text(`${time(Math.min(t, c.run.total))}${over ? `  ${places[c.rank]}` : ""}`, x + side / 2, 530, "700 34px", over ? color.propagation : color.ink);
      c.parts.forEach((p) => {
        g.fillStyle = p.dark ? color.dark : color.transmission;
        g.globalAlpha = p.dark || p.index % 2 ? 1 : 0.6;
        g.fillRect(40 + (1200 * p.from) / total, 560 + i * 26, (1200 * (p.to - p.from)) / total, 18);
        g.globalAlpha = 1;
      });
    });
    g.fillStyle = color.ink;
    g.fillRect(40 + (1200 * Math.min(t, total)) / total - 1, 554, 2, 84);
    text(verdict, width / 2, 688, "20px", t >= total ? color.ink : color.soft);
  };
  frame(0);
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 5e6 }), data = [], lasts = 6000, rest = 800;
  recorder.addEventListener("dataavailable", (e) => data.push(e.data));
  const done = new Promise((resolve) => recorder.addEventListener("stop", resolve));
  button.disabled = true;
  recorder.start();
  const begun = performance.now();
  await new Promise((resolve) => {
    const tick = () => {
      const f = (performance.now() - begun) / lasts;
      frame(Math.min(1, f) * total);
      said.textContent = `Recording: ${Math.round(Math.min(1, f) * 100)} %`;
      if ((f - 1) * lasts < rest) setTimeout(tick, 33);
      else resolve();
    };
    tick();
  });
  recorder.stop();
  await done;
  button.disabled = false;
  save(`race-${state.op}.webm`, new Blob(data, { type: "video/webm" }));
  said.textContent = "The film is downloaded.";
}
