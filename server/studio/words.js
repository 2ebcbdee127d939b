// The findings of explain, in sentences.
import { bytes, h, spaced, time } from "./dom.js";

const range = (r, from, to, show, least, any) => {
  const lo = r?.[from], hi = r?.[to];
  if (lo === undefined && hi === undefined) return "";
  if (hi === undefined) return lo > least ? `of ${show(lo)} and more` : any;
  return lo > least ? `between ${show(lo)} and ${show(hi)}` : `up to ${show(hi)}`;
};

export function words(e) {
  const list = e.changes.map((c) => {
    const [a, b] = c.steps, which = a === b ? `step ${a}` : `steps ${a} to ${b}`;
    const why = c.needed
      ? "Without it there is no plan."
      : `${c.together > 1 ? `Together with what depends on it (${c.together} changes) it` : "It"} saves ${time(c.saved_ns)} and costs ${time(c.paid_ns)}; it pays up to a delay of ${time(c.break_even_ns)}. The alternative: ${spaced(c.instead)}.`;
    return h("li", {}, h("b", {}, `Stage ${c.stage}, ${c.from || "other circuits"} → ${c.to || "other circuits"}, for ${which}. `), why);
  });
  const delays = range(e.reconfig, "from_ns", "to_ns", time, 0, "of any length"), sizes = range(e.size, "from_bytes", "to_bytes", bytes, 1, "of any amount");
  return h("div", {},
    list.length ? h("ol", {}, list) : h("p", {}, "No reconfigurations: none would be worth its delay."),
    delays && h("p", {}, `This is the planner's best plan for reconfiguration delays ${delays}.`),
    sizes && h("p", {}, `It is also its best for sizes ${sizes}.`));
}
