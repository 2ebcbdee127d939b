// The studio: which view is shown, the theme, the token.
import { follow } from "./address.js";
import { needToken, useToken } from "./api.js";
import { $ } from "./dom.js";
import * as palette from "./palette.js";
import * as race from "./race.js";

// A view is loaded when it is first shown, so that the race, which visitors see first, waits for none.
function later(load) {
  let view;
  return { start: async () => { view = await load(); await view.start(); }, show: (query) => view.show(query) };
}

const views = {
  race, plan: later(() => import("./plan.js")), explore: later(() => import("./explore.js")), topologies: later(() => import("./topologies.js")),
  simulate: later(() => import("./simulate.js")), run: later(() => import("./run.js")), papers: later(() => import("./papers.js")),
  iteration: later(() => import("./iteration.js")), fabric: later(() => import("./fabric.js")), design: later(() => import("./design.js")), records: later(() => import("./records.js")),
}, started = {};

async function route() {
  follow();
  const [, name = "race", query] = /^#?(\w*)(?:\?(.*))?$/.exec(location.hash) ?? [];
  const view = Object.hasOwn(views, name) ? name : "race";
  for (const v of Object.keys(views)) $(`#${v}`).hidden = v !== view;
  for (const a of document.querySelectorAll("[data-view]")) {
    if (a.dataset.view === view) {
      a.setAttribute("aria-current", "page");
      a.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else a.removeAttribute("aria-current");
  }
  document.title = `${view[0].toUpperCase()}${view.slice(1)} · Lightpath studio`;
  started[view] ??= views[view].start();
  try {
    await started[view];
    await views[view].show(query);
    if (name && name !== view) {
      $(`#${view}-error`).hidden = false;
      $(`#${view}-error`).textContent = `There is no view “${name.slice(0, 40)}”; this is ${view}.`;
    }
  } catch (e) {
    started[view] = undefined;
    const box = $(`#${view}-error`);
    box.hidden = false;
    box.textContent = e.message;
  }
}

const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");
function theme(to) {
  root.dataset.theme = to ?? localStorage.getItem("theme") ?? (dark.matches ? "dark" : "light");
  dispatchEvent(new Event("resize"));
}
$("#theme").addEventListener("click", () => {
  const to = root.dataset.theme === "dark" ? "light" : "dark";
  localStorage.setItem("theme", to);
  theme(to);
});
dark.addEventListener("change", () => theme());
theme();

needToken(() => {
  $("#token").hidden = false;
  $("#token").elements.token.focus();
});
$("#token").addEventListener("submit", (e) => {
  e.preventDefault();
  useToken(e.target.elements.token.value.trim());
  e.target.hidden = true;
  route();
});
$(".skip").addEventListener("click", (e) => { // the part behind # names views here
  e.preventDefault();
  $("#main").focus();
});
palette.install();
// On a phone the answer is below the form.
const narrow = matchMedia("(max-width: 860px)");
document.addEventListener("submit", (e) => {
  const result = e.target.closest("section")?.querySelector(".result");
  if (narrow.matches && result) result.scrollIntoView({ block: "start" });
});
addEventListener("hashchange", route);
route();
// Once the page is loaded, a worker keeps all of it for use without a network.
addEventListener("load", () => setTimeout(() => navigator.serviceWorker?.register("worker.js").catch(() => {}), 1000)); // some browsers allow no workers
