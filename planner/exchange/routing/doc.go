// Package routing finds routes over given topologies, and assigns every hop a slot.
//
// Routes belong to a schedule that looks the same from all nodes. In a slot, the circuits of
// a generator then serve one offset o: if they served two, a circuit would carry two chunks.
// So if the chunk for offset o makes c(o,j) hops over generator j in a stage, the stage is an
// open shop in which generators are machines and offsets are jobs. It takes exactly
//
//	max(largest load of a generator, largest number of hops of an offset)
//
// slots (Gonzalez and Sahni 1976; König 1916 for unit times), where the load of a generator
// is the sum of c(o,j) over o. In a non-commutative group, a stage with several ports is a job
// shop instead.
//
// A Router finds routes that even out the loads, for any demand over any topologies: of whole
// chunks, or of amounts that may be divided at will. For the latter it gives up after a few
// passes on topologies that would take far too long to be of use.
package routing
