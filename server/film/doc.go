// Package film turns a simulation into what can be shown of it over time: the packets on
// their circuits, how busy each circuit is and how much waits for it, step by step, and the
// messages that took longest.
package film
