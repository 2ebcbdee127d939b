package model

import (
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/units"
)

// Shard says how a model and a microbatch are divided among GPUs.
type Shard struct {
	Batch    int // sequences per microbatch
	Sequence int // tokens per sequence
	// TP, CP and EP are how many GPUs share a layer's matrices, a sequence, and the experts.
	TP, CP, EP int
	// SequenceParallel also divides what is between the matrices among the TP GPUs.
	SequenceParallel bool
	// Number and Gradient are the bytes of a number and of a gradient.
	Number, Gradient int
}

// Tokens returns how many tokens of a microbatch a GPU has: b s / CP. The GPUs of a TP group
// may divide the work on them.
func (s *Shard) Tokens() float64 { return float64(s.Batch) * float64(s.Sequence) / float64(s.CP) }

// alone returns by which factor a GPU holds less between the matrices than its group works on.
func (s *Shard) alone() int64 {
	if s.SequenceParallel {
		return int64(s.TP)
	}
	return 1
}

// whole returns the bytes of one vector of a width per token of a microbatch on a GPU.
func (s *Shard) whole(width int) int64 {
	return int64(s.Batch) * int64(s.Sequence) / int64(s.CP) * int64(width) * int64(s.Number)
}

// TensorBytes returns the size of a collective of tensor parallelism, b s h m / CP: an
// allreduce after attention and one after the feed-forward layer in the forward pass and as
// many in the backward pass (Shoeybi et al., arXiv 1909.08053, §3), or with sequence
// parallelism an allgather before and a reducescatter after each (Korthikanti et al., arXiv
// 2205.05198, §4.2.2). The second allgather of a layer's inputs in the backward pass, which is
// hidden by computation there, is left out.
func (m *Model) TensorBytes(s *Shard) units.Bytes { return units.Bytes(s.whole(m.Hidden)) }

// StageBytes returns what a GPU sends to the next pipeline stage or back: b s h m / CP, and
// with sequence parallelism its part of that (Narayanan et al., arXiv 2104.04473, §4.1).
func (m *Model) StageBytes(s *Shard) units.Bytes {
	return units.Bytes(s.whole(m.Hidden) / s.alone())
}

// ContextBytes returns the size of a collective of context parallelism: all keys and values of
// the heads that a GPU has, 2 b s m d_kv / TP, gathered before attention, and their gradients
// scattered in the backward pass (Grattafiori et al., arXiv 2407.21783, §3.3.2). Latent
// attention gathers the narrow vectors.
func (m *Model) ContextBytes(s *Shard) units.Bytes {
	tokens := int64(s.Batch) * int64(s.Sequence) * int64(s.Number)
	if l := m.Latent; l != nil {
		return units.Bytes(tokens * int64(l.KV+l.Rope))
	}
	heads := max(1, m.KVHeads/s.TP) // GPUs share a head if there are too few
	return units.Bytes(2 * tokens * int64(heads*m.Head))
}

// ExpertBytes returns what a GPU sends in an all-to-all to experts, including to itself: a copy
// of each of its tokens for each expert that processes it. There is one to the experts and one
// back, in both passes (Lepikhin et al., GShard, arXiv 2006.16668, §3.2). Experts are assumed
// to be equally popular.
func (m *Model) ExpertBytes(s *Shard) units.Bytes {
	return units.Bytes(s.whole(m.Hidden) * int64(m.TopK) / s.alone())
}

// ExpertTensorBytes returns what the TP group of an expert gathers and scatters if its GPUs
// divide incoming tokens among them: what each of them received.
func (m *Model) ExpertTensorBytes(s *Shard) units.Bytes {
	return units.Bytes(s.whole(m.Hidden) * int64(m.TopK))
}

// Held returns how many parameters of a layer a GPU has: its part of those that all GPUs with
// the same data share, and those of its experts. Matrices are divided among the TP group.
// Normalisations and routers are not, and neither are keys and values if they have fewer heads
// than there are GPUs.
func (m *Model) Held(layer int, s *Shard) (dense, experts int64) {
	tp := int64(s.TP)
	in, out := m.attention()
	if m.Latent != nil {
		l := m.Latent
		narrow := m.matrix(m.Hidden, l.Query) + m.norm(l.Query) + m.matrix(m.Hidden, l.KV+l.Rope) + m.norm(l.KV)
		in = narrow + (in-narrow)/tp
	} else {
		kv := 2 * m.matrix(m.Hidden, m.KVWidth())
		in = (in-kv)/tp + kv/min(tp, int64(m.KVHeads))
	}
	dense = in + out/tp + 2*m.norm(m.Hidden)
	if !m.IsMixture(layer) {
		return dense + m.feedForward(m.FFN)/tp, 0
	}
	expert := m.feedForward(m.ExpertFFN)
	return dense + m.router() + int64(m.Shared)*expert/tp, int64(m.Experts/s.EP) * expert / tp
}

// HeldTable returns how many parameters of the token table, or of the output's matrix, a GPU
// has.
func (m *Model) HeldTable(s *Shard) int64 {
	return arithmetic.CeilDiv(int64(m.Words), int64(s.TP)) * int64(m.Hidden)
}

// HeldEnds returns how many other parameters a GPU of the first pipeline stage has, which are
// learned positions, and one of the last, which are the last normalisation.
func (m *Model) HeldEnds() (first, last int64) {
	_, positions := m.Table()
	return positions, m.norm(m.Hidden)
}
