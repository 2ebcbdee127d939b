// A topology drawn with GPUs in a circle. If edit is given, two clicks, or two presses of
// Enter, on GPUs add or remove the circuit between them.
import { s } from "./dom.js";

export function graph(nodes, links, { size = 360, label, edit } = {}) {
  const c = size / 2, r = c - 20, dot = Math.max(2, Math.min(11, (Math.PI * r) / nodes / 1.6));
  const at = Array.from({ length: nodes }, (_, i) => {
    const a = (2 * Math.PI * i) / nodes - Math.PI / 2;
    return [c + r * Math.cos(a), c + r * Math.sin(a)];
  });
  const svg = s("svg", { class: "graph", viewBox: `0 0 ${size} ${size}`, role: edit ? "group" : "img", "aria-label": label });
  const two = new Set(links.map(([u, v]) => `${u} ${v}`));
  let one = "", both = "";
  for (const [u, v] of links) {
    const [x1, y1] = at[u], [x2, y2] = at[v], mx = (x1 + x2) / 2, my = (y1 + y2) / 2, pull = 0.25 * Math.min(1, Math.hypot(x2 - x1, y2 - y1) / r);
    const d = `M${x1} ${y1}Q${mx + (c - mx) * pull + (y2 - y1) * 0.1} ${my + (c - my) * pull - (x2 - x1) * 0.1} ${x2} ${y2}`;
    if (!two.has(`${v} ${u}`)) one += d;
    else if (u < v) both += `M${x1} ${y1}L${x2} ${y2}`;
  }
  const wide = nodes > 100 ? 0.5 : 1.2;
  svg.append(s("path", { class: "wire", d: both, "stroke-width": wide }), s("path", { class: "wire one", d: one, "stroke-width": wide }));
  let from = null;
  at.forEach(([x, y], i) => {
    const g = s("g", edit ? { class: "gpu", tabindex: 0, role: "button", "aria-label": `GPU ${i}` } : { class: "gpu" }, s("circle", { cx: x, cy: y, r: edit ? Math.max(9, dot) : dot }));
    if (dot > 6 || edit) g.append(s("text", { x, y: y + 4, "text-anchor": "middle" }, i));
    if (edit) {
      const pick = () => {
        if (from === null) { from = i; g.classList.add("picked"); return; }
        const u = from;
        from = null;
        svg.querySelector(".picked")?.classList.remove("picked");
        if (u !== i) edit(u, i);
      };
      g.addEventListener("click", pick);
      g.addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); pick(); } });
    }
    svg.append(g);
  });
  return svg;
}
