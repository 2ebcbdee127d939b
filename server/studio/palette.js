// The command palette: Ctrl+K finds a view, an example or an action by its words.
import { h } from "./dom.js";

/** The commands available everywhere: [words, address or function]. */
const always = [
  ["Example: a step of Mixtral on 16 GPUs", "#iteration"], ["Example: switches that take 10 ms, in a training step", "#iteration?model=mixtral-8x7b&tp=2&pp=2&dp=4&ep=2&global_batch=8&ports=2&reconfig=10ms&bandwidth=800Gbps"],
  ["Example: a failed switch", "#fabric?avoid=switch:2"], ["Example: what to buy for 512 GPUs", "#design"], ["Example: the records of all-to-all", "#records?op=alltoall"],
  ["Theme: light or dark", () => document.querySelector("#theme").click()], ["Copy the link to this view", () => navigator.clipboard?.writeText(location.href)],
  ["Undo (Ctrl+Z)", () => shown()?.querySelector("[aria-label=Undo]")?.click()], ["Redo (Ctrl+Shift+Z)", () => shown()?.querySelector("[aria-label=Redo]")?.click()],
  ["Go to the form", () => shown()?.querySelector("form select, form input")?.focus()], ["Ask: what the form says", () => shown()?.querySelector("form .primary")?.click()],
  ["Description of the API", () => open("openapi.json", "_blank", "noopener")],
];

const shown = () => document.querySelector("main > section:not([hidden])");

/** Words of a command that a reader types in any order, or their first letters. */
const matches = (text, query) => query.toLowerCase().split(/\s+/).every((w) => text.toLowerCase().includes(w));

/** Adds the palette to the page; it knows the views from the links to them. */
export function install() {
  const input = h("input", { type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-label": "What to do", placeholder: "Where to, or what to do", autocomplete: "off", spellcheck: "false" });
  const list = h("ul", { id: "palette-list", role: "listbox", "aria-label": "Commands" });
  const box = h("dialog", { class: "palette", "aria-label": "Command palette" }, input, list, h("p", { class: "note" }, "↑ ↓ choose, Enter does it, Esc closes"));
  document.body.append(box);
  let found = [], at = 0;
  const draw = () => {
    const views = [...document.querySelectorAll("[data-view]")].map((a) => [`View: ${a.textContent}`, a.getAttribute("href")]);
    found = [...views, ...always].filter(([t]) => matches(t, input.value.trim()));
    at = Math.max(0, Math.min(at, found.length - 1));
    list.replaceChildren(...found.map(([t], i) => h("li", { role: "option", id: `palette-${i}`, "aria-selected": String(i === at), onclick: () => go(i) }, t)));
    if (!found.length) list.replaceChildren(h("li", { role: "option", "aria-selected": "false", "aria-disabled": "true" }, "No command matches"));
    input.setAttribute("aria-activedescendant", found.length ? `palette-${at}` : "");
    list.children[at]?.scrollIntoView({ block: "nearest" });
  };
  const go = (i) => {
    const what = found[i]?.[1];
    if (!what) return;
    box.close();
    if (typeof what === "string") location.hash = what;
    else what();
  };
  const start = () => {
    if (box.open) { box.close(); return; }
    input.value = "";
    at = 0;
    draw();
    box.showModal();
    input.focus();
  };
  input.addEventListener("input", () => { at = 0; draw(); });
  input.addEventListener("keydown", (e) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (by && found.length) { at = (at + by + found.length) % found.length; draw(); } else if (e.key === "Enter") go(at);
    else return;
    e.preventDefault();
  });
  box.addEventListener("click", (e) => { if (e.target === box) box.close(); });
  document.addEventListener("keydown", (e) => {
    if ((e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey && e.key.toLowerCase() === "k") { e.preventDefault(); start(); }
  });
  const button = h("button", { type: "button", id: "palette", "aria-label": "Command palette, Ctrl K", "aria-keyshortcuts": "Control+K", title: "Command palette (Ctrl+K)", onclick: start }, h("span", { class: "keys" }, "Ctrl K"), h("span", { class: "few", "aria-hidden": "true" }, "⋯"));
  document.querySelector("#theme").before(button);
}
