// Package film prepares a simulation for showing it over time: the packets on their circuits, the
// utilisation and queue of each circuit, step by step, and the slowest messages.
package film
