// Package ports gives circuits their ports: which transmit fibre of a GPU is connected with
// which receive fibre of another. Timetables, emulations and simulations without barriers take it
// from here, so that what a run does is what its timetable says.
package ports
