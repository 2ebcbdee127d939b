// The view of the papers: their claims beside our computed values, and their figures.
import * as api from "./api.js";
import { $, card, grid, h, s, percent, signed, stored, time } from "./dom.js";
import { clear, fields, remember, restore, strange, values } from "./fields.js";

const form = $("#papers-form"), body = $("#papers-body"), box = $("#papers-error"), live = $("#papers-live");
const verdicts = { matched: "matched", better: "better", differs: "differs", "not-checkable": "not checkable" };
const titles = { harvest: "HARVEST", "light-bends": "When Light Bends", retri: "ReTri", "direct-connect": "Direct-connect topologies", "reconfigure-or-not": "To Reconfigure or Not" };
const columns = { stated: "as stated", convention: "by the convention of the paper", best: "best reading" };
let rows = [], conventions = [];
const computed = new Map(); // by ID, in this visit
const pictures = new Map(); // by paper: a list, or a mark that it is being loaded
const few = 4; // figures shown before the reader asks for all
let all = false;

export async function start() {
  const [list, values] = await Promise.all([api.post("v1/reproduce", { list: true }), stored("papers.json")]);
  rows = list.rows.map((r) => ({ ...r, ...values[r.id] }));
  conventions = list.conventions ?? [];
  const papers = [...new Set(rows.map((r) => r.id.split("/")[0]))];
  form.append(...fields([
    { form: "papers", name: "paper", label: "Paper", wide: true, value: papers[0], options: papers.map((p) => [p, titles[p] ?? p]) },
    { form: "papers", name: "verdict", label: "Verdict", value: "", options: [["", "all"], ...Object.entries(verdicts)] },
    { form: "papers", name: "word", label: "With the word", value: "", hint: "Fig. 5" },
  ]), h("div", { class: "actions" }, h("button", { class: "primary", type: "button", id: "compute" }, "Compute these again"), h("button", { type: "button", id: "figures" }, "Draw the figures again")));
  form.addEventListener("input", () => { all = false; remember("papers", form); render(); });
  form.addEventListener("submit", (e) => e.preventDefault());
  $("#compute").addEventListener("click", () => compute(form.elements.paper.value, false));
  $("#figures").addEventListener("click", () => compute(form.elements.paper.value, true));
}

export function show(query) {
  const unknown = query ? restore(form, query) : [];
  box.hidden = true;
  clear(form);
  render();
  strange(box, unknown);
}

/** The stored figures of a paper, once they are loaded. */
async function drawn(paper) {
  if (pictures.has(paper)) return;
  pictures.set(paper, []);
  const list = await stored(`figures-${paper}.json.gz`).catch(() => []); // not every paper has figures
  if (!pictures.get(paper).length) pictures.set(paper, list);
  if (list.length && values(form).paper === paper) render();
}

const sizes = { ns: 1, us: 1e3, s: 1e9 };

/** A value with its unit, in the form of the other views. */
function measure(x, unit = "") {
  if (x === null || x === undefined) return "–";
  if (sizes[unit]) return x ? time(x * sizes[unit]) : "0";
  const text = number(x);
  return unit === "times" ? `${text}×` : unit === "%" ? `${text} %` : unit ? `${text} ${unit}` : text;
}

const number = (x) => (x === null || x === undefined ? "–" : String(Number(x.toPrecision(5))));

/** Computes the claims of a paper, or one, as a job. */
async function compute(id, figures) {
  clear(form);
  box.hidden = true;
  const said = $("#papers-said"), bar = $("#papers-bar");
  const buttons = [$("#compute"), $("#figures")];
  for (const b of buttons) b.disabled = true;
  bar.hidden = false;
  bar.removeAttribute("value");
  said.textContent = "Computing…";
  try {
    const made = await api.post("v1/jobs", { command: "reproduce", request: { id, ...(figures && { figures: true }) } });
    let last = made;
    await api.follow(made.id, (kind, value) => {
      if (kind !== "job") return;
      last = value;
      if (value.total) { bar.max = value.total; bar.value = value.done; said.textContent = `${value.done} of ${value.total}`; }
    });
    if (last.state !== "done") throw new api.Problem(0, "", last.error?.problem ?? last.state);
    const answer = await api.get(`v1/jobs/${made.id}/answer`);
    for (const r of answer.rows) computed.set(r.id, r);
    if (answer.figures) pictures.set(id.split("/")[0], answer.figures);
    render();
    $("#papers-said").textContent = `${answer.rows.length === 1 ? "1 claim is" : `${answer.rows.length} claims are`} computed${answer.left ? `; ${answer.left} take long: compute each by itself` : ""}${answer.figures ? `; ${answer.figures.length} figures are drawn` : ""}.`;
    live.textContent = $("#papers-said").textContent;
  } catch (e) {
    if (!(e instanceof api.Problem)) throw e;
    said.textContent = "";
    box.hidden = false;
    box.textContent = e.field === "figures" ? "This version draws no figures of papers." : e.message;
  } finally {
    for (const b of buttons) b.disabled = false;
    $("#papers-bar").hidden = true;
  }
}

function render() {
  const v = values(form);
  drawn(v.paper);
  const of = rows.filter((r) => r.id.startsWith(`${v.paper}/`)).map((r) => computed.get(r.id) ?? r);
  const shown = of.filter((r) => (!v.verdict || r.verdict === v.verdict) && (!v.word || `${r.id} ${r.source} ${r.quantity} ${r.why ?? ""}`.toLowerCase().includes(v.word.toLowerCase())));
  const counts = Object.keys(verdicts).map((k) => [k, of.filter((r) => r.verdict === k).length]);
  const bar = h("progress", { id: "papers-bar", hidden: true, max: 1, "aria-label": "Claims that are computed" });
  body.replaceChildren(...[
    h("section", { class: "card", "aria-label": "Verdicts" }, h("h3", {}, `${titles[v.paper] ?? v.paper}: ${of.length} claims`),
      tally(counts, of.length),
      h("p", {}, Object.entries(columns).map(([k, name]) => `${of.filter((r) => r[k]?.verdict === "matched" || r[k]?.verdict === "better").length} ${name}`).join(", ") + "."),
      ...conventions.filter((c) => c.paper === v.paper).map((c) => h("p", { class: "note" }, `Convention: ${c.text}`)),
      h("p", { class: "note" }, `${of.some((r) => computed.has(r.id)) ? "Some values were computed just now; the others are" : "Values are"} those of this version, which its tests compute again.`), bar, h("p", { class: "note", id: "papers-said", role: "status" })),
    ...figures(pictures.get(v.paper)),
    shown.some((r) => r.ours !== null && !r.bound && r.published) && card("Ours beside what is published", ratios(shown.filter((r) => r.ours !== null && !r.bound && r.published > 0 && r.ours > 0))),
    shown.length ? h("section", { class: "card claims", "aria-label": "Claims" }, h("h3", {}, "Claims"), grid("Claims", ["<Where", "<What", "Published", "Ours", "Difference", "<Verdict", "<More"], shown.map((r) => [
      h("span", { title: r.id }, r.source), h("span", { class: "wrap" }, r.quantity), `${r.bound ? `${r.bound} ` : ""}${measure(r.published, r.unit)}`, measure(r.ours, r.unit), r.bound || r.difference === null || r.difference === undefined ? "–" : signed(r.difference, percent),
      h("span", { class: `verdict ${r.verdict}` }, verdicts[r.verdict]), h("details", { class: "why-row" }, h("summary", { "aria-label": `more on ${r.id}` }, "more"), h("p", {}, h("code", {}, r.id)), reading("As stated", r.convention?.reading || r.best?.reading ? { ...r.stated, reading: " " } : null, r.unit), reading("By the convention of the paper", r.convention, r.unit), r.best?.reading !== r.convention?.reading && reading("Best reading", r.best, r.unit), r.why && h("p", {}, r.why), r.verdict === "differs" && r.rerun && h("p", {}, "Again: ", h("code", {}, r.rerun)), r.tolerance && h("p", { class: "note" }, `Tolerance ${r.tolerance}`),
        r.verdict !== "not-checkable" && h("button", { type: "button", onclick: () => compute(r.id, false) }, r.full ? "Compute (takes long)" : "Compute"))])))
      : card("Claims", h("p", {}, "No claim matches. Choose another verdict, or a shorter word.")),
  ].filter(Boolean));
}

/** A column of a claim, if it has a reading of its own. */
function reading(name, c, unit) {
  return c?.reading && h("p", {}, `${name}${c.reading.trim() && ` (${c.reading})`}: ${c.ours === null || c.ours === undefined ? "" : `${measure(c.ours, unit)}, `}${verdicts[c.verdict]}.`);
}

/** One bar of the verdicts of a paper. */
function tally(counts, total) {
  let x = 0;
  const bar = s("svg", { class: "draw", viewBox: "0 0 1000 24", preserveAspectRatio: "none", height: 24, role: "img", "aria-label": counts.map(([k, n]) => `${n} ${verdicts[k]}`).join(", ") });
  for (const [k, n] of counts) {
    const w = (1000 * n) / (total || 1);
    if (n) bar.append(s("rect", { x, y: 0, width: w, height: 24, class: `v-${k}` }, s("title", {}, `${n} ${verdicts[k]}`)));
    x += w;
  }
  return h("div", {}, bar, h("ul", { class: "legend" }, counts.map(([k, n]) => h("li", {}, h("i", { class: `v-${k}` }), `${n} ${verdicts[k]}`))));
}

/** Every computed claim as a dot: 1 is the published value. */
function ratios(list) {
  const width = Math.max(280, $("#papers-result").clientWidth - 34), pitch = 18, most = 60, shown = list.slice(0, most), height = shown.length * pitch + 30;
  const left = Math.min(300, width * 0.45, 16 + 6.4 * Math.max(...shown.map((r) => r.id.length - r.id.indexOf("/"))));
  const logs = shown.map((r) => Math.log2(r.ours / r.published)), far = Math.max(0.25, ...logs.map(Math.abs)), x = (l) => left + ((l + far) / (2 * far)) * (width - left - 16);
  const g = s("svg", { class: "draw", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Ours over published, of ${shown.length} claims; the table below has the figures` });
  for (const l of [-far, 0, far]) g.append(s("line", { class: "grid", x1: x(l), x2: x(l), y1: 0, y2: height - 20 }), s("text", { class: "soft", x: x(l), y: height - 5, "text-anchor": l < 0 ? "start" : l > 0 ? "end" : "middle" }, `${number(Number((2 ** l).toPrecision(3)))}×`));
  shown.forEach((r, i) => {
    const y = i * pitch + 10, name = r.id.split("/").slice(1).join("/"), room = Math.floor((left - 10) / 6.4);
    g.append(s("text", { class: "soft", x: left - 8, y: y + 4, "text-anchor": "end" }, name.length > room ? `…${name.slice(1 - room)}` : name), s("line", { class: "grid", x1: x(0), x2: x(logs[i]), y1: y, y2: y }),
      s("circle", { cx: x(logs[i]), cy: y, r: 5, class: `v-${r.verdict}` }, s("title", {}, `${r.quantity}: published ${measure(r.published, r.unit)}, ours ${measure(r.ours, r.unit)}`)));
  });
  return h("div", {}, g, list.length > most && h("p", { class: "note" }, `The first ${most}; the table has all ${list.length}.`));
}

/** The figures of a paper, drawn from our numbers, side by side; a text about several appears once. */
function figures(list) {
  if (!list?.length) return [];
  const more = !all && list.length > few;
  const groups = (more ? list.slice(0, few) : list).reduce((m, p) => m.set(p.about ?? "", [...(m.get(p.about ?? "") ?? []), p]), new Map());
  return [card("Figures, drawn from our numbers", h("p", { class: "note" }, "Choose one to see it large."), [...groups].map(([about, of]) => h("div", { class: "figures" }, h("p", {}, h("b", {}, `${of[0].source}${of[0].better ? ", and what is better" : ""}. `), about), h("div", { class: "pair wide" }, of.map(picture)))), more && h("button", { type: "button", class: "all-figures", onclick: () => { all = true; render(); } }, `Show all ${list.length} figures`))];
}

function picture(p) {
  const [, width, height] = /width="([\d.]+)"[^>]*height="([\d.]+)"/.exec(p.svg) ?? [], image = () => h("img", { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(p.svg)}`, alt: `${p.source}: ${p.title}`, width, height });
  const large = () => {
    const box = h("dialog", { "aria-label": p.title }, h("form", { method: "dialog" }, h("button", {}, "Close")), image());
    box.addEventListener("close", () => box.remove());
    document.body.append(box);
    box.showModal();
  };
  return h("figure", { class: "one" }, h("button", { type: "button", class: "bare", onclick: large }, image()), h("figcaption", {}, p.title));
}
