// Package program turns a plan into what every rank has to do: which bytes it sends over
// which circuits in which step, what it passes on, what it gets and what becomes of that;
// and into what the switch is fed, the circuits of every stage with their ports.
package program
