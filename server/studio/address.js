// The part of the address behind #: which view, and what it is asked.
let routed = location.hash; // the last that was followed, or written here

/** The view that the address names, be there one or not. */
export const shown = () => /^#?(\w*)/.exec(location.hash)[1] || "race";

/** Takes the address as followed: from here on its view may write there. */
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
