// Keeps the studio for use without a network, beside the page. The service writes the first lines,
// with the files and the version, so that a browser takes this script for new whenever a file is.
// While the service answers, everything comes from the service.
const cache = `lightpath-${version}`;
const lists = [["v1/list"], ["v1/reproduce", '{"list":true}']]; // the data of forms

/** The address under which an answer is kept. */
const at = (path) => new URL(path, registration.scope).href;

addEventListener("install", (e) => {
  skipWaiting(); // nothing that pages have loaded depends on which version answers
  e.waitUntil(caches.open(cache).then((kept) => Promise.all([
    kept.addAll(files.map((f) => at(f))),
    ...lists.map(async ([path, body]) => { // a service that needs a token gives them only to the page
      const r = await fetch(at(path), body && { method: "POST", body, headers: { "Content-Type": "application/json" } });
      if (r.ok) await kept.put(at(path), r);
    }),
  ])));
});

addEventListener("activate", (e) => {
  const old = (name) => name.startsWith("lightpath-") && name !== cache;
  e.waitUntil(Promise.all([clients.claim(), caches.keys().then((names) => Promise.all(names.filter(old).map((n) => caches.delete(n))))]));
});

addEventListener("fetch", (e) => {
  const { request } = e, url = new URL(request.url), path = url.href.split(/[?#]/)[0].slice(registration.scope.length);
  if (!request.url.startsWith(registration.scope)) return;
  if (request.method === "GET" && files.includes(path)) e.respondWith(fetch(request).catch((why) => stored(path, why)));
  else if (lists.some(([l, body]) => l === path && (request.method === "POST") === Boolean(body))) e.respondWith(listed(request, path));
});

async function stored(path, why) {
  const r = await (await caches.open(cache)).match(at(path), { ignoreVary: true });
  if (!r) throw why;
  return r;
}

/** The data of a form, as the service answers now or answered before. */
async function listed(request, path) {
  const body = lists.find(([l]) => l === path)[1];
  if (body && (await request.clone().text()) !== body) return fetch(request);
  try {
    const r = await fetch(request);
    if (r.ok) await (await caches.open(cache)).put(at(path), r.clone());
    return r;
  } catch (why) {
    return stored(path, why);
  }
}
