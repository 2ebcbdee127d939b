// A plan over time in the form of Chrome's traces, which Perfetto reads: a track for the circuits,
// one for every switch with its dark time, one for the steps and what each is made of.
import { steps } from "./timeline.js";

const kinds = { startup: "start-up", propagation: "propagation", transmission: "transmission" };

/** The trace of a plan; switches are those that go dark separately. Times are in microseconds. */
export function trace(summary, switches) {
  const events = [], process = 1, total = summary.cost_ns.total;
  const track = (tid, name) => events.push({ ph: "M", pid: process, tid, name: "thread_name", args: { name } }, { ph: "M", pid: process, tid, name: "thread_sort_index", args: { sort_index: tid } });
  const slice = (tid, name, from, to, args = {}) => { if (to > from) events.push({ ph: "X", pid: process, tid, name, ts: from / 1000, dur: (to - from) / 1000, args }); };
  events.push({ ph: "M", pid: process, name: "process_name", args: { name: `${summary.collective.op} on ${summary.fabric.nodes} GPUs by ${summary.collective.algorithm}, planner ${summary.planner}` } });
  track(1, "circuits");
  track(2, "steps");
  summary.stages.forEach((stage, i) => {
    const up = stage.start_ns + stage.reconfiguration_ns;
    slice(1, "dark", stage.start_ns, up, { stage: i + 1 });
    slice(1, stage.topology || `stage ${i + 1}`, up, summary.independent ? up + stage.steps.reduce((a, x) => a + x.total_ns, 0) : summary.stages[i + 1]?.start_ns ?? total, { stage: i + 1 });
  });
  for (const step of steps(summary)) {
    slice(2, `step ${step.index}`, step.start_ns, step.start_ns + step.total_ns, { topology: step.topology, hops: step.hops, congestion: step.congestion });
    let at = step.start_ns;
    for (const [k, name] of Object.entries(kinds)) slice(2, name, at, (at += step[`${k}_ns`] || 0));
  }
  for (const one of switches) {
    track(3 + one.index, `switch ${one.index + 1}`);
    for (const d of one.dark) slice(3 + one.index, "dark", d.from_ns, d.until_ns, { circuits: d.circuits, stage: d.stage });
  }
  return { displayTimeUnit: "ns", traceEvents: events };
}
