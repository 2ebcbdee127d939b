// The view of a run: real processes execute a plan, live, step by step.
import * as api from "./api.js";
import { $, bytes, card, fact, grid, h, s, percent, signed, spaced, stored, time } from "./dom.js";
import { blame, clear, remember, restore, strange, values } from "./fields.js";
import * as planform from "./planform.js";
import { moments, subject } from "./timeline.js";
import { Undo } from "./undo.js";

const form = $("#run-form"), body = $("#run-body"), box = $("#run-error"), live = $("#run-live");
let running = null, job = null, undo = null, about = null;

export async function start() {
  const catalog = await api.get("v1/list");
  undo = new Undo(form, $("#run"), (state) => { restore(form, state); remember("run", form); });
  planform.build(form, "run", catalog, [
    { name: "lasts", label: "The run lasts about", value: "3s", options: [["none", "as short as the host can"], ["1s", "1 second"], ["3s", "3 seconds"], ["10s", "10 seconds"], ["30s", "30 seconds"]] },
    { name: "dtype", label: "Elements", value: "float32", options: ["float32", "float64", "int32", "bfloat16"].map((t) => [t, t]) },
    { name: "fail", label: "What fails", value: "", hint: "gpu:2@step:3" },
    { name: "replan", label: "After a fault", value: "", options: [["", "the run ends"], ["true", "plan again around it"]] },
  ], [h("button", { class: "primary" }, "Run"), h("button", { type: "button", id: "halt", disabled: true }, "Stop"), undo.back, undo.forth], { size: "1MiB", nodes: "8", reconfig: "2us" });
  form.addEventListener("submit", (e) => { e.preventDefault(); run(); });
  $("#halt").addEventListener("click", () => job && api.remove(`v1/jobs/${job}`).catch(() => {}));
  about = card("A plan on real processes", h("p", {}, "Every GPU becomes a process of this machine with a buffer of real bytes. A software switch is their only connection: circuits exist only while the plan holds them, and at its pace, slowed down so that this machine can keep up. At the end every rank checks its result, element by element."),
    h("p", {}, "Predicted, simulated and measured times stand side by side. Make something fail on purpose, such as gpu:2@step:3 or link:0-1@step:2, to see how a fault is reported, and let the rest be planned again around it."));
}

export function show(query) {
  const unknown = query ? restore(form, query) : [];
  clear(form);
  box.hidden = true;
  undo.note();
  strange(box, unknown);
  if (!body.childElementCount) recorded();
}

/** A recorded run, so that there is something to see before the reader presses Run. */
async function recorded() {
  const { summary, slow, answer } = await stored("run.json").catch(() => ({}));
  if (running || body.childElementCount) return;
  if (!answer) { body.append(about); return; }
  const board = new Board(summary, { slow });
  board.ranks({ attempt: 1, ended: Array.from({ length: answer.ranks }, (_, i) => [i, answer.steps.length]) });
  body.replaceChildren(h("p", { class: "former" }, "A run that was recorded on another machine. Press Run for one on this machine."), ...board.elements, about);
  board.over(answer);
}

const seconds = (text) => Number(text.replace("s", "")) * 1e9;

async function run() {
  running?.abort();
  const mine = (running = new AbortController()), { signal } = mine, v = values(form);
  const odd = clear(form);
  box.hidden = true;
  remember("run", form);
  undo.note();
  $("#halt").disabled = false;
  try {
    const { id, summary } = await api.plan(planform.request(form), signal);
    if (odd) return;
    const request = { plan: { id }, dtype: v.dtype, ...(v.fail && { fail: v.fail.split(/[ ,]+/) }), ...(v.replan && { replan: true }) };
    if (v.lasts === "none") request.no_wait = true;
    else request.slow = Math.max(1, seconds(v.lasts) / summary.cost_ns.total);
    const made = await api.post("v1/emulate", request, signal);
    job = made.id;
    const board = new Board(summary, request);
    body.replaceChildren(...board.elements);
    let state = made;
    await api.follow(made.id, (kind, value) => {
      if (kind === "ranks") board.ranks(value);
      if (kind === "steps") board.measured(value);
      if (kind === "job") { state = value; board.state(value); }
    }, signal);
    if (state.state === "done") board.over(await api.get(`v1/jobs/${made.id}/answer`, signal));
    live.textContent = board.said.textContent;
  } catch (e) {
    if (e.name === "AbortError") return;
    if (!(e instanceof api.Problem)) throw e;
    blame(form, box, e);
    live.textContent = e.message;
  } finally {
    if (running === mine) $("#halt").disabled = true;
  }
}

/** The display of a run. */
class Board {
  constructor(summary, request) {
    this.summary = summary;
    this.slow = request.slow;
    this.steps = summary.stages.flatMap((stage) => stage.steps).map((t) => ({ index: t.index, predicted_ns: t.total_ns }));
    this.nodes = summary.fabric.nodes;
    this.said = h("span", {}, "Waiting for a place…");
    this.clock = h("span", {}, "…");
    this.extent = h("small", {}, "measured");
    this.facts = h("div", { class: "facts" }, fact(time(summary.cost_ns.total), "predicted by the plan"));
    this.first = h("section", { class: "card hero", "aria-label": "Measured time" },
      h("p", {}, h("b", {}, subject(summary)), ` by ${summary.collective.algorithm}, planner ${summary.planner}`), h("div", { class: "time" }, this.clock, this.extent), this.facts,
      h("p", { class: "note" }, this.said));
    this.cells = Array.from({ length: this.nodes }, (_, i) => h("li", { title: `GPU ${i}` }, h("b", {}, String(i)), h("span", {}, "–")));
    this.grid = h("ul", { class: "ranks" }, this.cells);
    this.chart = h("div");
    this.rest = h("div", { class: "stack" });
    this.elements = [this.first, card("Steps", this.chart, h("ul", { class: "legend" }, h("li", {}, h("i", { class: "k-predicted" }), "predicted by the plan"), h("li", {}, h("i", { class: "k-propagation" }), "simulated packet by packet"), h("li", {}, h("i", { class: "k-transmission" }), "measured, slowed time divided out"))),
      card("Processes", h("p", { class: "note" }, "Each box is a rank and the last step that it has ended."), this.grid), this.rest];
    this.draw();
  }

  state({ state, done, total, error }) {
    const words = { queued: "Waiting for a place…", running: total ? `Step ${done} of ${total} has ended.` : "Starting the processes…", cancelled: "Stopped.", failed: error?.problem ?? "It failed.", done: "All ranks have checked their results." };
    this.said.textContent = words[state] ?? state;
  }

  ranks({ attempt, ended }) {
    if (attempt !== this.attempt) {
      this.attempt = attempt;
      for (const c of this.cells) { c.className = ""; c.lastChild.textContent = "–"; c.style.removeProperty("--part"); }
    }
    for (const [rank, step] of ended) {
      const cell = this.cells[rank];
      if (!cell) continue;
      cell.lastChild.textContent = `step ${step}`;
      cell.className = step >= this.steps.length ? "whole" : "under";
      cell.style.setProperty("--part", `${(100 * step) / this.steps.length}%`);
    }
  }

  measured({ attempt, steps }) {
    if (attempt !== this.measuredAttempt) {
      this.measuredAttempt = attempt;
      for (const t of this.steps) delete t.measured_ns;
    }
    for (const t of steps) this.steps[t.index - 1] = { ...this.steps[t.index - 1], ...t };
    const sum = this.steps.reduce((a, t) => a + (t.measured_ns ?? 0), 0);
    this.clock.textContent = time(sum);
    this.draw();
  }

  /** Bars for each step: predicted, simulated, measured. */
  draw() {
    const width = Math.max(280, $("#run-result").clientWidth - 34), all = this.steps, height = 190, left = 66, bottom = 22;
    const most = Math.max(1, ...all.flatMap((t) => [t.predicted_ns, t.simulated_ns ?? 0, t.measured_ns ?? 0])), each = (width - left) / all.length, scale = (height - bottom - 10) / most;
    const g = s("svg", { class: "draw", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Predicted, simulated and measured time of ${all.length} steps` });
    for (const v of moments(0, most, 5)) {
      const y = height - bottom - v * scale;
      g.append(s("line", { class: "grid", x1: left, x2: width, y1: y, y2: y }), s("text", { class: "soft", x: left - 6, y: y + 4, "text-anchor": "end" }, v ? time(v) : "0"));
    }
    all.forEach((t, i) => {
      const w = Math.max(0.4, Math.min(26, each / 3.6)), x = left + (i + 0.5) * each;
      const bar = (k, cls, v) => v && s("rect", { class: cls, x: x + (k - 1.5) * w, y: height - bottom - v * scale, width: w * 0.92, height: v * scale });
      g.append(s("g", {}, s("title", {}, `Step ${t.index}: predicted ${time(t.predicted_ns)}${t.simulated_ns ? `, simulated ${time(t.simulated_ns)}` : ""}${t.measured_ns ? `, measured ${time(t.measured_ns)}` : ""}`),
        ...[bar(0, "k-predicted", t.predicted_ns), bar(1, "k-propagation", t.simulated_ns), bar(2, "k-transmission", t.measured_ns)].filter(Boolean)));
      if (each > 18 || i % Math.ceil(18 / each) === 0) g.append(s("text", { class: "soft", x, y: height - 6, "text-anchor": "middle" }, t.index));
    });
    this.chart.replaceChildren(g);
  }

  over(a) {
    this.steps = a.steps.map((t) => ({ ...t, measured_ns: t.measured_ns || undefined }));
    this.draw();
    this.facts.replaceChildren(fact(time(a.predicted_ns), "predicted by the plan"));
    if (a.ok) {
      this.clock.textContent = time(a.measured_ns);
      const off = a.measured_ns / a.predicted_ns - 1;
      this.facts.append(fact(a.slow ? signed(off, percent) : "–", a.slow ? "measured against predicted" : "no time of the fabric passed"), fact(String(a.processes), a.processes === 1 ? "process" : "processes"), fact(bytes(a.bytes_moved), "went over circuits"), fact(time(a.elapsed_ns), "by this machine's clock"));
    }
    const ran = a.steps.filter((t) => t.measured_ns).length;
    this.extent.textContent = !a.ok && ran < a.steps.length ? `measured, only ${ran} of ${a.steps.length} steps ran` : "measured";
    this.said.replaceChildren(a.fault ? h("span", { class: "bad" }, spaced(a.fault.text)) : h("span", { class: "good" }, `Right on all ${a.ranks} ranks: ${bytes(a.bytes_checked)} of results were checked ${a.exact ? "bit for bit" : "within the rounding error of floats"}.`));
    for (const x of [a, ...(a.attempts ?? [])]) {
      const cell = this.cells[x.fault?.rank];
      if (cell) { cell.className = "broken"; cell.lastChild.textContent = "failed"; }
    }
    this.rest.replaceChildren(...(a.attempts ?? []).map((x) => card("An attempt that failed", h("p", {}, `${spaced(x.fault.text)}. The rest was planned again around it and restarted from the inputs.`))),
      card("Steps as a table", grid("Steps", ["Step", "Predicted", "Simulated", "Measured", "Barrier"], a.steps.map((t) => [t.index, time(t.predicted_ns), time(t.simulated_ns), t.measured_ns ? time(t.measured_ns) : "not reached", t.measured_ns ? time(t.barrier_ns) : "–"]))),
      ...(a.changes.length ? [card("Changes of circuits", grid("Changes", ["Stage", "Circuits", "Predicted", "Dark at the switch", "Seen by all"], a.changes.map((c) => [c.stage, c.circuits, time(c.predicted_ns), c.dark_ns > 0 && c.dark_ns < 1 ? "< 1 ns" : time(c.dark_ns), time(c.measured_ns)])))] : []));
  }
}
