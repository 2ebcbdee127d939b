// Package workload describes one iteration of training on many ranks: what each of them
// computes, which collectives its groups carry out, what it sends to which rank, and in which
// order.
//
// A Workload has ranks 0..n-1 and kinds of groups. A kind is a partition of the ranks, such as
// the tensor-parallel groups; a rank that takes no part in a kind is a group by itself. Ranks
// that do the same share a Program, so 16 384 GPUs with 16 pipeline stages need 16 programs. A
// program is a list of operations:
//
//   - A computation takes a time. Those of a rank run one at a time, in the order listed.
//   - A collective starts when all members of its group are ready, and ends for all at the same
//     time. Members use the same name for it: it is matched by its identifier within a group.
//   - A send goes to a rank, or to the rank at a given distance from the sender.
//   - A receive waits for a send of another rank, given by rank and name.
//   - A call of a Block stands for the operations of that block, which are shared by all calls.
//
// An operation starts when the operations that its After names, all listed before it, have ended.
// Nothing else orders operations.
//
// Validate proves that a workload can be carried out: kinds are partitions, every send has one
// receive, members of a group list its collectives in the same order, and nothing waits for
// itself, not even across ranks. The packages below make workloads from models
// (workload/parallel), Chakra traces (workload/chakra) and SimAI's text (workload/simai).
package workload
