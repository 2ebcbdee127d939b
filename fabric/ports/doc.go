// Package ports gives circuits their ports: which transmit fibre of a GPU is connected with
// which receive fibre of another. Timetables and emulations have it in common, so that what a
// run does is what its timetable says.
package ports
