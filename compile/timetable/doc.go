// Package timetable says what optical switches do for a plan: which cross-connects change
// before each stage, in which order and when.
//
// Port p of every GPU is a transmit and a receive fibre to switch p modulo the number of
// switches. If the fabric has a layout, that determines the switch, and the plan gives the ports of
// its circuits. A circuit from u to v is a cross-connect, on one switch, from a transmit fibre
// of u to a receive fibre of v. Circuits that stay keep their ports. With one switch any
// port of u can lead to any of v; with several, circuits are coloured by ports, so that
// those with an end in common are on different ones (König: as many colours as ports are
// enough), and circuits that stay are moved only where no port is free at both ends.
package timetable
