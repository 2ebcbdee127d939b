// The view of the records: the fastest known plans, the bounds, and a form to beat them.
import * as api from "./api.js";
import { $, bytes, card, fact, grid, h, percent, save, signed, time } from "./dom.js";
import { clear, fields, remember, restore, strange, values } from "./fields.js";
import { Undo } from "./undo.js";

const form = $("#records-form"), body = $("#records-body"), box = $("#records-error"), live = $("#records-live");
const names = ["op", "nodes", "ports", "size", "ns", "algorithm", "planner", "changes", "bound"];
const usual = { bandwidth_bps: 8e11, alpha_ns: 500, delta_ns: 500, duplex: false, forwarding: "cut-through", initial: "free" }; // of all records
let rows = [], at = null, undo = null, verdict = null, ranking = 0;
const tries = [];

export async function start() {
  rows = (await import("./stored-records.js")).rows.map((r) => Object.fromEntries(names.map((k, i) => [k, r[i]])));
  undo = new Undo(form, $("#records"), (state) => { restore(form, state); pick(); });
  const file = h("input", { type: "file", id: "records-file", accept: ".json,application/json", "aria-label": "A plan file", onchange: () => take(file.files[0]) });
  form.append(...fields([
    { form: "records", name: "op", label: "Operation", wide: true, value: "allreduce", options: [...new Set(rows.map((r) => r.op))].map((o) => [o, o]) },
    { form: "records", name: "nodes", label: "GPUs", value: "16", options: choices("nodes", String) }, { form: "records", name: "ports", label: "Ports each", value: "2", options: choices("ports", String) },
    { form: "records", name: "size", label: "Size", wide: true, value: String(2 ** 20), options: choices("size", bytes) },
  ]), h("div", { class: "actions" }, undo.back, undo.forth),
  h("div", { class: "field wide beat" }, h("label", { for: "records-plan" }, "Beat it: paste a plan file, drop it here, or choose it"), h("textarea", { id: "records-plan", rows: 7, spellcheck: "false", placeholder: "{\"schema\":\"lightpath.plan/v1\", …}", "aria-describedby": "records-plan-why" }), h("div", { class: "why", id: "records-plan-why", role: "alert" }), file),
  h("div", { class: "actions" }, h("button", { class: "primary", id: "records-rank" }, "Verify and rank")));
  form.addEventListener("input", (e) => {
    if (e.target.name) { remember("records", form); pick(); } else unverified();
  });
  form.addEventListener("submit", (e) => { e.preventDefault(); rank($("#records-plan").value); });
  const view = $("#records");
  view.addEventListener("dragover", (e) => { e.preventDefault(); view.classList.add("over"); });
  view.addEventListener("dragleave", () => view.classList.remove("over"));
  view.addEventListener("drop", (e) => { e.preventDefault(); view.classList.remove("over"); if (e.dataTransfer.files[0]) take(e.dataTransfer.files[0]); });
}

const choices = (k, show) => [...new Set(rows.map((r) => r[k]))].sort((a, b) => a - b).map((v) => [String(v), show(v)]);

export function show(query) {
  const unknown = query ? restore(form, query) : [];
  box.hidden = true;
  pick();
  strange(box, unknown);
}

/** The content of the form is not verified, so no verdict is shown. */
function unverified() {
  ranking++;
  $("#records-plan-why").textContent = "";
  if (!verdict) return;
  verdict = null;
  render();
}

function pick() {
  clear(form);
  ranking++;
  verdict = null;
  undo.note();
  const v = values(form);
  at = find(v.op, Number(v.nodes), Number(v.ports), Number(v.size));
  render();
}

const find = (op, nodes, ports, size) => rows.find((r) => r.op === op && r.nodes === nodes && r.ports === ports && r.size === size);
const gap = (r) => Math.max(0, r.ns / r.bound - 1);

function render() {
  body.replaceChildren(...[verdict && ranked(), at && record(at), card(`Gaps of ${values(form).op} to the bound`, table()), card("How far records are from the bounds", spread())].filter(Boolean));
  live.textContent = at ? `${at.op} of ${bytes(at.size)} on ${at.nodes} GPUs: ${time(at.ns)}` : "There is no such record.";
}

/** One record: its time, the bound, and its plan. */
function record(r) {
  const said = h("p", { class: "note", role: "status" });
  const fetched = async (f) => {
    said.textContent = "Planning…";
    try {
      const made = await api.plan({ operations: [{ op: r.op, size: `${r.size}B` }], fabric: { nodes: r.nodes, ports: r.ports } });
      said.textContent = `The service plans it in ${time(made.summary.cost_ns.total)}.`;
      await f(made);
    } catch (e) {
      if (!(e instanceof api.Problem)) throw e;
      said.textContent = e.status === 0 ? "The service does not answer. The records are stored in the page; plans need the service: start it with “lightpath serve”." : e.message;
    }
  };
  return h("section", { class: "card hero", "aria-label": "The record" },
    h("p", {}, h("b", {}, `${r.op} of ${bytes(r.size)} on ${r.nodes} GPUs`), `, ${r.ports} ${r.ports === 1 ? "port" : "ports"} each, by ${r.algorithm}, planner ${r.planner}`),
    h("div", { class: "times" }, h("div", { class: "time" }, time(r.ns), h("small", {}, "record")), h("div", { class: "time second" }, time(r.bound), h("small", {}, "bound for any plan"))),
    h("div", { class: "facts" }, fact(gap(r) < 5e-4 ? "none" : percent(gap(r)), gap(r) < 5e-4 ? "gap: no plan is faster by more than 0.05 %" : "gap: what there is to gain at most"), fact(String(r.changes), r.changes === 1 ? "reconfiguration" : "reconfigurations")),
    h("p", { class: "downloads" }, h("a", { class: "button", href: `#plan?${new URLSearchParams({ op: r.op, size: `${r.size}B`, nodes: r.nodes, ports: r.ports })}` }, "Open in Plan"),
      h("button", { type: "button", onclick: () => fetched(async (m) => save(`record-${r.op}-${r.nodes}-${r.ports}.json`, await api.blob(`v1/plans/${m.id}`))) }, "Download its plan"),
      h("button", { type: "button", onclick: () => fetched(async (m) => { const text = await (await api.blob(`v1/plans/${m.id}`)).text(); unverified(); $("#records-plan").value = text; }) }, "Start from its plan")), said,
    h("p", { class: "note" }, "Ports of 800 Gbps, start-up and hop 500 ns each, cut-through, reconfiguration 10 us, circuits free to choose before the first step. Times are kept to four digits."));
}

/** All records of an operation: one cell each, darker for a wider gap. */
function table() {
  const v = values(form), of = rows.filter((r) => r.op === v.op), sizes = [...new Set(of.map((r) => r.size))], lines = [...new Set(of.map((r) => `${r.nodes} ${r.ports}`))];
  return grid(`Records of ${v.op}`, ["GPUs", "Ports", ...sizes.map(bytes)], lines.map((l) => {
    const [nodes, ports] = l.split(" ").map(Number);
    return [nodes, ports, ...sizes.map((size) => {
      const r = find(v.op, nodes, ports, size);
      if (!r) return "–";
      const b = h("button", { type: "button", class: "cell-button", "aria-pressed": String(r === at), onclick: () => { for (const [k, x] of Object.entries({ nodes, ports, size })) form.elements[k].value = x; remember("records", form); pick(); $("#records-body .cell-button[aria-pressed=true]")?.focus({ preventScroll: true }); } }, h("span", { class: "sr" }, `${nodes} GPUs, ${ports} ports, ${bytes(size)}: `), time(r.ns), h("small", {}, gap(r) < 5e-4 ? "proven" : `+${percent(gap(r))}`));
      b.style.setProperty("--gap", `${Math.min(100, (100 * gap(r)) / 0.45)}%`);
      return b;
    })];
  }));
}

/** The number of records by gap, for each operation. */
function spread() {
  const ranges = [["proven best", 0, 5e-4], ["up to 1 %", 5e-4, 0.01], ["up to 10 %", 0.01, 0.1], ["up to 25 %", 0.1, 0.25], ["more", 0.25, Infinity]];
  const ops = [...new Set(rows.map((r) => r.op))];
  return h("div", {}, ops.map((op) => {
    const of = rows.filter((r) => r.op === op), counts = ranges.map(([, a, b]) => of.filter((r) => gap(r) >= a && gap(r) < b).length);
    return h("div", { class: "share-row" }, h("span", {}, op), h("div", { class: "share", role: "img", "aria-label": `${op}: ${ranges.map(([t], i) => `${counts[i]} ${t}`).join(", ")}` }, counts.map((c, i) => { const x = h("i", { class: `g${i}`, title: `${c} ${ranges[i][0]}` }); x.style.width = `${(100 * c) / of.length}%`; return x; })), h("b", {}, `${counts[0]} of ${of.length}`));
  }), h("ul", { class: "legend" }, ranges.map(([t], i) => h("li", {}, h("i", { class: `g${i}` }), t))));
}

async function take(file) {
  if (!file) return;
  const text = await file.text();
  $("#records-plan").value = text.length > 200_000 ? "" : text;
  rank(text);
}

/** Why there is no record for a plan's fabric, or "". */
function unlike(p) {
  for (const [k, v] of Object.entries(usual)) if (p.fabric[k] !== v) return `its fabric has ${k.replace(/_(ns|bps)$/, "")} ${p.fabric[k]}, records have ${v}`;
  if (p.fabric.reconfig?.model !== "constant" || p.fabric.reconfig?.base_ns !== 10000) return "its reconfiguration takes another time than 10 us";
  const more = Object.keys(p.fabric).filter((k) => !(k in usual) && !["nodes", "ports", "reconfig", "routing"].includes(k));
  return more.length ? `its fabric has “${more[0]}”, records have not` : "";
}

/** Verifies a plan at the service, and says how it compares with the record. */
async function rank(text) {
  const why = $("#records-plan-why"), button = $("#records-rank");
  unverified();
  const mine = ranking;
  let p;
  try { p = JSON.parse(text); } catch (e) { why.textContent = text.trim() ? `This is not a plan file, which is JSON: ${e.message}.` : "Paste a plan file first."; return; }
  button.disabled = true;
  body.classList.add("busy");
  try {
    const proof = await api.post("v1/verify", { plan: p });
    if (ranking !== mine) return; // the form has changed meanwhile
    const c = p.cost_ns, ns = c.startup + c.propagation + c.transmission + (c.reduction ?? 0) + c.reconfiguration; // of the verified plan
    const other = unlike(p), r = other ? null : find(p.collective.op, p.fabric.nodes, p.fabric.ports, p.collective.size_bytes);
    verdict = { proof, ns, r, p, other: other || (r ? "" : "there is no record for this operation, size, number of GPUs and ports") };
    if (r) {
      for (const k of ["op", "nodes", "ports", "size"]) form.elements[k].value = String(r[k]);
      remember("records", form);
      undo.note();
      at = r;
    }
    if (proof.ok) tries.push({ p, ns, r });
    render();
    live.textContent = $(".verdict-card", body)?.textContent ?? "";
    $(".verdict-card", body)?.scrollIntoView({ block: "nearest" });
  } catch (e) {
    if (!(e instanceof api.Problem)) throw e;
    if (ranking !== mine) return;
    why.textContent = e.status === 0 ? "The service does not answer. The records are stored in the page; verifying a plan needs the service: start it with “lightpath serve”." : `Refused: ${e.message}`;
  } finally {
    button.disabled = false;
    body.classList.remove("busy");
  }
}

function ranked() {
  const { proof, ns, r, p, other } = verdict, wrong = proof.checks.filter((c) => !c.ok && !c.unchecked), four = (x) => Number(x.toPrecision(4));
  let head, sort = "";
  if (!proof.ok) [head, sort] = [`Refused: ${wrong[0]?.detail ?? "the plan is not correct"}`, "bad"];
  else if (other) head = `Correct, ${time(ns)}, but not ranked: ${other}`;
  else if (four(ns) < four(r.ns)) [head, sort] = [`Faster than the record by ${percent(1 - ns / r.ns)}: the record is yours`, "good"];
  else if (four(ns) === four(r.ns)) [head, sort] = ["As fast as the record, to four digits", "good"];
  else head = `Correct, and slower than the record by ${percent(ns / r.ns - 1)}`;
  const mine = tries.filter((x) => x.r && x.r === r).sort((a, b) => a.ns - b.ns);
  return h("section", { class: "card verdict-card", "aria-label": "Your plan" }, h("h3", { class: sort }, head),
    proof.ok && !other && h("div", { class: "facts" }, fact(time(ns), "your plan"), fact(time(r.ns), "record"), fact(time(r.bound), "bound"), fact(signed(ns / r.bound - 1, percent), "above the bound")),
    mine.length > 1 && grid("Your plans for this record", ["Rank", "Time", "<Algorithm, planner"], [...mine.map((x) => [x.ns, `${x.p.collective.algorithm}, ${x.p.planner}`, x.p === p]), [r.ns, `record: ${r.by}`, false]].sort((a, b) => a[0] - b[0]).slice(0, 8).map(([t, by, own], i) => [i + 1, time(t), own ? h("b", {}, by) : by])),
    h("details", { open: !proof.ok }, h("summary", {}, `What was checked: ${proof.checks.filter((c) => c.ok).length} of ${proof.checks.length}`), h("ul", { class: "checks-list" }, proof.checks.map((c) => h("li", { class: c.ok ? "" : c.unchecked ? "soft" : "bad" }, `${c.ok ? "✓" : c.unchecked ? "–" : "✗"} ${c.name}: ${c.detail}`)))),
    h("p", { class: "note" }, "The list of records is docs/records.md; ranking a plan here does not change it."));
}
