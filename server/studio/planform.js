// The form that says what to plan, shared by the views Plan, Simulate and Run.
import { h } from "./dom.js";
import { fields, values } from "./fields.js";

const settings = ["bandwidth", "alpha", "delta", "reconfig", "initial", "base", "forwarding", "routing", "avoid"];

/** Fills a form: own is the view's own fields, actions its buttons. */
export function build(form, name, catalog, own, actions, preset = {}) {
  const word = (f) => ({ form: name, ...f, ...(preset[f.name] !== undefined && { value: preset[f.name] }) });
  const auto = [["auto", "auto"]];
  form.append(
    ...fields([
      word({ name: "preset", label: "Machine", wide: true, value: "", options: [["", "my own numbers"], ...catalog.presets.map((p) => [p.name, p.name])] }),
      word({ name: "op", label: "Operation", wide: true, value: "alltoall", options: catalog.operations.map((o) => [o, o]) }),
      word({ name: "size", label: "Size", value: "4MiB", hint: "4MiB" }),
      word({ name: "nodes", label: "GPUs", value: "16", number: true }),
      word({ name: "ports", label: "Ports each", value: "1", number: true }),
      word({ name: "reconfig", label: "Reconfiguration", value: "10us", hint: "10us" }),
      word({ name: "algorithm", label: "Algorithm", wide: true, value: "auto", options: [...auto, ...catalog.algorithms.map((a) => [a.name, a.name])] }),
      word({ name: "planner", label: "Planner", wide: true, value: "auto", options: [...auto, ...catalog.planners.filter((p) => p.name !== "auto").map((p) => [p.name, p.name])] }),
      ...own.map(word),
    ]),
    h("details", { class: "more" }, h("summary", {}, "More settings"), h("div", {}, fields([
      word({ name: "bandwidth", label: "Port bandwidth", value: "800Gbps", hint: "800Gbps" }),
      word({ name: "alpha", label: "Start-up per step", value: "500ns", hint: "500ns" }),
      word({ name: "delta", label: "Propagation per hop", value: "500ns", hint: "500ns" }),
      word({ name: "initial", label: "Initial circuits", value: "free", hint: "free, dark or a topology" }),
      word({ name: "base", label: "Base topology", value: "", hint: "the default" }),
      word({ name: "avoid", label: "Failed parts", value: "", hint: "link:3-4,gpu:5" }),
      word({ name: "forwarding", label: "Forwarding", value: "cut-through", options: [["cut-through", "cut-through"], ["store-and-forward", "store-and-forward"]] }),
      word({ name: "routing", label: "Routing", value: "optimal", options: ["optimal", "shortest", "shortest-split"].map((r) => [r, r]) }),
      word({ name: "duplex", label: "Circuits", value: "", options: [["", "one-way"], ["true", "two-way"]] }),
    ]))),
    h("div", { class: "actions" }, actions),
  );
  let former = {};
  form.elements.preset.addEventListener("change", () => {
    const { settings = {} } = catalog.presets.find((x) => x.name === form.elements.preset.value) ?? {};
    // Values that the previous machine set are removed; values that the reader typed stay.
    for (const [k, v] of Object.entries(former)) {
      const e = form.elements[k];
      if (e?.value === v) e.value = e.options ? [...e.options].find((o) => o.defaultSelected)?.value ?? "" : e.defaultValue;
    }
    former = {};
    for (const [k, v] of Object.entries(settings)) {
      const e = form.elements[k];
      if (e) e.value = former[k] = k === "duplex" && v === "false" ? "" : v;
    }
  });
}

/** The plan request of a form. */
export function request(form) {
  const v = values(form), fabric = {};
  if (v.preset) fabric.preset = v.preset;
  for (const k of ["nodes", "ports"]) fabric[k] = /^\d+$/.test(v[k]) ? Number(v[k]) : v[k];
  for (const k of settings) if (v[k]) fabric[k] = v[k];
  if (v.duplex) fabric.duplex = true;
  const operation = { op: v.op, size: v.size };
  if (v.algorithm !== "auto") operation.algorithm = v.algorithm;
  return { operations: [operation], fabric, planner: v.planner };
}
