// A scrubber with a button that plays: what Plan and Simulate move through time with.
import { h } from "./dom.js";

/** draw(t) shows a moment from 0 to total. Gives the element, and what moves it. */
export function player({ total, seconds, draw, label, alive }) {
  const clock = h("output", {});
  const slider = h("input", { type: "range", min: 0, max: 1000, value: 0, step: "any", "aria-label": label });
  const button = h("button", { type: "button", "aria-pressed": "false" }, "▶ Play");
  const pace = h("select", { "aria-label": "Speed" }, [["0.25", "¼×"], ["0.5", "½×"], ["1", "1×"], ["2", "2×"]].map(([v, t]) => h("option", { value: v, selected: v === "1" }, t)));
  let on = false, last = 0, now = 0;
  const show = (t) => {
    now = t;
    slider.value = (1000 * t) / total;
    clock.textContent = draw(t);
  };
  const tick = (at) => {
    if (!on || !alive()) return;
    const t = now + (total * Math.min(100, at - last) * Number(pace.value)) / 1000 / seconds;
    last = at;
    show(t >= total ? 0 : t);
    requestAnimationFrame(tick);
  };
  const toggle = (to) => {
    if (on === to) return;
    on = to;
    button.textContent = on ? "⏸ Pause" : "▶ Play";
    button.setAttribute("aria-pressed", String(on));
    last = performance.now();
    if (on) requestAnimationFrame(tick);
  };
  button.addEventListener("click", () => toggle(!on));
  slider.addEventListener("input", () => { toggle(false); show((slider.valueAsNumber / 1000) * total); });
  return {
    element: h("div", { class: "player" }, button, slider, pace, clock),
    seek: (t) => { toggle(false); show(Math.min(total, Math.max(0, t))); },
    show, redraw: () => show(now), now: () => now,
  };
}
