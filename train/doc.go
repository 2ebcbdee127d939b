// Package train simulates the training of a model on many GPUs that hold the same
// parameters: how long a minibatch takes, and how much of its communication hides
// behind computation.
//
// A Trace says how long every layer computes and how many bytes of gradients it has.
// In the backward pass, which visits the layers from the last to the first, the
// gradients of a layer are ready when its computation ends and can be allreduced while
// the layers before it still compute: wait-free back-propagation (Zhang et al.,
// Poseidon, USENIX ATC 2017). The network does one collective at a time. What is ready
// while it is busy is buffered and then allreduced together (Zhao et al., Efficient
// Direct-Connect Topologies for Collective Communications, §8.4), or is collected in
// buckets of a fixed size (Li et al., PyTorch Distributed, VLDB 2020).
//
// The minibatch is over when all layers have computed and all gradients are
// allreduced. The first layer's gradients are among the last to be allreduced, so no
// forward pass could start on some of them.
//
// As an extension, the layers of a mixture of experts exchange tokens with an
// all-to-all before and after they compute, in both passes. Computation waits for it.
//
// Trace.Workload is a minibatch as a workload with one kind of groups, which iterations are planned
// for. The simulation here does not stand on it, because its answers would change: which gradients
// go together depends on when the network is free, so the collectives are not known before the
// times are, while a workload lists them; the network does one collective at a time on all ports,
// where an iteration shares the ports out; and a minibatch begins on the first configuration, not
// in the steady state.
//
// A Cost says how long a collective takes: with a schedule on a topology (AlphaBeta), or with
// plans (Envelope).
package train
