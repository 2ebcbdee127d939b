// Package film prepares a simulation to be shown over time: the packets on their circuits, the
// utilisation and queue of each circuit, step by step, and the slowest messages.
package film
