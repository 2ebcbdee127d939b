// Package routing finds ways over topologies that are given, and gives every hop its slot.
//
// Ways are those of a schedule that looks the same from all nodes. In a slot, the circuits
// of a generator then serve one offset o: if they served two, a circuit would carry two
// chunks. So if the chunk for offset o makes c(o,j) hops over generator j in a stage, the
// stage is an open shop in which generators are machines and offsets are jobs, and it can
// be done in exactly
//
//	max(largest load of a generator, largest number of hops of an offset)
//
// slots (Gonzalez and Sahni 1976; König 1916 for unit times), where the load of a generator
// is the sum of c(o,j) over o. Where order matters, a stage with several ports is a job
// shop instead.
//
// A Router finds ways for any demand over any topologies, so that loads are even.
package routing
