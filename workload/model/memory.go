package model

// Moved is what a rank moves between its memory and its processors in the forward pass of a
// layer, other than in matrix products, in bytes per microbatch. It takes time because nothing
// else happens meanwhile.
type Moved struct {
	Attention float64 // a normalisation and the sum of the residual connection
	Scores    float64 // products of queries with keys, if they go through memory
	FFN       float64 // a normalisation, a sum, and the activation function between the matrices
}

// These are the passes over memory, by what a layer keeps as listed in Korthikanti et al.,
// arXiv 2205.05198, §4.1. A normalisation reads and writes its numbers; a sum reads two and
// writes one; the activation function between the matrices reads one, or two with a gate, and
// writes one. Scores are written, read and written by the softmax, read and written by dropout,
// and read; kernels that keep them on the chip (Dao et al., FlashAttention, arXiv 2205.14135)
// do none of that.
const (
	normPasses  = 2
	sumPasses   = 3
	scorePasses = 6
)

// LayerMoved returns what a rank moves in a layer. With tensor parallelism the ranks of a group
// divide what is between matrices only if they are sequence parallel.
func (m *Model) LayerMoved(layer int, s *Shard, scores bool) Moved {
	outer := (normPasses + sumPasses) * float64(s.whole(m.Hidden)) / float64(s.alone())
	moved := Moved{Attention: outer, FFN: outer}
	if scores {
		moved.Scores = scorePasses * float64(s.whole(1)) * float64(m.Heads) / float64(s.TP) * float64(s.Sequence)
	}
	passes, width := 2, m.FFN
	if m.Gated {
		passes = 3
	}
	if m.IsMixture(layer) {
		width = (m.TopK + m.Shared) * m.ExpertFFN
	}
	moved.FFN += float64(passes) * float64(s.whole(width)) / float64(s.TP)
	return moved
}
