// Package program turns a plan into a program for every rank (which bytes it sends over which
// circuits in which step, what it forwards, what it receives and what it does with that) and into
// the commands of the switch: the circuits of every stage with their ports.
package program
