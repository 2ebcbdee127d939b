// Goes through the studio as people do, in headless Chromium: node journeys.js URL PICTURES [VIEW ..].
// Ends with an error if anything is not as it should be: an assertion, a message on the
// console, or something that axe-core finds.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";
import * as views from "./views.js";

const [base, pictures, ...only] = process.argv.slice(2); // only: the names of some views
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
const light = [1440, "light"], dark = [1440, "dark"], phone = [390, "light"], night = [390, "dark"], screens = [light, dark, phone, night];

async function page([width, colorScheme]) {
  const context = await browser.newContext({ viewport: { width, height: width > 800 ? 900 : 844 }, colorScheme, acceptDownloads: true, bypassCSP: false });
  context.setDefaultTimeout(300_000); // a machine may be busy
  const p = await context.newPage();
  p.name = `${width}-${colorScheme}`;
  p.faults = [];
  await p.addInitScript(() => {
    globalThis.shifted = 0; // what moved though nobody touched anything
    new PerformanceObserver((l) => { for (const e of l.getEntries()) if (!e.hadRecentInput) globalThis.shifted += e.value; }).observe({ type: "layout-shift", buffered: true });
  });
  p.on("pageerror", (e) => p.faults.push(String(e)));
  // A request that is refused is part of a journey, and the browser says so.
  p.on("console", (m) => { if (m.type() === "error" && !/status of 4/.test(m.text())) p.faults.push(m.text()); });
  return p;
}

/** Nothing on the console, nothing that axe-core finds, nothing wider than the screen. */
async function check(p, what) {
  assert.deepEqual(p.faults, [], what);
  await p.evaluate(axe);
  const { violations } = await p.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } }));
  assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target + " " + n.failureSummary).join(" | ")}`), [], what);
  const wide = await p.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${what}: ${wide} pixels wider than the screen`);
}

/** Looks at a view, and keeps a picture. */
async function look(p, name) {
  await check(p, `${name} ${p.name}`);
  await p.evaluate(() => scrollTo(0, 0));
  await p.screenshot({ path: `${pictures}/${name}-${p.name}.png`, fullPage: true });
}

/** The script of a frame while a scrubber is moved, median and longest. */
function frame(p, view) {
  return p.evaluate(async (selector) => {
    const slider = document.querySelector(selector), all = [];
    for (let i = 0; i < 41; i++) {
      slider.value = (i * 1000) / 41;
      const t = performance.now();
      slider.dispatchEvent(new Event("input"));
      all.push(performance.now() - t);
      await new Promise(requestAnimationFrame);
    }
    all.sort((a, b) => a - b);
    return `median ${all[20].toFixed(1)} ms, longest ${all.at(-1).toFixed(1)} ms`;
  }, `#${view}-body .player input[type=range]`);
}

const idle = (p) => p.waitForFunction(() => document.querySelector("#plan-body .time") && !document.querySelector("#plan-body.busy") && !document.querySelector("#plan-body .sofar"));
const harvest = "op=allreduce&planner=harvest&algorithm=recursive-doubling";

async function plan(p) {
  await p.goto(`${base}/#plan?nodes=16&ports=1&size=4MiB&${harvest}&reconfig=10us`);
  await idle(p);
  await p.waitForSelector("#plan-body canvas.net");
  await p.waitForSelector("section[aria-label^=Why] ol");
  // The time and the speed-ups by the model, and beside them by packets.
  assert.match(await p.textContent(".hero .times"), /132\.9 usmodel131\.9 uspackets/);
  // Over plans of any algorithm, not of this one.
  await p.waitForFunction(() => /over the fastest static plan/.test(document.querySelector(".hero")?.textContent));
  assert.match(await p.textContent(".hero"), /0\.82×0\.82× by packetsover the fastest static plan/);
  // The switch is dark four times.
  await p.waitForFunction(() => document.querySelectorAll("section[aria-label='Over time'] .k-dark").length === 8);
  await p.locator("#plan-body .player input").fill("180");
}

/** Nothing has moved while it was loaded. */
async function still(p, what) {
  const [paint, shifted] = await p.evaluate(() => [performance.getEntriesByName("first-contentful-paint")[0]?.startTime, globalThis.shifted]);
  console.log(`${what}: first contentful paint ${Math.round(paint)} ms, layout shift ${shifted.toFixed(4)}`);
  assert.ok(shifted < 0.01, `${what}: things move while they load`);
}

/** A race at a moment at which one fabric is dark. */
async function race(p) {
  await p.goto(`${base}/#race?op=alltoall&nodes=16&size=4MiB&delay=20us&at=45us`);
  await p.waitForSelector("#race .strip");
  assert.match(await p.textContent("#race .verdict-line"), /Lightpath wins.*reconfigures twice.*2\.45× faster than the best static/);
  assert.match(await p.locator("#race .lane-lightpath canvas").getAttribute("aria-label"), /dark, the switch is reconfiguring/);
  assert.match(await p.locator("#race .lane-static canvas").getAttribute("aria-label"), /step 1 on/);
}

/** Changes of a race while it plays: in the address at once, and each undone with keys and by going back. */
async function changesJourney() {
  const p = await page(light), verdict = () => p.textContent("#race .verdict-line"), height = () => p.evaluate(() => document.querySelector(".racemap").getBoundingClientRect().top);
  await p.goto(base);
  await p.waitForSelector("#race .strip");
  await p.selectOption("#race-op", "allreduce");
  await p.waitForFunction(() => /^#race\?op=allreduce&nodes=16&size=64KiB&delay=1us/.test(location.hash) && /Pause/.test(document.querySelector("#race .play")?.textContent)); // not first when it ends
  assert.match(await verdict(), /Lightpath wins/); // and not three equal rings
  const top = await height();
  await p.locator("#race-delay").press("End");
  await p.waitForFunction(() => /delay=10ms/.test(location.hash));
  assert.equal(await height(), top); // nothing jumps
  assert.match(await p.textContent("#race .lane-every"), /Every-step plan.*keeps its circuits/);
  assert.match(await p.textContent("#race .race-side"), /Dashed: above it, the fastest every-step plan is no faster/);
  await p.selectOption("#race-nodes", "32");
  await p.waitForFunction(() => /nodes=32/.test(location.hash));
  await p.keyboard.press("Control+z");
  await p.waitForFunction(() => /nodes=16.*delay=10ms/.test(location.hash) && document.querySelector("#race-nodes")?.value === "16");
  await p.keyboard.press("Control+z");
  await p.waitForFunction(() => /op=allreduce.*delay=1us/.test(location.hash));
  await p.keyboard.press("Control+z");
  await p.waitForFunction(() => /op=alltoall/.test(location.hash) && document.querySelector("#race-op")?.value === "alltoall");
  await p.keyboard.press("Control+Shift+z");
  await p.waitForFunction(() => /op=allreduce/.test(location.hash));
  await p.locator("#race-size").press("End");
  await p.waitForFunction(() => /size=256MiB|size=64MiB/.test(location.hash));
  await p.goBack();
  await p.waitForFunction(() => /op=allreduce.*size=64KiB/.test(location.hash) && /Size64 KiB/.test(document.querySelector("#race .race-side")?.textContent));
  await p.goBack();
  await p.waitForFunction(() => document.querySelector("#race-op")?.value === "alltoall");
  assert.deepEqual(p.faults, []);
  await p.context().close();
}

/** What a visitor sees first, the winner that changes with the delay, the finish, the link and the film. */
async function raceJourney(p) {
  const filmed = await page(light); // which takes its time: beside the rest
  await filmed.goto(`${base}/#race?at=1us`);
  await filmed.waitForSelector("#race .strip");
  const film = Promise.all([filmed.waitForEvent("download"), filmed.getByRole("button", { name: "Film (WebM)" }).click()]);
  const first = await page(light);
  await first.goto(base); // without a word: it plays
  await first.waitForFunction(() => Number.parseFloat(document.querySelector("#race .clock")?.textContent) > 0);
  await still(first, "race");
  await first.keyboard.press(" ");
  await first.getByRole("button", { name: "Play" }).waitFor();
  await first.context().close();
  // The delay changes the winner, with keys and with the map.
  const delay = p.locator("#race-delay");
  await delay.press("Home");
  await p.waitForFunction(() => /reconfiguring every step is best/.test(document.querySelector("#race .verdict-line")?.textContent));
  await delay.press("End");
  await p.waitForFunction(() => /no reconfiguration pays/.test(document.querySelector("#race .verdict-line")?.textContent));
  const map = await p.locator(".racemap").boundingBox();
  await p.mouse.move(map.x + map.width / 2, map.y + map.height * 0.1);
  await p.mouse.down();
  await p.mouse.move(map.x + map.width / 2, map.y + map.height * 0.5, { steps: 4 });
  await p.mouse.up();
  await p.waitForFunction(() => /Lightpath wins/.test(document.querySelector("#race .verdict-line")?.textContent));
  // At the end the times are locked in, and the first is named.
  await p.locator("#race .player input").fill("1000");
  assert.match(await p.locator("#race .lane-lightpath").textContent(), /1st/);
  assert.match(await p.locator("#race .lane-static").textContent(), /3rd/);
  await p.locator("#race .player input").fill("400");
  await p.selectOption("#race-op", "allreduce");
  await p.waitForFunction(() => /One allreduce/.test(document.querySelector("#race")?.textContent));
  await p.getByRole("button", { name: "Pause" }).click();
  await p.locator("#race .player input").fill("400");
  await p.waitForFunction(() => /op=allreduce&.*at=/.test(location.hash));
  const other = await page(light);
  await other.goto(p.url());
  await other.waitForSelector("#race .strip");
  for (const what of [".verdict-line", ".player output", ".lane-lightpath"]) assert.equal(await other.textContent(`#race ${what}`), await p.textContent(`#race ${what}`), what);
  await other.goto(`${base}/#race?op=nothing&size=big`);
  await other.waitForFunction(() => /op=nothing.*size=big/.test(document.querySelector("#race-error")?.textContent));
  // What no race has is said, with what is shown.
  for (const [asked, says] of [["size=99EiB", /size=99EiB.*sizes go from 64 KiB to .* this is 4 MiB/], ["delay=-3us", /delay=-3us.*delays go from 100 ns to 10 ms; this is 20 us/], ["nodes=17", /nodes=17.*8, 16 or 32 GPUs/]]) {
    await other.goto(`${base}/#race?${asked}`);
    await other.waitForFunction((source) => new RegExp(source).test(document.querySelector("#race-error:not([hidden])")?.textContent), says.source);
  }
  await other.context().close();
  await changesJourney();
  await p.selectOption("#race-nodes", "32");
  await p.waitForFunction(() => /32 GPUs/.test(document.querySelector("#race")?.textContent));
  console.log(`script of a frame of a race of 32 GPUs: ${await frame(p, "race")}`);
  const [download] = await film;
  assert.equal(download.suggestedFilename(), "race-alltoall.webm");
  const bytes = await readFile(await download.path());
  assert.deepEqual([...bytes.subarray(0, 4)], [0x1a, 0x45, 0xdf, 0xa3]); // as WebM begins
  assert.ok(bytes.length > 50_000, `the film has ${bytes.length} bytes`);
  await filmed.context().close();
}

async function planJourney() {
  const p = await page(light);
  await p.goto(`${base}/#plan`); // the default plan, without a word
  await idle(p);
  await p.waitForSelector("section[aria-label^=Why] li");
  await still(p, "plan");
  await plan(p);
  // A value that makes no sense is said beside its field; Ctrl+Z and going back undo it.
  for (const undo of [() => p.keyboard.press("Control+z"), () => p.goBack()]) {
    await p.fill("#plan [name=size]", "4");
    await p.waitForSelector("#plan [name=size][aria-invalid=true]");
    assert.match(await p.textContent("#f-plan-size-why"), /unit/);
    await undo();
    await p.waitForFunction(() => document.querySelector("#plan [name=size]")?.value === "4MiB");
    await p.waitForSelector("#plan [name=size]:not([aria-invalid])");
    await idle(p);
  }
  // All that is wrong is said at once, each beside its field, and so it is of a link.
  await p.fill("#plan [name=size]", "4");
  await p.fill("#plan [name=reconfig]", "soon");
  await p.fill("#plan [name=nodes]", "many");
  await p.waitForFunction(() => document.querySelectorAll("#plan [aria-invalid=true]").length === 3);
  assert.match(await p.textContent("#f-plan-reconfig-why"), /soon/);
  assert.match(await p.textContent("#f-plan-nodes-why"), /many/);
  await look(p, "plan-errors");
  for (const [link, field, words] of [["#plan?op=foo&size=3", "op", /foo/], ["#plan?planner=foo", "planner", /foo/], ["#simulate?preset=foo", "preset", /foo/], ["#simulate?duplex=maybe", "duplex", /none of the choices/], ["#topologies?op=foo", "op", /foo/],
    ["#run?lasts=long", "lasts", /none of the choices/], ["#explore?x=colour", "x", /none of the choices/], ["#papers?verdict=foo", "verdict", /none of the choices/]]) {
    await p.goto(`${base}/${link}`);
    const view = /#(\w+)/.exec(link)[1];
    await p.waitForFunction(([id]) => document.querySelector(id)?.textContent, [`#f-${view}-${field}-why`]);
    assert.match(await p.textContent(`#f-${view}-${field}-why`), words, link);
  }
  await p.goto(`${base}/#plan?op=foo&size=3`);
  await p.waitForFunction(() => /unit/.test(document.querySelector("#f-plan-size-why")?.textContent) && /foo/.test(document.querySelector("#f-plan-op-why")?.textContent));
  await p.goto(`${base}/#plan?colour=red`);
  await p.waitForFunction(() => /colour/.test(document.querySelector("#plan-error")?.textContent));
  for (const name of ["nowhere", "constructor", "__proto__", "toString"]) { // every object has some of these
    await p.goto(`${base}/#${name}`);
    await p.waitForFunction((n) => document.querySelector("#race-error")?.textContent.includes(`no view “${n}”`), name);
  }
  await plan(p);
  // The time line: a click and keys say what is there, and one can look closer.
  const over = p.locator("section[aria-label='Over time'] svg");
  await over.focus();
  await p.keyboard.press("0");
  await p.keyboard.press("ArrowRight");
  assert.match(await p.textContent("#plan .detail"), /^(Step|Dark)/);
  const scale = () => p.textContent("section[aria-label='Over time'] .words"), whole = await scale();
  await p.keyboard.press("+");
  assert.notEqual(await scale(), whole, "it is not closer");
  await p.getByRole("button", { name: "Show the whole time" }).click();
  assert.equal(await scale(), whole);
  // A link restores everything, the moment too.
  await p.waitForFunction(() => /at=/.test(location.hash));
  const other = await page(light);
  await other.goto(p.url());
  await idle(other);
  await other.waitForSelector("#plan .player output");
  for (const what of [".hero .time", ".player output"]) assert.equal(await other.textContent(`#plan ${what}`), await p.textContent(`#plan ${what}`), what);
  await other.context().close();
  // Downloads.
  const downloads = p.getByRole("region", { name: "Downloads" });
  for (const [button, file] of [["Plan", "plan.json"], ["Picture (SVG)", "plan.svg"], ["Figure for print (SVG)", "figure.svg"], ["Trace (Perfetto)", /trace/], ["Switch timetable", /timetable/], ["MSCCL", "msccl.zip"], ["Timetable (CSV)", /csv/]]) {
    const [download] = await Promise.all([p.waitForEvent("download"), downloads.getByRole("button", { name: button, exact: true }).click()]);
    assert.match(download.suggestedFilename(), new RegExp(file));
  }
  // An archive has the check that everybody computes of these digits, and ends as one does.
  const archive = await p.evaluate(async () => {
    const { zip } = await import("/zip.js");
    return [...new Uint8Array(await zip([{ name: "digits", data: new TextEncoder().encode("123456789") }]).arrayBuffer())];
  });
  assert.deepEqual([archive.slice(0, 4), archive.slice(14, 18), archive.slice(-22, -18)], [[0x50, 0x4b, 3, 4], [0x26, 0x39, 0xf4, 0xcb], [0x50, 0x4b, 5, 6]]);
  // Play moves the clock.
  const rests = await p.textContent("#plan .player output");
  await p.getByRole("button", { name: "Play", exact: true }).click();
  await p.waitForFunction((t) => document.querySelector("#plan .player output").textContent !== t, rests);
  await p.getByRole("button", { name: "Pause", exact: true }).click();
  // What takes a while is shown as it gets better.
  await p.evaluate(() => {
    globalThis.seen = false;
    new MutationObserver(() => { if (document.querySelector("#plan-body .sofar")) globalThis.seen = true; }).observe(document.querySelector("#plan-body"), { childList: true, subtree: true });
  });
  await p.goto(`${base}/#plan?op=allreduce&nodes=256&ports=4&size=64MiB&reconfig=2us&planner=auto&algorithm=auto`);
  await p.waitForFunction(() => /256 GPUs/.test(document.querySelector("#plan-body .hero")?.textContent) && !document.querySelector("#plan-body.busy, #plan-body .sofar"));
  console.log(`a plan that takes a while was ${await p.evaluate(() => globalThis.seen) ? "" : "not "}seen on its way`);
  // 256 GPUs: script of a frame.
  await p.goto(`${base}/#plan?nodes=256&ports=1&size=64MiB&${harvest}&reconfig=10us`);
  await p.waitForFunction(() => /256 GPUs/.test(document.querySelector("#plan-body canvas.net")?.getAttribute("aria-label")) && /recursive-doubling/.test(document.querySelector("#plan-body .hero")?.textContent));
  await look(p, "plan-256");
  // The matrix says what a cell is, also close by; it can be drawn as a circle too.
  const box = await p.locator("#plan-body canvas.net").boundingBox(), side = Math.min(box.width - 70, box.height - 40), left = Math.max(60, (box.width - side) / 2);
  await p.locator("#plan-body canvas.net").hover({ position: { x: left + (side * 101.5) / 256, y: 30 + (side * 100.5) / 256 } });
  assert.match(await p.textContent("#plan-body .over"), /GPU \d+ → \d+: 32 MiB, 100 % of the busiest/);
  await p.getByRole("button", { name: "Zoom in", exact: true }).click();
  await p.getByLabel("Layout").selectOption("circle");
  console.log(`script of a frame at 256 GPUs, as a circle: ${await frame(p, "plan")}`);
  await p.getByLabel("Layout").selectOption("matrix");
  console.log(`script of a frame at 256 GPUs, as a matrix: ${await frame(p, "plan")}`);
  await p.context().close();
}

/** With keys alone: past the views to the form, a value, the plan; the address stays a view's. */
async function keysJourney() {
  const p = await page(dark);
  await p.goto(`${base}/#topologies`);
  await p.waitForSelector("#topologies-form button");
  assert.equal(await p.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(16, 20, 26)");
  await p.locator(".skip").focus(); // where Tab begins depends on how far the page had come
  await p.keyboard.press("Enter");
  assert.match(p.url(), /#topologies/);
  assert.equal(await p.evaluate(() => document.activeElement.id), "main");
  await p.keyboard.press("Tab");
  assert.equal(await p.evaluate(() => document.activeElement.id), "f-topologies-nodes");
  await p.keyboard.press("Control+a");
  await p.keyboard.type("12");
  await p.keyboard.press("Enter");
  await p.waitForFunction(() => /of 12 GPUs/.test(document.querySelector("#topologies-body")?.textContent));
  await p.context().close();
}

async function explore(p) {
  await p.goto(`${base}/#explore`);
  await p.waitForFunction(() => /All 240 cells are planned/.test(document.querySelector("#explore-body")?.textContent)); // as it is stored
  assert.ok(await p.locator("#f-explore-size").isDisabled()); // it is swept
  await p.locator(".heat .cell").nth(30).hover();
  assert.match(await p.textContent(".heat .tip"), /KiB, .*s: .*×/);
  // A job that was over before it was followed has its cells in its answer only: "planned" is said when they are here.
  await p.route("**/answer", async (route) => { await new Promise((r) => setTimeout(r, 300)); await route.continue(); });
  await p.selectOption("#explore-form [name=planner]", "harvest");
  await p.selectOption("#explore-form [name=op]", "allreduce");
  await p.selectOption("#explore-form [name=algorithm]", "recursive-doubling");
  await p.evaluate(() => { document.querySelector(".heat svg.draw").dataset.before = "yes"; });
  await p.getByRole("button", { name: "Explore" }).click();
  await p.waitForFunction(() => document.querySelector(".heat svg.draw:not([data-before])") && /All [1-9]\d* cells are planned/.test(document.querySelector("#explore-body [role=status]")?.textContent));
  if (p.viewportSize().width < 800) await p.waitForFunction(() => document.querySelector("#explore-result").getBoundingClientRect().top < 60); // the answer is in view
  await p.locator(".heat svg.draw").focus();
  for (const key of ["ArrowRight", "ArrowUp", "p", "ArrowRight"]) await p.keyboard.press(key);
  assert.match(await p.textContent("#explore-body"), /kept/);
  await p.locator(".heat .cell").nth(40).click({ modifiers: ["Shift"] });
  await p.locator(".heat .cell").nth(100).hover();
  assert.match(await p.textContent("#explore-body"), /kept/);
  assert.match(p.url(), /kept=\w+%2C\w+/);
  assert.equal(await p.locator(".heat .pin").getAttribute("visibility"), "visible");
  await p.getByLabel("reconfigurations", { exact: true }).check();
  await p.getByLabel("borders between winners").check();
  assert.ok(await p.locator(".heat .marks text").count() > 100);
}

/** The range that is wrong is said so beside it; a cell opens its plan. */
async function exploreJourney(p) {
  const other = await page(light);
  await other.goto(p.url());
  await other.waitForSelector(".heat .pin[visibility=visible]"); // what was kept
  await other.context().close();
  await p.fill("#explore-form [name=xrange]", "1..2");
  await p.getByRole("button", { name: "Explore" }).click();
  await p.waitForSelector("#explore-form [name=xrange][aria-invalid=true]");
  await p.fill("#explore-form [name=xrange]", "64KiB..1GiB");
  // The map on the screen is complete: only another one is the answer to this click.
  await p.evaluate(() => { document.querySelector(".heat svg.draw").dataset.before = "yes"; });
  await p.getByRole("button", { name: "Explore" }).click();
  await p.waitForFunction(() => document.querySelector(".heat svg.draw:not([data-before])") && /All [1-9]\d* cells are planned/.test(document.querySelector("#explore-body [role=status]")?.textContent));
  await p.locator(".heat svg.draw").focus();
  await p.keyboard.press("Enter");
  await idle(p);
  assert.match(p.url(), /#plan\?.*size=64MiB.*reconfig=464ns/); // the cell that is kept
}

async function topologies(p) {
  await p.goto(`${base}/#topologies?nodes=16&degree=4`);
  await p.waitForSelector(".pair .graph");
  await p.waitForFunction(() => document.querySelectorAll("#topologies-body .graph").length >= 3 && document.querySelector("[aria-label='A graph of your own'] dd"));
  // A circuit more, by hand, changes the graph.
  const circuits = () => p.evaluate(() => [...document.querySelectorAll("[aria-label='A graph of your own'] dt")].find((d) => d.textContent === "Circuits").nextSibling.textContent);
  assert.equal(await circuits(), "18");
  await p.getByRole("button", { name: "GPU 0" }).click();
  await p.getByRole("button", { name: "GPU 2" }).press("Enter");
  await p.waitForFunction(() => [...document.querySelectorAll("[aria-label='A graph of your own'] dd")].some((d) => d.textContent === "20"));
}

async function topologiesJourney(p) {
  await p.getByRole("button", { name: "Add a GPU" }).click();
  await p.getByRole("button", { name: "GPU 6" }).waitFor();
  // It is a part of the link.
  await p.fill("#edges", "0,1\n1,2\n2,0");
  await p.uncheck("#two");
  await p.waitForFunction(() => /edges=0%2C1%0A1%2C2%0A2%2C0&two=off/.test(location.hash));
  const other = await page(light);
  await other.goto(p.url());
  await other.waitForFunction(() => document.querySelector("#edges")?.value === "0,1\n1,2\n2,0" && /Diameter2/.test(document.querySelector("[aria-label='A graph of your own']")?.textContent));
  await other.context().close();
  await p.fill("#edges", "0,x");
  await p.waitForFunction(() => /line 1/.test(document.querySelector("[aria-label='A graph of your own'] .why")?.textContent));
}

async function simulate(p) {
  await p.goto(`${base}/#simulate?nodes=16&ports=1&size=4MiB&${harvest}&reconfig=10us`);
  await p.waitForSelector("#simulate-body canvas.carpet");
  await p.locator("#simulate-body input[type=range]").fill("420");
  // A circuit fails where it is clicked: that between 0 and 4, on DC(16;4).
  const spot = await p.evaluate(() => {
    const c = document.querySelector("#simulate-body canvas.net"), w = c.clientWidth, h = c.clientHeight, r = Math.min(w, h) / 2 - 26, at = (i) => [w / 2 + r * Math.cos((2 * Math.PI * i) / 16 - Math.PI / 2), h / 2 + r * Math.sin((2 * Math.PI * i) / 16 - Math.PI / 2)];
    const [x1, y1] = at(0), [x2, y2] = at(4), mx = (x1 + x2) / 2, my = (y1 + y2) / 2, bx = mx + (w / 2 - mx) * 0.25 + (y2 - y1) * 0.12, by = my + (h / 2 - my) * 0.25 - (x2 - x1) * 0.12;
    return { x: 0.25 * x1 + 0.5 * bx + 0.25 * x2, y: 0.25 * y1 + 0.5 * by + 0.25 * y2 };
  });
  await p.locator("#simulate-body canvas.net").click({ position: spot });
  await p.waitForSelector("#simulate-body .problem");
  assert.match(await p.textContent("#simulate-body .problem"), /link:0-4 fails at .*step \d never ends/);
  assert.match(await p.textContent("#simulate-body .hero"), /if nothing fails.*never ends/);
  await p.waitForFunction(() => /plan around it takes/.test(document.querySelector("#simulate-body")?.textContent));
  assert.match(p.url(), /fail=link/);
}

/** What fails is undone; another is chosen without a mouse; the plan around it opens. */
async function simulateJourney(p) {
  await p.goto(`${base}/#simulate?nodes=256&ports=1&size=16MiB&${harvest}&reconfig=10us&fail=`);
  await p.waitForFunction(() => /256 GPUs/.test(document.querySelector("#simulate-body .hero")?.textContent));
  console.log(`script of a frame of packets at 256 GPUs: ${await frame(p, "simulate")}`);
  // All circuits can be seen, a page at a time or those of one GPU.
  assert.match(await p.textContent("#simulate-body .pages"), /Circuits 1 to 40 of 1280/);
  await p.getByRole("button", { name: "Less busy circuits" }).click();
  assert.match(await p.textContent("#simulate-body .pages"), /Circuits 41 to 80 of 1280/);
  await p.getByLabel("of GPU").fill("256");
  assert.match(await p.textContent("#simulate-body .pages"), /GPUs are 0 to 255/);
  await p.getByLabel("of GPU").fill("7");
  assert.match(await p.textContent("#simulate-body .pages"), /These 10 circuits/);
  await look(p, "simulate-256");
  await p.goto(`${base}/#simulate?nodes=16&ports=1&size=4MiB&${harvest}&reconfig=10us&fail=`);
  await p.waitForFunction(() => / 16 GPUs/.test(document.querySelector("#simulate-body .hero")?.textContent));
  await p.getByLabel("Circuit", { exact: true }).selectOption("0-1");
  await p.getByRole("button", { name: "Let it fail" }).click();
  await p.getByRole("link", { name: "Open it" }).click();
  await p.waitForFunction(() => location.hash.startsWith("#plan") && /avoid=link/.test(location.hash));
  await idle(p);
}

async function run(p) {
  await p.goto(`${base}/#run?op=allreduce&nodes=8&size=64KiB&lasts=1s`);
  await p.waitForSelector("#run-body .good"); // a run that was recorded
  assert.match(await p.textContent("#run-body"), /recorded on another machine/);
  await p.evaluate(() => document.querySelector("#run-body").replaceChildren());
  await p.getByRole("button", { name: "Run", exact: true }).click();
  await p.waitForSelector("#run-body .good");
  assert.match(await p.textContent("#run-body .hero"), /Right on all 8 ranks/);
  assert.match(await p.textContent("#run-body .hero"), /8processes/);
  assert.equal(await p.locator("#run-body .ranks .whole").count(), 8);
}

/** A fault is told, and planned around. */
async function runJourney(p) {
  await p.fill("#run-form [name=fail]", "gpu:2@step:2");
  await p.selectOption("#run-form [name=replan]", "true");
  await p.getByRole("button", { name: "Run", exact: true }).click();
  await p.waitForFunction(() => /planned again around/.test(document.querySelector("#run-body")?.textContent));
  await look(p, "run-fault");
}

async function papers(p) {
  // Values and figures are there at once, as they are stored.
  await p.goto(`${base}/#papers?paper=retri&verdict=matched`);
  await p.waitForFunction(() => document.querySelectorAll("#papers-body figure img").length === 4 && [...document.querySelectorAll("#papers-body figure img")].every((i) => i.complete && i.naturalWidth > 100));
  assert.ok(await p.locator("#papers-body circle").count() > 5);
  assert.equal(await p.locator("#papers-body .verdict.differs").count(), 0);
}

async function papersJourney(p) {
  await p.getByRole("button", { name: /Show all \d+ figures/ }).click();
  assert.ok(await p.locator("#papers-body figure img").count() > 10);
  await p.locator("#papers-body figure button").first().click();
  await p.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await p.goto(`${base}/#papers?paper=harvest&word=schedule%2Frecursive`);
  await p.waitForFunction(() => /28\.83 ms/.test(document.querySelector("#papers-body")?.textContent)); // and not 28831014 ns
  await p.goto(`${base}/#papers?paper=harvest&word=table`);
  await p.locator("#papers-body .why-row summary").first().click();
  await p.locator("#papers-body .why-row").first().getByRole("button", { name: "Compute" }).click();
  await p.waitForFunction(() => /1 claims? (is|are) computed/.test(document.querySelector("#papers-said")?.textContent));
  await p.fill("#papers-form [name=word]", "no such word");
  await p.waitForFunction(() => /No claim matches/.test(document.querySelector("#papers-body")?.textContent));
}

async function journeys() {
  if (!only.length) {
    await planJourney();
    await keysJourney();
  }
  for (const journey of ["paletteJourney", "leavingJourney", "offlineJourney"]) {
    if (only.length && !only.includes(journey)) continue;
    const p = await page(light);
    await views[journey](p, base);
    assert.deepEqual(p.faults, [], journey);
    await p.context().close();
  }
  const all = ["iteration", "fabric", "design", "records"].map((v) => [v, (p) => views[v](p, base), (p) => views[`${v}Journey`](p, base)]);
  for (const [name, view, further] of [["race", race, raceJourney], ...all, ["plan", plan], ["explore", explore, exploreJourney], ["topologies", topologies, topologiesJourney], ["simulate", simulate, simulateJourney], ["run", run, runJourney], ["papers", papers, papersJourney]]) {
    if (only.length && !only.includes(name)) continue;
    const begun = Date.now();
    for (const screen of screens) {
      const p = await page(screen);
      await view(p);
      await look(p, name);
      if (screen === light && further) await further(p);
      assert.deepEqual(p.faults, [], name);
      await p.context().close();
    }
    console.log(`${name}: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  }
}

try {
  await journeys();
  console.log("all journeys end where they should");
} finally {
  await browser.close();
}
