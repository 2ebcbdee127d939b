// Package timetable says what optical switches do for a plan: which cross-connects change
// before each stage, in which order and when.
//
// Port p of every GPU is a transmit and a receive fibre to switch p modulo the number of
// switches. If the fabric has a layout, the layout determines the switch, and the plan gives the
// ports of its circuits. A circuit from u to v is a cross-connect, on one switch, from a
// transmit fibre of u to a receive fibre of v. Circuits that stay keep their ports. With one
// switch, any port of u can connect to any port of v. With several, circuits are coloured by
// ports such that circuits with a common end have different ports (König: as many colours as
// ports are enough). A circuit that stays is moved only if no port is free at both ends of a new
// one.
package timetable
