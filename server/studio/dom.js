// Small helpers for elements and for numbers with units.

const SVG = "http://www.w3.org/2000/svg";

function fill(e, attributes, children) {
  for (const [k, v] of Object.entries(attributes || {})) {
    if (v === undefined || v === null || v === false) continue;
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else e.setAttribute(k, v === true ? "" : v);
  }
  e.append(...children.flat().filter((c) => c !== undefined && c !== null && c !== false));
  return e;
}

export const h = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
export const s = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);
export const $ = (selector, inside = document) => inside.querySelector(selector);

const three = (x) => (x === 0 ? "0" : String(Number(x.toPrecision(4))));

export function time(ns) {
  if (!(ns > 0)) return "0 ns";
  for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]]) if (ns >= size) return `${three(ns / size)} ${unit}`;
  return `${three(ns * 1e3)} ps`;
}

export function bytes(b) {
  for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]]) if (b >= size) return `${three(b / size)} ${unit}`;
  return `${three(b)} B`;
}

export const percent = (x) => `${(100 * x).toFixed(x < 0.1 ? 1 : 0)} %`;
export const factor = (x) => `${x.toFixed(x < 10 ? 2 : 1)}×`;
export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Gives a file to the reader. */
export function save(name, content) {
  const url = URL.createObjectURL(content);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
