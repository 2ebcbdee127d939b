// A scrubber with a play button, with which Plan and Simulate move through time.
import { h, s } from "./dom.js";

/** Two bars or a triangle, drawn: not every font has these signs. */
const icon = (on) => s("svg", { class: "icon", viewBox: "0 0 12 12", "aria-hidden": "true" }, s("path", { d: on ? "M2 1h3v10H2zM7 1h3v10H7z" : "M2 1l9 5-9 5z" }));

/**
 * draw(t) shows a moment from 0 to total, which may be a function. Gives the element, and what
 * moves it. Played to the end it begins again, or, if it is to be played once, stops there.
 */
export function player({ total: length, seconds, draw, label, alive, once = false }) {
  const whole = () => (typeof length === "function" ? length() : length);
  const clock = h("output", {});
  const slider = h("input", { type: "range", min: 0, max: 1000, value: 0, step: "any", "aria-label": label });
  const button = h("button", { type: "button", class: "play" }, icon(false), "Play");
  const pace = h("select", { "aria-label": "Speed" }, [["0.25", "¼×"], ["0.5", "½×"], ["1", "1×"], ["2", "2×"]].map(([v, t]) => h("option", { value: v, selected: v === "1" }, t)));
  let on = false, last = 0, now = 0;
  const show = (t) => {
    now = t;
    slider.value = (1000 * t) / whole();
    clock.textContent = draw(t);
  };
  const tick = (at) => {
    if (!on || !alive()) return;
    const total = whole(), t = now + (total * Math.min(100, at - last) * Number(pace.value)) / 1000 / seconds;
    last = at;
    if (t >= total && once) {
      show(total);
      toggle(false);
      return;
    }
    show(t >= total ? 0 : t);
    requestAnimationFrame(tick);
  };
  const toggle = (to) => {
    if (on === to) return;
    on = to;
    if (on && once && now >= whole()) now = 0;
    button.replaceChildren(icon(on), on ? "Pause" : "Play");
    last = performance.now();
    if (on) requestAnimationFrame(tick);
  };
  button.addEventListener("click", () => toggle(!on));
  slider.addEventListener("input", () => { toggle(false); show((slider.valueAsNumber / 1000) * whole()); });
  return {
    element: h("div", { class: "player" }, button, slider, pace, clock),
    seek: (t) => { toggle(false); show(Math.min(whole(), Math.max(0, t))); },
    play: () => toggle(true), toggle: () => toggle(!on), show, redraw: () => show(now), now: () => now,
  };
}
