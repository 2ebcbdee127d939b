// Journeys through Iteration, Fabric, Design, Records and the command palette. journeys.js runs them.
import assert from "node:assert/strict";

const text = (p, selector) => p.textContent(selector);
const says = (p, selector, pattern) => p.waitForFunction(([s, source]) => new RegExp(source).test(document.querySelector(s)?.textContent ?? ""), [selector, pattern.source]);

export async function iteration(p, base) {
  await p.goto(`${base}/#iteration`);
  await p.waitForSelector("#iteration-body canvas.schedule"); // stored: nothing is asked
  assert.match(await text(p, "#iteration-body .hero"), /mixtral-8x7b on 16 GPUs.*ms/);
  await says(p, "#iteration-body .cursor-at", /being set/); // it opens where ports are dark
}

/** The cursor, zoom and sliders; what makes no sense is said beside its field. */
export async function iterationJourney(p) {
  const before = await text(p, "#iteration-body .at");
  await p.locator("#iteration-body canvas.schedule").focus();
  for (const key of ["+", "+", "Shift+ArrowRight", "PageDown", "0", "End"]) await p.keyboard.press(key);
  assert.notEqual(await text(p, "#iteration-body .at"), before);
  await p.locator("#iteration-delay").focus();
  const slow = await text(p, "#iteration-body .hero .time");
  for (const key of ["ArrowLeft", "ArrowLeft"]) await p.keyboard.press(key);
  await says(p, "#iteration-body .tried", /100 us, 2 ports/);
  assert.match(p.url(), /reconfig=100us/);
  assert.notEqual(await text(p, "#iteration-body .hero .time"), slow); // a shorter delay is another plan
  await p.fill("#iteration-form [name=tp]", "3");
  await p.waitForFunction(() => document.querySelector("#iteration-error:not([hidden])")?.textContent || document.querySelector("#iteration-form .why:not(:empty)"));
  await p.locator("#iteration-form [name=tp]").blur();
  await p.keyboard.press("Control+z");
  await p.waitForFunction(() => document.querySelector("#iteration-form [name=tp]")?.value === "2" && !document.querySelector("#iteration-body.stale, #iteration-body.busy"));
}

export async function fabric(p, base) {
  await p.goto(`${base}/#fabric`);
  await p.waitForSelector("#fabric-body .fabric [data-part='switch:7']");
  assert.match(await text(p, "#fabric-body .hero"), /allreduce of 16 MiB on 32 GPUs.*switches: rotornet/);
}

/** A switch fails where it is clicked, a GPU by keys; both are mended. */
export async function fabricJourney(p, base) {
  await p.goto(`${base}/#fabric?nodes=8&island=4&radix=4&size=1MiB`); // small, so that plans take no time
  await says(p, "#fabric-body .hero", /on 8 GPUs/);
  const tall = () => p.locator("#fabric-body .hero").evaluate((e) => e.getBoundingClientRect().height), sound = await tall();
  await p.locator("[data-part='switch:2']").click();
  await says(p, "#fabric-body .hero", /around what failed, \+.*verified/);
  assert.equal(await tall(), sound); // what was clicked stays where it is
  assert.match(p.url(), /avoid=switch%3A2/);
  await p.locator("[data-part='switch:2']").focus();
  await p.keyboard.press("Enter");
  await p.waitForFunction(() => !/around what failed/.test(document.querySelector("#fabric-body .hero").textContent));
  await p.locator("[data-part='port:3.1']").focus();
  await p.keyboard.press("ArrowRight"); // the next port
  await p.keyboard.press("Space");
  await says(p, "#fabric-body .hero", /port:4\.0.*verified/);
  await p.getByRole("button", { name: "Mend all" }).click();
  await p.waitForFunction(() => !/Failed/.test(document.querySelector("#fabric-body .hero").textContent));
  await p.fill("#fabric-form [name=avoid]", "gpu:99");
  await says(p, "#f-fabric-avoid-why", /99/);
}

export async function design(p, base) {
  await p.goto(`${base}/#design`);
  await p.waitForSelector("#design-body .choices .picked");
  assert.match(await text(p, "#design-body .hero"), /512 GPUs/);
  assert.ok(await p.locator("#design-body .choice").count() > 20);
}

/** Points are chosen with a mouse and with keys; a small question is computed. */
export async function designJourney(p) {
  const first = await text(p, "#design-body [aria-label='The choice'] h3");
  await p.locator("#design-body .choices").focus();
  await p.keyboard.press("End");
  assert.notEqual(await text(p, "#design-body [aria-label='The choice'] h3"), first);
  await p.locator("#design-body .choice:not(.beaten)").last().click();
  for (const [name, value] of Object.entries({ mix: "allreduce/4MB:1", nodes: "8", ports: "1,2", technology: "rotornet", island: "", parts: "" })) await p.locator(`#design-form [name=${name}]`).evaluate((e, v) => { e.value = v; }, value);
  await p.getByRole("button", { name: "Compare" }).click();
  await says(p, "#design-body .hero", /^8 GPUs/);
  await p.fill("#design-form [name=mix]", "sum/4MB:1");
  await p.getByRole("button", { name: "Compare" }).click();
  await says(p, "#f-design-mix-why", /sum/);
}

export async function records(p, base) {
  await p.goto(`${base}/#records?op=allgather&nodes=12&ports=2&size=1048576`);
  await says(p, "#records-body .hero", /allgather of 1 MiB on 12 GPUs.*8\.806 usrecord/);
}

/** The record's own plan is as fast; one that lies is refused; one of another fabric is not ranked. */
export async function recordsJourney(p, base) {
  await p.getByRole("button", { name: "Start from its plan" }).click();
  await p.waitForFunction(() => document.querySelector("#records-plan")?.value.length > 1000);
  const whole = JSON.parse(await p.inputValue("#records-plan"));
  await p.getByRole("button", { name: "Verify and rank" }).click();
  await says(p, ".verdict-card h3", /As fast as the record/);
  const rank = async (plan, pattern) => {
    await p.fill("#records-plan", typeof plan === "string" ? plan : JSON.stringify(plan));
    await p.getByRole("button", { name: "Verify and rank" }).click();
    await p.waitForFunction((source) => new RegExp(source).test(`${document.querySelector(".verdict-card h3")?.textContent} ${document.querySelector("#records-plan-why")?.textContent}`), pattern.source);
  };
  await rank({ ...whole, cost_ns: { ...whole.cost_ns, total: 1 } }, /Refused: cost_ns: total/);
  const stolen = structuredClone(whole);
  stolen.stages[0].steps.pop();
  await rank(stolen, /Refused/);
  await rank(whole, /As fast as the record/);
  await p.locator("#records-plan").press("End"); // no input yet
  assert.equal(await p.locator(".verdict-card").count(), 1);
  await p.locator("#records-plan").press("x"); // which nobody has verified
  assert.equal(await p.locator(".verdict-card").count(), 0);
  await rank(whole, /As fast as the record/);
  await rank("{", /not a plan file/);
  assert.equal(await p.locator(".verdict-card").count(), 0);
  await rank(whole, /As fast as the record/);
  await rank({ schema: "lightpath.plan/v1" }, /Refused/);
  assert.equal(await p.locator(".verdict-card .good").count(), 0);
  const other = await p.evaluate(async () => {
    const ask = (body) => fetch("v1/plan", { method: "POST", body: JSON.stringify(body) });
    const slow = await ask({ operations: [{ op: "allgather", size: "1MiB" }], fabric: { nodes: 12, ports: 2 }, planner: "static" }), fast = await ask({ operations: [{ op: "allgather", size: "1MiB" }], fabric: { nodes: 12, ports: 2, bandwidth: "400Gbps" } });
    return Promise.all([slow, fast].map(async (r) => (await fetch(`v1/plans/${r.headers.get("Lightpath-Plan")}`)).json()));
  });
  await rank(other[0], /(slower than|As fast as) the record/);
  await rank(other[1], /not ranked: its fabric has bandwidth/);
  // Every table can be read in the dark, on both widths.
  for (const width of [1440, 390]) for (const theme of ["dark", "light"]) {
    await p.setViewportSize({ width, height: 900 });
    await p.evaluate((t) => { document.documentElement.dataset.theme = t; }, theme);
    for (const op of await p.locator("#records-form [name=op] option").evaluateAll((all) => all.map((o) => o.value))) {
      await p.selectOption("#records-form [name=op]", op);
      await contrast(p, `${op}, ${theme}, ${width}`);
    }
  }
  assert.ok(base);
}

/** The least contrast that the text of a cell has with its shade, computed from the painted colours. */
async function contrast(p, what) {
  const least = await p.evaluate(() => {
    const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const light = (color) => {
      paint.fillStyle = color;
      paint.fillRect(0, 0, 1, 1);
      const [r, g, b] = [...paint.getImageData(0, 0, 1, 1).data].map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    };
    return Math.min(...[...document.querySelectorAll("#records-body .cell-button")].flatMap((b) => [b, b.querySelector("small")].map((e) => {
      const [x, y] = [light(getComputedStyle(e).color), light(getComputedStyle(b).backgroundColor)];
      return Math.max(x, y) / Math.min(x, y);
    })));
  });
  assert.ok(least >= 4.5, `${what}: contrast ${least.toFixed(2)}`);
}

/** Ctrl+K leads anywhere, with keys alone. */
export async function paletteJourney(p, base) {
  await p.goto(`${base}/#records`);
  await p.waitForSelector("#records-body .hero");
  await p.keyboard.press("Control+k");
  await p.keyboard.type("fabric view");
  await p.keyboard.press("Enter");
  await p.waitForFunction(() => location.hash === "#fabric" || location.hash.startsWith("#fabric?"));
  await p.keyboard.press("Control+k");
  await p.keyboard.type("no such thing");
  assert.match(await text(p, "dialog.palette"), /No command matches/);
  await p.keyboard.press("Escape");
  assert.equal(await p.locator("dialog.palette").isVisible(), false);
  // Between a new address and its view, the old view must not write its own there.
  assert.equal(await p.evaluate(async () => {
    const { write } = await import("/address.js");
    write("#fabric?nodes=8");
    const before = location.hash;
    location.hash = "#records";
    write("#fabric?nodes=16");
    return before + location.hash;
  }), "#fabric?nodes=8#records");
  await p.waitForSelector("#records-body .hero");
}

/** A page that was loaded works on when the service is gone, and says what does not. */
export async function offlineJourney(p, base) {
  await p.goto(`${base}/#records`);
  await p.waitForSelector("#records-body .hero");
  await p.context().setOffline(true);
  for (const view of ["iteration", "fabric", "design"]) {
    await p.evaluate((v) => { location.hash = `#${v}`; }, view);
    await p.waitForSelector(`#${view}-body .hero`);
  }
  await p.evaluate(() => { location.hash = "#fabric?avoid=switch:1"; });
  await says(p, "#fabric-error", /does not answer.*stored in the page/);
  await p.evaluate(() => { location.hash = "#records"; });
  await p.fill("#records-plan", "{}");
  await p.getByRole("button", { name: "Verify and rank" }).click();
  await says(p, "#records-plan-why", /needs the service/);
  await p.context().setOffline(false);
  await p.reload();
  await p.evaluate(() => navigator.serviceWorker.ready);
  await p.context().setOffline(true);
  // After one visit, without a network: every view opens on what is stored, or says what it needs.
  const opens = { race: /wins|best|pays/, plan: "", iteration: /A step of/, fabric: /32 GPUs/, design: /512 GPUs/, explore: /cells/, topologies: "", simulate: "", run: /recorded/, records: /record/, papers: /claim/ };
  for (const [view, pattern] of Object.entries(opens)) {
    await p.goto(`${base}/?again=${view}#${view}`).catch((e) => assert.fail(`${view}: ${e}`));
    if (pattern) await says(p, `#${view}-body`, pattern);
    else await says(p, `#${view}-error`, /does not answer/);
    assert.equal(await p.locator(`#${view}-form :is(input, select)`).count() > 0, view !== "race", view);
  }
  p.faults = p.faults.filter((f) => !/ERR_INTERNET_DISCONNECTED|when fetching the script/.test(f));
}

const jobs = async (p, state) => (await p.evaluate(async () => (await fetch("v1/jobs")).json())).jobs.filter((j) => !state || state.includes(j.state));
const none = async (p, what) => {
  for (let i = 0; i < 300; i++) {
    if (!(await jobs(p, ["queued", "running"])).length) return;
    await p.waitForTimeout(100);
  }
  assert.fail(`${what}: a job goes on that nobody waits for`);
};

/** A job that is stopped, left, replaced or whose page is closed is cancelled; a wait says so, and what is seen is marked. */
export async function leavingJourney(p, base) {
  const begun = async (view) => {
    await p.waitForFunction((v) => document.querySelector(`#${v} .waits:not([hidden])`) && document.querySelector(`#${v}-body.waiting`), view);
    for (let i = 0; i < 300 && !(await jobs(p, ["queued", "running"])).length; i++) await p.waitForTimeout(50);
    assert.equal((await jobs(p, ["queued", "running"])).length, 1, view);
  };
  await p.goto(`${base}/#fabric?nodes=256&radix=64`);
  await begun("fabric");
  assert.match(await text(p, "#fabric .waits"), /Comparing layouts/);
  await p.locator("#fabric .waits").getByRole("button", { name: "Stop" }).click();
  await none(p, "stopped");
  assert.match(await text(p, "#fabric-body .former"), /Stopped\./);
  await p.getByRole("button", { name: "Wire and plan" }).click();
  await begun("fabric");
  await p.evaluate(() => { location.hash = "#design"; });
  await none(p, "left");
  await p.waitForSelector("#design-body .hero");
  await p.fill("#design-form [name=mix]", "allreduce/90MB:1");
  await p.getByRole("button", { name: "Compare" }).click();
  await begun("design");
  assert.match(await text(p, "#design .waits"), /Planning every choice.*previous answer/);
  const first = (await jobs(p, ["queued", "running"]))[0].id;
  await p.fill("#design-form [name=mix]", "allreduce/91MB:1");
  await p.getByRole("button", { name: "Compare" }).click();
  for (let i = 0; i < 300 && (await jobs(p, ["queued", "running"])).some((j) => j.id === first); i++) await p.waitForTimeout(50);
  await begun("design"); // the second one alone
  const other = await p.context().newPage();
  await other.goto(`${base}/#records`);
  await p.close();
  await none(other, "closed");
  await other.evaluate(() => { location.hash = "#iteration"; });
  await other.waitForSelector("#iteration-body .hero");
  await other.locator("#iteration-delay").focus();
  await other.keyboard.press("ArrowRight");
  assert.match(await text(other, "#iteration .waits"), /Planning the step… Below is the previous answer/); // at once
  await other.waitForFunction(() => !document.querySelector("#iteration-body.waiting") && document.querySelector("#iteration .waits").hidden);
  assert.match(await text(other, "#iteration-body .tried"), /3 ms, 2 ports/);
}
