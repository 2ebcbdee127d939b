// The part of the address behind #: the view, and the state of its form.
let routed = location.hash; // the last address followed, or written here

/** The view that the address names, which may not exist. */
export const shown = () => /^#?(\w*)/.exec(location.hash)[1] || "race";

/** Marks the address as followed: from now on its view may write the address. */
export function follow() { routed = location.hash; }

/**
 * Writes the state of the view on the page into the address, as a new entry of the history or not.
 * Somebody may have gone elsewhere a moment ago, and the browser not said so yet: then it does nothing.
 */
export function write(to, entry = false) {
  if (location.hash !== routed) return;
  if (entry) history.pushState(null, "", to);
  else history.replaceState(null, "", to);
  follow();
}
