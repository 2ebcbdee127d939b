// Draws GPUs in their islands, their ports, the switches they are plugged into, and the circuits.
// Every part is a button: a click, Enter or Space lets it fail.
import { h, s } from "./dom.js";

const hues = ["#1f6fe0", "#c4571a", "#0a7d74", "#7a5bd1", "#b0357c", "#5f7f1a", "#3d7f99", "#a86a00"]; // readable in both themes
const most = 256; // GPUs drawn
const tint = (k) => (k < 0 ? "var(--line)" : hues[k % hues.length]);

export class FabricPicture {
  /** Calls toggle(part) with the clicked part, in the words of requests: gpu:5, port:5.1, switch:2, island:0, link:0-1. */
  constructor({ plugging, plan, island, failed, width, toggle }) {
    Object.assign(this, { plugging, plan, island, failed, width, toggle, stage: 0, parts: [] });
    const n = plugging.at.length;
    if (n > most) {
      this.element = h("p", { class: "note" }, `${n} GPUs are too many to draw; up to ${most} are. Parts can still fail: write them into “What has failed”.`);
      return;
    }
    this.lay();
    this.svg = s("svg", { class: "draw fabric", width, height: this.height, viewBox: `0 0 ${width} ${this.height}`, role: "group", "aria-label": `${n} GPUs, ${plugging.switches} switches. Tab reaches a part, arrow keys go to others, Enter lets it fail or mends it.` });
    const stages = plan?.stages ?? [];
    const pick = stages.length > 1 && h("select", { "aria-label": "Stage of the plan", onchange: (e) => { this.stage = Number(e.target.value); this.circuits(); } }, stages.map((x, i) => h("option", { value: i }, `Stage ${i + 1} of ${stages.length}: ${x.topology}`)));
    this.said = h("p", { class: "note", role: "status" });
    this.element = h("div", {}, pick && h("div", { class: "actions" }, pick), this.svg, this.said,
      h("ul", { class: "legend" }, h("li", {}, "Colours: the switch that a port is plugged into"), h("li", {}, h("i", { class: "failed-key" }), "failed"), h("li", {}, "Arcs: circuits between GPUs in the plan")));
    this.fibres = s("g", { class: "fibres" });
    this.arcs = s("g", { class: "arcs" });
    this.svg.append(this.fibres, this.arcs);
    this.draw();
    this.circuits();
    this.svg.addEventListener("keydown", (e) => this.press(e));
  }

  /** Computes all positions. */
  lay() {
    const { at, switches } = this.plugging, n = at.length, group = this.island > 1 ? this.island : Math.min(n, 8), ports = at[0].length;
    const groups = Math.ceil(n / group), fits = (this.width - groups * 22) / n, pitch = Math.min(46, Math.max(fits >= 22 ? fits : 34, ports * 9 + 4)), inRow = Math.max(1, Math.floor((this.width - 14) / pitch));
    const perGroup = Math.min(group, inRow), rowsOf = Math.ceil(group / perGroup), groupWide = perGroup * pitch + 12, across = Math.max(1, Math.floor(this.width / groupWide)), groupTall = rowsOf * 62 + 26;
    const count = Math.ceil(n / group), gapX = Math.min(40, (this.width - Math.min(across, count) * groupWide) / Math.max(1, Math.min(across, count)));
    Object.assign(this, { pitch, group, grouped: this.island > 1 });
    this.top = count <= across ? 74 : 44; // room for arcs
    this.boxes = Array.from({ length: count }, (_, k) => ({ x: (k % across) * (groupWide + gapX) + gapX / 2, y: this.top + Math.floor(k / across) * (groupTall + 56), w: groupWide, h: groupTall }));
    this.gpu = at.map((_, u) => {
      const b = this.boxes[Math.floor(u / group)], i = u % group;
      return { x: b.x + 6 + (i % perGroup) * pitch + pitch / 2, y: b.y + 8 + Math.floor(i / perGroup) * 62 };
    });
    const bottom = Math.max(...this.boxes.map((b) => b.y + b.h)), wide = Math.max(56, Math.min(120, this.width / Math.min(switches, 12) - 10)), line = Math.max(1, Math.floor(this.width / (wide + 10)));
    this.sw = Array.from({ length: switches }, (_, k) => {
      const inLine = Math.min(line, switches - Math.floor(k / line) * line), free = this.width - inLine * (wide + 10);
      return { x: free / 2 + (k % line) * (wide + 10) + 5, y: bottom + 70 + Math.floor(k / line) * 46, w: wide, h: 32 };
    });
    this.height = Math.max(...this.sw.map((b) => b.y + b.h)) + 8;
    this.flat = this.boxes.every((b) => b.y === this.top) && this.sw.every((b) => b.y === this.sw[0].y); // otherwise fibres would cross unrelated parts
  }

  spot(u, p) {
    const ports = this.plugging.at[u].length, g = this.gpu[u], step = Math.min(13, (this.pitch - 6) / ports);
    return { x: g.x + (p - (ports - 1) / 2) * step, y: g.y + 36, size: Math.min(11, step - 2) };
  }

  /** A part that can fail. */
  part(id, name, attributes, ...shapes) {
    const bad = this.failed.has(id), g = s("g", { class: `part${bad ? " failed" : ""}`, role: "button", tabindex: this.parts.length ? -1 : 0, "aria-pressed": String(bad), "aria-label": `${name}${bad ? ", failed" : ""}`, "data-part": id, ...attributes }, ...shapes, s("title", {}, `${name}${bad ? ": failed; click to mend it" : ": click and it fails"}`));
    g.addEventListener("click", () => this.toggle(id));
    g.addEventListener("focus", () => { for (const p of this.parts) p.setAttribute("tabindex", p === g ? 0 : -1); this.tell(id, name); });
    g.addEventListener("pointerenter", () => this.tell(id, name));
    g.addEventListener("pointerleave", () => this.tell(null));
    this.parts.push(g);
    return g;
  }

  /** Shows what a part is connected to, in words and by emphasis. */
  tell(id, name) {
    const [kind, which] = (id ?? "").split(":"), of = (u, p, k) => (kind === "gpu" && u === Number(which)) || (kind === "switch" && k === Number(which)) || (kind === "port" && which === `${u}.${p}`);
    let count = 0;
    for (const f of this.fibres.children) {
      const on = id && of(Number(f.dataset.u), Number(f.dataset.p), Number(f.dataset.k));
      f.classList.toggle("on", Boolean(on));
      if (on) count++;
    }
    if (id) this.said.textContent = `${name}${kind === "switch" ? `: ${this.plugging.at.flat().filter((k) => k === Number(which)).length} ports are plugged into it` : kind === "port" ? `: on switch ${this.plugging.at[Number(which.split(".")[0])][Number(which.split(".")[1])]}` : count ? `: ${count} fibres` : ""}.`;
  }

  draw() {
    const add = (...x) => this.svg.append(...x);
    if (this.grouped) this.boxes.forEach((b, k) => add(this.part(`island:${k}`, `Island ${k}`, {}, s("rect", { class: "island", x: b.x, y: b.y, width: b.w, height: b.h, rx: 8 }), s("text", { class: "soft", x: b.x + 8, y: b.y + b.h - 7 }, `island ${k}`))));
    this.plugging.at.forEach((ports, u) => {
      const g = this.gpu[u];
      add(this.part(`gpu:${u}`, `GPU ${u}`, {}, s("rect", { class: "gpu-box", x: g.x - this.pitch / 2 + 2, y: g.y, width: this.pitch - 4, height: 30, rx: 5 }), s("text", { x: g.x, y: g.y + 19, "text-anchor": "middle" }, String(u))));
      ports.forEach((k, p) => {
        const at = this.spot(u, p);
        add(this.part(`port:${u}.${p}`, `Port ${p} of GPU ${u}`, {}, s("rect", { class: "hit", x: at.x - 6, y: at.y - 5, width: 12, height: 24 }), s("rect", { class: this.lost(u, p, k) ? "port-box lost" : "port-box", x: at.x - at.size / 2, y: at.y, width: at.size, height: at.size, rx: 2, style: `fill:${tint(k)}` })));
        if (k >= 0 && this.flat) this.fibres.append(s("path", { d: `M${at.x} ${at.y + at.size}C${at.x} ${at.y + 50} ${this.sw[k].x + this.sw[k].w / 2} ${this.sw[k].y - 40} ${this.sw[k].x + this.sw[k].w / 2} ${this.sw[k].y}`, style: `stroke:${tint(k)}`, "data-u": u, "data-p": p, "data-k": k, class: this.lost(u, p, k) ? "lost" : "" }));
      });
    });
    this.sw.forEach((b, k) => add(this.part(`switch:${k}`, `Switch ${k}`, {}, s("rect", { class: "switch-box", x: b.x, y: b.y, width: b.w, height: b.h, rx: 6, style: `stroke:${tint(k)}` }), s("text", { x: b.x + b.w / 2, y: b.y + 20, "text-anchor": "middle" }, b.w < 70 ? `${k}` : `switch ${k}`))));
  }

  lost(u, p, k) { return this.failed.has(`gpu:${u}`) || this.failed.has(`port:${u}.${p}`) || this.failed.has(`switch:${k}`); }

  /** The circuits of a stage, above the GPUs. */
  circuits() {
    for (const a of this.arcs.querySelectorAll("[data-part]")) this.parts.splice(this.parts.indexOf(a), 1);
    const stage = this.plan?.stages[this.stage];
    if (!stage) { this.arcs.replaceChildren(); return; }
    const seen = new Map();
    const list = stage.circuits?.length ? stage.circuits.map(([u, , v, , k]) => [u, v, k]) : (stage.links ?? []).map(([u, v]) => [u, v, 0]);
    for (const [u, v, k] of list) if (!seen.has(`${Math.min(u, v)}-${Math.max(u, v)}`)) seen.set(`${Math.min(u, v)}-${Math.max(u, v)}`, [u, v, k]);
    this.arcs.replaceChildren(...[...seen].slice(0, 800).map(([id, [u, v, k]]) => {
      const a = this.gpu[u], b = this.gpu[v], up = Math.min(84, 14 + Math.abs(a.x - b.x) / 6), y = Math.min(a.y, b.y) - up, bow = (u < v ? 1 : -1) * Math.min(60, Math.abs(a.y - b.y) / 7 + 8), d = a.y === b.y ? `M${a.x} ${a.y}C${a.x} ${y} ${b.x} ${y} ${b.x} ${b.y}` : `M${a.x} ${a.y + 15}C${a.x + bow} ${a.y + 15} ${b.x + bow} ${b.y + 15} ${b.x} ${b.y + 15}`;
      return this.part(`link:${id}`, `Circuit between GPUs ${id.replace("-", " and ")}`, {}, s("path", { class: "hit-line", d }), s("path", { class: "arc", d, style: `stroke:${tint(k)}` }));
    }));
  }

  press(e) {
    const i = this.parts.indexOf(e.target.closest("[data-part]"));
    if (i < 0) return;
    const kind = (p) => p.dataset.part.split(":")[0], same = this.parts.filter((p) => kind(p) === kind(this.parts[i])), kinds = [...new Set(this.parts.map(kind))], j = same.indexOf(this.parts[i]);
    const to = { ArrowRight: () => same[(j + 1) % same.length], ArrowLeft: () => same[(j - 1 + same.length) % same.length],
      ArrowDown: () => this.parts.find((p) => kind(p) === kinds[(kinds.indexOf(kind(this.parts[i])) + 1) % kinds.length]), ArrowUp: () => this.parts.find((p) => kind(p) === kinds[(kinds.indexOf(kind(this.parts[i])) - 1 + kinds.length) % kinds.length]) };
    if (e.key === "Enter" || e.key === " ") this.toggle(this.parts[i].dataset.part);
    else if (to[e.key]) to[e.key]()?.focus();
    else return;
    e.preventDefault();
  }

  focus(id) { this.parts.find((p) => p.dataset.part === id)?.focus(); }
}
