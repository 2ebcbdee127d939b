// Package exchange plans all-to-all exchanges: which topologies a fabric takes one
// after the other and which chunk moves over which circuit when, decided together.
//
// The model is that of Zhou, Addanki and Apostolaki (To Reconfigure or Not to
// Reconfigure, section 2). Every node has k ports, so that a topology is a directed
// graph whose nodes have at most k circuits out and k in. While a topology is up (a
// stage), time runs in slots: in a slot each circuit carries at most one chunk over
// one hop, and a node sends only what it held before the slot (store and forward).
// The fabric starts dark. With R the time to set up a topology and T the time of a
// slot, d stages that take s slots together cost d*R + s*T.
//
// # Symmetric schedules
//
// When every pair of nodes exchanges equally many chunks, schedules may look the same
// from all nodes: circuits lead from u to u+j (mod n) for the jumps j of the stage,
// and the chunk from u to u+o does what the chunk from 0 to o does. Such a schedule
// lists the chunks of node 0 only. In a slot, the circuits of a jump then serve one
// offset o: if they served two, a circuit would carry two chunks. So if the chunk for
// offset o makes c(o,j) hops over jump j in a stage, the stage is an open shop in
// which jumps are machines and offsets are jobs, and it can be done in exactly
//
//	max(largest load of a jump, largest number of hops of an offset)
//
// slots (Gonzalez and Sahni 1976; König 1916 for unit times), where the load of a
// jump is the sum of c(o,j) over o. With one port that is the sum of all hops. All of
// this holds for any group in place of sums (Group); where order matters, a stage with
// several ports is a job shop instead.
//
// # Models
//
// In the paper a chunk makes its whole way within one topology. With one port and the
// jumps J, offset o then takes the fewest hops h with h*j = o for one j of J. A chunk
// may as well wait at a node and go on over circuits of a later stage. Jumps add up
// whatever their order, so that offset o takes as many hops as its distance from 0 in
// the circulant graph that has all jumps of all stages, and the slots of d stages with
// one port are the sum of distances in a directed circulant graph of degree d.
//
// LoadBound and RoundBound hold in the paper's model, RelayBound and DemandBound always.
//
// # Strategies
//
//   - paper: the construction of the paper; shifts: better jumps in its model; exact: any
//     permutations in its model, by complete search for few nodes.
//   - relay: chunks wait for later topologies of jumps; cayley: the same over the
//     generators of a group in which order matters; bruck, retri: the digits of offsets.
//   - direct: a circuit for every chunk; static, rings: one topology for all.
//   - match, birkhoff, mixnet: for demands that differ from pair to pair, which paper,
//     relay, cayley, direct, static and rings plan as well.
//   - auto: the best of all.
//
// Searches are deterministic: where they start from several places, fixed seeds choose
// them.
package exchange
