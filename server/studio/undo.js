// Undo and redo of the requests of a form: buttons, Ctrl+Z, Ctrl+Shift+Z or Ctrl+Y. While a
// field has text that was not requested yet, Ctrl+Z is the field's own.
import { h } from "./dom.js";
import { values } from "./fields.js";

const stateOf = (form) => String(new URLSearchParams(values(form)));

export class Undo {
  /** apply(state) restores a request and sends it again; state() returns the current request, by default the form's. */
  constructor(form, view, apply, state = () => stateOf(form)) {
    Object.assign(this, { apply, state, states: [], at: -1 });
    this.back = h("button", { type: "button", disabled: true, title: "Undo (Ctrl+Z)", "aria-label": "Undo", onclick: () => this.go(-1) }, "↶");
    this.forth = h("button", { type: "button", disabled: true, title: "Redo (Ctrl+Shift+Z)", "aria-label": "Redo", onclick: () => this.go(1) }, "↷");
    document.addEventListener("keydown", (e) => {
      if (!(e.ctrlKey || e.metaKey) || e.altKey || view.hidden) return;
      const key = e.key.toLowerCase(), way = key === "z" ? (e.shiftKey ? 1 : -1) : key === "y" ? 1 : 0;
      if (!way || e.target.tagName === "TEXTAREA" || this.state() !== this.states[this.at]) return;
      e.preventDefault();
      this.go(way);
    });
  }

  /** Records the current request. */
  note() {
    const now = this.state();
    if (now === this.states[this.at]) return;
    this.states.splice(this.at + 1, Infinity, now);
    this.at = this.states.length - 1;
    this.show();
  }

  /** Replaces the last recorded request by the current one: both are parts of one change. */
  amend() {
    this.states[this.at] = this.state();
  }

  go(way) {
    if (!(this.at + way in this.states)) return;
    this.at += way;
    this.show();
    this.apply(this.states[this.at]);
  }

  show() {
    this.back.disabled = this.at <= 0;
    this.forth.disabled = this.at >= this.states.length - 1;
  }
}
