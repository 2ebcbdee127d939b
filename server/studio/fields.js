// Forms: fields with the names of the flags, errors beside them, and their state in the URL.
import { write } from "./address.js";
import { $, h } from "./dom.js";

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

/** The values of a form, by name; "on" or "off" for checkboxes. */
export function values(form) {
  const ticks = [...form.elements].filter((e) => e.type === "checkbox" && e.name).map((e) => [e.name, e.checked ? "on" : "off"]);
  return { ...Object.fromEntries([...new FormData(form)].map(([k, v]) => [k, v.trim()])), ...Object.fromEntries(ticks) };
}

/** Removes the errors of a form, except for unknown choices; returns whether there are any. */
export function clear(form) {
  for (const e of form.querySelectorAll("[aria-invalid]")) e.removeAttribute("aria-invalid");
  for (const e of form.querySelectorAll(".why")) e.textContent = "";
  const odd = [...form.querySelectorAll("select")].filter((e) => e.selectedOptions[0]?.hasAttribute("data-odd"));
  for (const e of odd) mark(e, `“${e.value.slice(0, 40)}” is none of the choices`);
  return odd.length > 0;
}

function mark(control, words) {
  control.setAttribute("aria-invalid", "true");
  $(`#${control.id}-why`).textContent = words;
  control.closest("details")?.setAttribute("open", "");
}

/** Shows that the page does not show the answer to the current form. */
export function stale(body) {
  body.classList.add("stale");
  if (!body.childElementCount) body.append(h("section", { class: "card former" }, h("h3", {}, "Nothing to show yet"), h("p", {}, "The message above, or beside a field of the form, says why.")));
  else if (!$(":scope > .former", body)) body.prepend(h("p", { class: "former" }, "The results below belong to the last valid form."));
}

/** The field of a form for a path of the API, such as operations[0].size_bytes. */
function named(form, path) {
  for (const part of path.split(".").reverse()) {
    const name = part.replace(/\[.*/, "").replace(/_(bytes|ns|bps)$/, "");
    if (form.elements[name]) return form.elements[name];
  }
  return null;
}

/** Shows a problem and the others beside their fields, or in the box. where(field) returns the form's name of a field. */
export function blame(form, box, problem, where = (field) => field) {
  const rest = [];
  for (const p of [problem, ...(problem.others ?? [])]) {
    const control = named(form, where(p.field));
    if (!control) {
      rest.push((p.field ? p.field + ": " : "") + p.message);
      continue;
    }
    // JSON has numbers; people type words.
    const typed = control.inputMode === "numeric" && !/^\d+$/.test(control.value.trim());
    mark(control, typed ? (control.value.trim() ? `“${control.value.trim().slice(0, 40)}” is not a whole number` : "write a whole number") : p.message);
  }
  box.hidden = !rest.length;
  box.textContent = rest.join(" · ");
}

/** Puts the state of a form into the URL, so that it can be shared and the Back button returns to old states. */
export function remember(view, form) {
  const to = `#${view}?${new URLSearchParams(values(form))}`;
  if (location.hash === to) return;
  write(to, location.hash.includes("?")); // before the first request there is nothing to go back to
}

/**
 * Brings a form to the state that a URL has; what it does not name is as at the start. A choice
 * that there is not is shown as it is, so that the service says what is wrong with it. Returns
 * what is no field of the form.
 */
export function restore(form, query) {
  form.reset();
  for (const o of form.querySelectorAll("option[data-odd]")) o.remove();
  const unknown = [];
  for (const [k, v] of new URLSearchParams(query)) {
    const e = form.elements.namedItem(k);
    if (!e?.name) unknown.push(k);
    else if (e.type === "checkbox") e.checked = v === "on";
    else {
      if (e.options && ![...e.options].some((o) => o.value === v)) e.append(h("option", { value: v, "data-odd": true }, `${v} ?`));
      e.value = v;
    }
  }
  return unknown;
}

/** Says which parts of a URL are unknown. */
export function strange(box, unknown) {
  if (!unknown.length) return;
  box.hidden = false;
  box.textContent = `The address has ${unknown.map((k) => `“${k.slice(0, 40)}”`).join(", ")}, which is no field of this form, and is left out.`;
}
