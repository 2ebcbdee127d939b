// Package train simulates the training of a model on many GPUs that hold the same parameters:
// how long a minibatch takes, and how much of its communication is hidden by computation.
//
// A Trace says how long every layer computes and how many bytes of gradients it has. The
// backward pass visits the layers from the last to the first. The gradients of a layer are
// ready when its computation ends and can be allreduced while the layers before it still
// compute: wait-free back-propagation (Zhang et al., Poseidon, USENIX ATC 2017). The network
// does one collective at a time. Gradients that become ready while it is busy are buffered and
// then allreduced together (Zhao et al., Efficient Direct-Connect Topologies for Collective
// Communications, §8.4), or are collected in buckets of a fixed size (Li et al., PyTorch
// Distributed, VLDB 2020).
//
// The minibatch is over when all layers have computed and all gradients are allreduced. The
// first layer's gradients are among the last to be allreduced, so no forward pass could start
// earlier with a part of them.
//
// As an extension, the layers of a mixture of experts exchange tokens with an
// all-to-all before and after they compute, in both passes. Computation waits for it.
//
// Trace.Workload converts a minibatch to a workload with one kind of group, for which
// iterations can be planned. The simulation here does not use it, because its answers would
// change. Which gradients are grouped depends on when the network is free, so the collectives
// are not known before the times are, whereas a workload lists them. The network does one
// collective at a time on all ports, whereas an iteration divides the ports. And a minibatch
// begins on the first configuration, not in the steady state.
//
// A Cost says how long a collective takes: by a schedule on a topology (AlphaBeta), or by plans
// (Envelope).
package train
