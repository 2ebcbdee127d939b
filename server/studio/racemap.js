// The map beside a race: sizes across, delays upwards, and the lines at which the winner changes.
import { bytes, s, time } from "./dom.js";
import { fastest } from "./racetrack.js";

const same = 1e-9; // relative: times that differ by less are equal

const grain = 128; // delays examined before the exact place between two of them is found

/** The least delay from which something no longer holds, up to a greatest one. */
function until(race, most, holds) {
  const lo = Math.log(race.least_ns), hi = Math.log(most);
  if (!holds(race.least_ns)) return race.least_ns;
  for (let k = 1; k <= grain; k++) {
    let a = lo + ((hi - lo) * (k - 1)) / grain, b = lo + ((hi - lo) * k) / grain;
    if (holds(Math.exp(b))) continue;
    for (let i = 0; i < 30; i++) {
      const mid = (a + b) / 2;
      if (holds(Math.exp(mid))) a = mid;
      else b = mid;
    }
    return Math.exp(b);
  }
  return most;
}

const timesAt = (race, i, d) => Object.fromEntries(Object.keys(race.lanes).map((lane) => [lane, fastest(race, lane, i, d).total]));

/**
 * For every size: up to which delay reconfiguring every step is best, from which on staying static
 * is, and up to which delay the fastest every-step plan is faster than the best static one. Where
 * the fastest every-step plan keeps its circuits it is as fast as a static one at any delay: that
 * is above the second border, and does not count for the first.
 */
export function borders(race) {
  return race.sizes_bytes.map((_, i) => {
    const of = (lane, d) => fastest(race, lane, i, d).total;
    const stay = until(race, race.most_ns, (d) => of("lightpath", d) < of("static", d) * (1 - same));
    return {
      every: until(race, stay, (d) => of("every", d) <= of("lightpath", d) * (1 + same)),
      static: stay,
      even: until(race, race.most_ns, (d) => of("every", d) < of("static", d) * (1 - same)),
    };
  });
}

/** The factor by which Lightpath is ahead of both others; 1 if it is not alone in front. */
const lead = ({ lightpath, every, static: stay }) => Math.max(1, Math.min(every, stay) / lightpath);

/** Where to open a race: where it is, if Lightpath wins alone there, or else where it is furthest ahead; null if nowhere. */
export function opening(race, { size, delay }) {
  const here = race.sizes_bytes.indexOf(size);
  if (here >= 0 && lead(timesAt(race, here, delay)) > 1 + same) return { size, delay };
  let best = null, most = 1 + same;
  for (let ten = 1; ten <= race.most_ns; ten *= 10) {
    for (const d of [ten, 2 * ten, 5 * ten]) {
      if (d < race.least_ns || d > race.most_ns) continue;
      race.sizes_bytes.forEach((b, i) => {
        const ahead = lead(timesAt(race, i, d));
        if (ahead > most) { most = ahead; best = { size: b, delay: d }; }
      });
    }
  }
  return best;
}

/** The meaning of the lines that a map has. */
function meaning(race, edges) {
  const inside = (key) => edges.some((e) => e[key] > race.least_ns && e[key] < race.most_ns), words = ["Drag the point."];
  if (inside("static")) words.push("Solid line: above it, no reconfiguration is worth its delay.");
  if (inside("even")) {
    const slower = edges.every((e, i) => e.even >= race.most_ns || fastest(race, "every", i, race.most_ns).total > fastest(race, "static", i, race.most_ns).total * (1 + same));
    words.push(slower ? "Dashed: above it, reconfiguring every step is slower than never doing so." : "Dashed: above it, the fastest every-step plan is no faster than the best static fabric.");
  }
  if (!edges.some((e) => e.static > e.every * (1 + same))) words.push("Nowhere here does Lightpath win alone.");
  return words.join(" ");
}

const round = [100, 1e3, 1e4, 1e5, 1e6, 1e7]; // ns

/** A map; calls choose(size, delay) with the place it is dragged to. */
export function raceMap(race, choose) {
  const width = 380, height = 300, left = 52, bottom = 40, top = 10, right = 24, w = width - left - right, tall = height - top - bottom;
  const sizes = race.sizes_bytes, edges = borders(race), lo = Math.log(race.least_ns), hi = Math.log(race.most_ns);
  const x = (i) => left + ((i + 0.5) * w) / sizes.length, y = (d) => top + tall - (tall * (Math.log(d) - lo)) / (hi - lo);
  // From the left edge to the right one, so that regions fill the map.
  const along = (key) => [[left, y(edges[0][key])], ...edges.map((e, i) => [x(i), y(e[key])]), [left + w, y(edges.at(-1)[key])]];
  const line = (points) => points.map(([a, b], i) => `${i ? "L" : "M"}${a.toFixed(1)} ${b.toFixed(1)}`).join("");
  const every = along("every"), stay = along("static"), even = along("even");
  const g = s("svg", { class: "draw racemap", viewBox: `0 0 ${width} ${height}`, role: "img" });
  const area = (cls, upper, lower) => s("path", { class: cls, d: `${line(upper)}L${[...lower].reverse().map(([a, b]) => `${a.toFixed(1)} ${b.toFixed(1)}`).join("L")}Z` });
  const floor = [[left, top + tall], [left + w, top + tall]], roof = [[left, top], [left + w, top]];
  g.append(area("r-every", every, floor), area("r-lightpath", stay, every), area("r-static", roof, stay),
    s("path", { class: "r-line under", d: line(stay) }), s("path", { class: "r-line", d: line(stay) }), edges.some((e) => e.even > race.least_ns && e.even < race.most_ns) ? s("path", { class: "r-even", d: line(even) }) : "");
  // A word in each region, where its borders are farthest apart.
  const ceiling = () => top, ground = () => top + tall, border = (key) => (i) => y(edges[i][key]);
  for (const [words, up, down] of [[["Static", "is as fast"], ceiling, border("static")], [["Lightpath", "wins alone"], border("static"), border("every")], [["Every step", "is as fast"], border("every"), ground]]) {
    let place = null, most = 34;
    for (let i = 2; i < sizes.length - 2; i++) {
      const near = [i - 2, i - 1, i, i + 1, i + 2], from = Math.max(...near.map(up)), to = Math.min(...near.map(down));
      if (to - from > most + 1) { most = to - from; place = [x(i), (from + to) / 2]; }
    }
    if (place) words.forEach((word, k) => g.append(s("text", { class: "r-word", x: place[0], y: place[1] - 3 + 15 * k, "text-anchor": "middle" }, word)));
  }
  for (const d of round) g.append(s("line", { class: "r-tick", x1: left - 4, x2: left, y1: y(d), y2: y(d) }), s("text", { class: "soft", x: left - 7, y: y(d) + 4, "text-anchor": "end" }, time(d)));
  const every3 = Math.ceil(sizes.length / 5);
  sizes.forEach((b, i) => {
    g.append(s("line", { class: "r-tick", x1: x(i), x2: x(i), y1: top + tall, y2: top + tall + (i % every3 ? 2 : 4) }));
    if (i % every3 === 0) g.append(s("text", { class: "soft", x: x(i), y: top + tall + 17, "text-anchor": "middle" }, bytes(b)));
  });
  g.append(s("text", { class: "soft", x: left + w / 2, y: height - 5, "text-anchor": "middle" }, "bytes on each GPU"));
  const hair = s("path", { class: "r-hair" }), spot = s("circle", { class: "r-spot", r: 9 });
  g.append(hair, spot);
  const pick = (e) => {
    const box = g.getBoundingClientRect(), px = ((e.clientX - box.left) * width) / box.width, py = ((e.clientY - box.top) * height) / box.height;
    const size = Math.min(sizes.length - 1, Math.max(0, Math.round(((px - left) / w) * sizes.length - 0.5)));
    choose(size, Math.exp(lo + ((hi - lo) * Math.min(tall, Math.max(0, top + tall - py))) / tall));
  };
  g.addEventListener("pointerdown", (e) => { g.setPointerCapture(e.pointerId); pick(e); e.preventDefault(); });
  g.addEventListener("pointermove", (e) => { if (g.hasPointerCapture(e.pointerId)) pick(e); });
  return {
    element: g, caption: meaning(race, edges),
    show: (size, delay) => {
      const a = x(size), b = y(delay);
      spot.setAttribute("cx", a);
      spot.setAttribute("cy", b);
      hair.setAttribute("d", `M${left} ${b}H${a}V${top + tall}`);
      g.setAttribute("aria-label", `Map of delays and sizes. At ${bytes(sizes[size])}, ${edges[size].every > race.least_ns ? `reconfiguring every step is as fast as anything up to ${time(edges[size].every)}; ` : ""}from ${time(edges[size].static)} on, staying static is.`);
    },
  };
}
