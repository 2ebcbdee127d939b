// Package ports assigns ports to circuits: it says which transmit fibre of a GPU is connected
// to which receive fibre of another. Timetables, emulations and simulations without barriers
// all use it, so a run does what its timetable says.
package ports
