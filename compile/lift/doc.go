// Package lift turns programs back into plans, so that schedules of any origin can be priced,
// simulated and compared, and so that a plan can be seen as a runtime executes it.
//
// A program has no steps between barriers, and ranks hold several versions of a chunk in
// different places. A plan has steps, and one value of every chunk at every node. So lift follows
// the data through the program:
//
//   - If nothing is reduced, every message is a transfer of one hop: intermediate ranks hold what
//     they forward.
//   - If chunks are reduced, a transfer ends when its contents are added to the receiver's
//     value, or replace it. Data that is received into scratch and only forwarded is in transit:
//     the transfer then has a multi-hop route. The sum of what a rank has received is a part of
//     its value if the program keeps it separately. The rank's own contribution is a part if it
//     is sent while the value is something else.
//
// There are as few steps as the order of versions allows: a read comes after the step that wrote
// the version, and no later than the step that replaces it. A transfer that fits into several
// steps goes where circuits are free.
package lift
