// Forms: fields with the names of the flags, errors beside them, and their state in the URL.
import { h, $ } from "./dom.js";

/** Makes the fields of a form. Each: {name, label, value, options?, list?, wide?, hint?}. */
export function fields(specs) {
  return specs.map((f) => {
    const id = `f-${f.form}-${f.name}`;
    const common = { id, name: f.name, "aria-describedby": `${id}-why`, autocomplete: "off" };
    const control = f.options
      ? h("select", common, f.options.map(([value, text]) => h("option", { value, selected: value === f.value }, text)))
      : h("input", { ...common, value: f.value, placeholder: f.hint, spellcheck: "false", inputmode: f.number ? "numeric" : undefined });
    return h("div", { class: f.wide ? "field wide" : "field" }, h("label", { for: id }, f.label), control, h("div", { class: "why", id: `${id}-why` }));
  });
}

/** What is in a form, by name; of what is ticked "on" or "off". */
export function values(form) {
  const ticks = [...form.querySelectorAll("[type=checkbox][name]")].map((e) => [e.name, e.checked ? "on" : "off"]);
  return { ...Object.fromEntries([...new FormData(form)].map(([k, v]) => [k, v.trim()])), ...Object.fromEntries(ticks) };
}

export function clear(form) {
  for (const e of form.querySelectorAll("[aria-invalid]")) e.removeAttribute("aria-invalid");
  for (const e of form.querySelectorAll(".why")) e.textContent = "";
}

/** The field of a form that a path of the API means, such as operations[0].size_bytes. */
function named(form, path) {
  for (const part of path.split(".").reverse()) {
    const name = part.replace(/\[.*/, "").replace(/_(bytes|ns|bps)$/, "");
    if (form.elements[name]) return form.elements[name];
  }
  return null;
}

/** Shows a problem beside its field, or in the box. */
export function blame(form, box, problem, at) {
  const control = named(form, at ?? problem.field);
  box.hidden = Boolean(control);
  if (!control) {
    box.textContent = (problem.field ? problem.field + ": " : "") + problem.message;
    return;
  }
  control.setAttribute("aria-invalid", "true");
  $(`#${control.id}-why`).textContent = problem.message;
  control.closest("details")?.setAttribute("open", "");
}

/** Puts the state of a form into the URL, so that it can be shared; old states can be gone back to. */
export function remember(view, form) {
  const to = `#${view}?${new URLSearchParams(values(form))}`;
  if (location.hash === to) return;
  if (location.hash.includes("?")) history.pushState(null, "", to);
  else history.replaceState(null, "", to); // nothing was asked yet that one could go back to
}

export function restore(form, query) {
  for (const [k, v] of new URLSearchParams(query)) {
    const e = form.elements[k];
    if (e?.type === "checkbox") e.checked = v === "on";
    else if (e) e.value = v;
  }
}
