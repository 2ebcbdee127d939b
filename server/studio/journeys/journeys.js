// Goes through the studio as people do, in headless Chromium: node journeys.js URL PICTURES.
// Ends with an error if anything is not as it should be: an assertion, a message on the
// console, or something that axe-core finds.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const [base, pictures] = process.argv.slice(2);
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });

async function page(width, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height: width > 800 ? 900 : 844 }, colorScheme, acceptDownloads: true, bypassCSP: false });
  const p = await context.newPage();
  p.faults = [];
  p.on("pageerror", (e) => p.faults.push(String(e)));
  // A request that is refused is part of a journey, and the browser says so.
  p.on("console", (m) => { if (m.type() === "error" && !/status of 4/.test(m.text())) p.faults.push(m.text()); });
  return p;
}

async function check(p, what) {
  assert.deepEqual(p.faults, [], what);
  await p.evaluate(axe);
  const { violations } = await p.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target + " " + n.failureSummary).join(" | ")}`), [], what);
  const wide = await p.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${what}: ${wide} pixels wider than the screen`);
}

const shot = (p, name) => p.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });
const idle = (p) => p.waitForFunction(() => document.querySelector("#plan-body .time") && !document.querySelector("#plan-body.busy"));

async function plan(p, name) {
  await p.goto(`${base}/#plan?nodes=16&ports=1&size=4MiB&planner=harvest&algorithm=recursive-doubling&reconfig=10us`);
  await idle(p);
  await p.waitForSelector("canvas.net");
  await p.waitForSelector("section[aria-label^=Why] ol");
  assert.match(await p.textContent(".hero .time"), /132\.9 µs/);
  // Over plans of any algorithm, not of this one.
  await p.waitForFunction(() => /over the fastest static plan/.test(document.querySelector(".hero").textContent));
  assert.match(await p.textContent(".hero"), /0\.82×over the fastest static plan/);
  await check(p, `plan ${name}`);
  await p.locator("input[type=range]").fill("180");
  await shot(p, `plan-${name}`);
}

async function journeys() {
  let p = await page(1440, "light");
  // The default plan, without a word.
  await p.goto(base);
  await idle(p);
  const paint = await p.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  console.log(`first contentful paint ${Math.round(paint)} ms`);
  for (const [width, scheme] of [[1440, "light"], [1440, "dark"], [390, "light"], [390, "dark"]]) {
    p = await page(width, scheme);
    await plan(p, `${width}-${scheme}`);
  }
  p = await page(1440, "light");
  await plan(p, "journey");
  // A value that makes no sense is said beside its field, and going back undoes it.
  await p.fill("[name=size]", "4");
  await p.waitForSelector("[name=size][aria-invalid=true]");
  assert.match(await p.textContent("#f-plan-size-why"), /unit/);
  await p.goBack();
  await p.waitForFunction(() => document.querySelector("[name=size]").value === "4MiB");
  await p.waitForSelector("[name=size]:not([aria-invalid])");
  await idle(p);
  // A link restores everything.
  const other = await page(1440, "light");
  await other.goto(p.url());
  await idle(other);
  assert.equal(await other.textContent(".hero .time"), await p.textContent(".hero .time"));
  // Downloads.
  for (const [button, file] of [["Plan", "plan.json"], ["Picture (SVG)", "plan.svg"], ["Switch timetable", /timetable/]]) {
    const [download] = await Promise.all([p.waitForEvent("download"), p.getByRole("region", { name: "Downloads" }).getByRole("button", { name: button, exact: true }).click()]);
    assert.match(download.suggestedFilename(), new RegExp(file));
  }
  // Play moves the clock; the keyboard reaches the scrubber.
  const before = await p.textContent(".player output");
  await p.getByRole("button", { name: "▶ Play" }).click();
  await p.waitForFunction((t) => document.querySelector(".player output").textContent !== t, before);
  await p.getByRole("button", { name: "⏸ Pause" }).click();
  // 256 GPUs: script of a frame.
  await p.goto(`${base}/#plan?nodes=256&ports=1&size=64MiB&planner=harvest&algorithm=recursive-doubling&reconfig=10us`);
  await p.waitForFunction(() => /256 GPUs/.test(document.querySelector("canvas.net")?.getAttribute("aria-label")));
  await shot(p, "plan-256");
  const took = await p.evaluate(async () => {
    const slider = document.querySelector("input[type=range]"), all = [];
    for (let i = 0; i < 60; i++) {
      slider.value = (i * 1000) / 60;
      const t = performance.now();
      slider.dispatchEvent(new Event("input"));
      all.push(performance.now() - t);
      await new Promise(requestAnimationFrame);
    }
    return all.sort((a, b) => a - b)[30];
  });
  console.log(`script of a frame at 256 GPUs: median ${took.toFixed(1)} ms`);

  for (const [width, scheme] of [[1440, "light"], [1440, "dark"], [390, "light"]]) {
    p = await page(width, scheme);
    await p.goto(`${base}/#explore`);
    await p.waitForSelector("#explore-form button");
    await check(p, "explore, empty");
    await p.selectOption("#explore-form [name=planner]", "harvest");
    await p.selectOption("#explore-form [name=algorithm]", "recursive-doubling");
    await p.getByRole("button", { name: "Explore" }).click();
    await p.waitForFunction(() => /cells are planned/.test(document.querySelector("#explore-body [role=status]")?.textContent));
    await p.locator(".heat svg").focus();
    for (const key of ["ArrowRight", "ArrowUp", "p", "ArrowRight"]) await p.keyboard.press(key);
    assert.match(await p.textContent("#explore-body"), /kept/);
    await check(p, `explore ${width} ${scheme}`);
    await shot(p, `explore-${width}-${scheme}`);
  }
  for (const [width, scheme] of [[1440, "light"], [390, "dark"]]) {
    const q = await page(width, scheme);
    await q.goto(`${base}/#topologies?nodes=16&degree=4`);
    await q.waitForSelector(".pair .graph");
    await q.waitForFunction(() => document.querySelectorAll("#topologies-body .graph").length >= 3 && document.querySelector("[aria-label='A graph of your own'] dd"));
    // A circuit more, by hand, changes the graph.
    const circuits = () => q.evaluate(() => [...document.querySelectorAll("[aria-label='A graph of your own'] dt")].find((d) => d.textContent === "Circuits").nextSibling.textContent);
    assert.equal(await circuits(), "18");
    await q.getByRole("button", { name: "GPU 0" }).click();
    await q.getByRole("button", { name: "GPU 2" }).press("Enter");
    await q.waitForFunction(() => [...document.querySelectorAll("[aria-label='A graph of your own'] dd")].some((d) => d.textContent === "20"));
    await check(q, `topologies ${width}`);
    await shot(q, `topologies-${width}-${scheme}`);
    await q.fill("#edges", "0,x");
    await q.waitForFunction(() => /line 1/.test(document.querySelector("[aria-label='A graph of your own'] .why").textContent));
  }
  // The range that is wrong is said so beside it.
  await p.fill("#explore-form [name=xrange]", "1..2");
  await p.getByRole("button", { name: "Explore" }).click();
  await p.waitForSelector("#explore-form [name=xrange][aria-invalid=true]");
  await p.fill("#explore-form [name=xrange]", "64KiB..1GiB");
  await p.getByRole("button", { name: "Explore" }).click();
  await p.waitForFunction(() => /cells are planned/.test(document.querySelector("#explore-body [role=status]")?.textContent));
  await p.locator(".heat svg").focus();
  await p.keyboard.press("Enter");
  await idle(p);
  assert.match(p.url(), /#plan\?.*size=64KiB/);
}

try {
  await journeys();
  console.log("all journeys end where they should");
} finally {
  await browser.close();
}
