// Small helpers for elements and for numbers with units.

const SVG = "http://www.w3.org/2000/svg";

function fill(e, attributes, children) {
  for (const [k, v] of Object.entries(attributes || {})) {
    if (v === undefined || v === null || v === false) continue;
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (k === "style") e.style.cssText = v; // the page may set this, but not the attribute
    else e.setAttribute(k, v === true ? "" : v);
  }
  e.append(...children.flat(Infinity).filter((c) => c !== undefined && c !== null && c !== false));
  return e;
}

export const h = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
export const s = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);
export const $ = (selector, inside = document) => inside.querySelector(selector);

const three = (x) => (x === 0 ? "0" : String(Number(x.toPrecision(4))));

export function time(ns) {
  if (!(ns >= 5e-4)) return "0 ns"; // less than half a picosecond is rounding
  for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]]) if (ns >= size) return `${three(ns / size)} ${unit}`;
  return `${three(ns * 1e3)} ps`;
}

export function bytes(b) {
  for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]]) if (b >= size) return `${three(b / size)} ${unit}`;
  return `${three(b)} B`;
}

/** A text of the service with values as the studio writes them: 64KiB as 64 KiB, 10us as 10 us. */
export const spaced = (text) => String(text ?? "").replace(/(?<=^|[\s(“])(\d[\d.]*)(?=([KMGT]i?)?B\b|[pnum]?s\b|[KMGT]bps\b)/g, "$1 ");

export const percent = (x) => `${(100 * x).toFixed(Math.abs(x) < 0.1 ? 1 : 0)} %`;
/** A number with its sign. */
export const signed = (x, show) => {
  const text = show(Math.abs(x));
  return `${/[1-9]/.test(text) ? (x > 0 ? "+" : "−") : ""}${text}`;
};
export const factor = (x) => `${x.toFixed(x < 10 ? 2 : 1)}×`;
export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The colours of the theme, by their names without the dashes. */
export function colors() {
  const all = getComputedStyle(document.documentElement);
  return Object.fromEntries(["ink", "soft", "line", "panel", "dim", "accent", "bad", "startup", "propagation", "transmission", "dark"].map((k) => [k, all.getPropertyValue(`--${k}`).trim()]));
}

export const card = (title, ...content) => h("section", { class: "card", "aria-label": title }, h("h3", {}, title), content);
export const fact = (value, text) => h("div", { class: "fact" }, h("b", {}, value), h("span", {}, text));

/**
 * A table: heads that begin with < are of words, and so are their columns. Roles are named, and
 * cells have their heads, because on a phone some tables are laid out otherwise.
 */
export function grid(label, heads, rows) {
  const names = heads.map((t) => t.replace("<", "")), words = heads.map((t) => t.startsWith("<") || undefined);
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Table: ${label}` }, h("table", { role: "table" },
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, names.map((t, i) => h("th", { scope: "col", role: "columnheader", class: words[i] && "l" }, t)))),
    h("tbody", { role: "rowgroup" }, rows.map((r) => h("tr", { role: "row" }, r.map((c, i) => h("td", { role: "cell", class: words[i] && "l", "data-head": names[i] }, c)))))));
}

/** Downloads a file. */
export function save(name, content) {
  const url = URL.createObjectURL(content);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** An answer that is stored with the studio, in JSON, compressed or not. */
export async function stored(name) {
  const r = await fetch(name).catch(() => ({ ok: false }));
  if (!r.ok) throw new Error(`${name} could not be loaded; is the service still running?`);
  return name.endsWith(".gz") ? new Response(r.body.pipeThrough(new DecompressionStream("gzip"))).json() : r.json();
}

const painted = ["fill", "fill-opacity", "opacity", "stroke", "stroke-width", "stroke-dasharray", "font", "paint-order", "visibility"];

/** Drawings of the page, one below the other, as a file with the page's colours. */
export function picture(...drawings) {
  let height = 16, width = 0;
  const whole = s("svg", { xmlns: SVG });
  for (const drawing of drawings) {
    const { width: w, height: tall } = drawing.viewBox.baseVal, copy = drawing.cloneNode(true), from = [drawing, ...drawing.querySelectorAll("*")];
    [copy, ...copy.querySelectorAll("*")].forEach((e, i) => {
      const style = getComputedStyle(from[i]);
      if (e.namespaceURI === SVG && i) for (const k of painted) e.style.setProperty(k, style.getPropertyValue(k));
      for (const a of ["class", "tabindex", "role"]) e.removeAttribute(a);
    });
    for (const [k, v] of Object.entries({ x: 16, y: height, width: w, height: tall })) copy.setAttribute(k, v);
    whole.append(copy);
    width = Math.max(width, w + 32);
    height += tall + 16;
  }
  for (const [k, v] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width, height })) whole.setAttribute(k, v);
  whole.prepend(s("rect", { width, height, fill: css("--panel") }));
  return new Blob([new XMLSerializer().serializeToString(whole)], { type: "image/svg+xml" });
}

const units = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, bps: 1, Kbps: 1e3, Mbps: 1e6, Gbps: 1e9, Tbps: 1e12, ps: 1e-3, ns: 1, us: 1e3, ms: 1e6, s: 1e9 };

/** A value with a unit, converted to the base unit: bytes, bits per second, or ns. */
export const number = (text) => {
  const m = /^([\d.e+-]+?)([A-Za-z]*)$/.exec(text);
  return m ? Number(m[1]) * (units[m[2]] ?? 1) : NaN;
};
