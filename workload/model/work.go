package model

// Work is what the forward pass of a layer computes for a token, in floating-point operations
// of all GPUs together. A multiply-add counts as two.
type Work struct {
	In   float64 // matrices of queries, keys and values
	Core float64 // products of queries with keys, and of weights with values
	Out  float64 // matrix of the output
	FFN  float64 // feed-forward layer, or a token's experts with their router
}

// Total returns the sum.
func (w Work) Total() float64 { return w.In + w.Core + w.Out + w.FFN }

// LayerWork returns the work of a layer for sequences of the given number of tokens: two
// operations for every number of a matrix, and 4 x tokens x width of the queries for attention
// between all pairs. Summed over layers and three passes (the backward pass does twice the work
// of the forward pass) this is 72 B s L h^2 (1 + s / 6h), the count of Narayanan et al., arXiv
// 2104.04473, §5.1, without its recomputation. A causal mask would need half of the attention;
// published counts do not halve it.
func (m *Model) LayerWork(layer, tokens int) Work {
	in, out := m.withoutBias().attention()
	w := Work{In: 2 * float64(in), Out: 2 * float64(out), Core: 4 * float64(tokens) * float64(m.QueryWidth())}
	if l := m.Latent; l != nil {
		w.In -= 2 * float64(m.norm(l.Query)+m.norm(l.KV))
		w.Core = 2 * float64(tokens) * float64(m.Heads) * float64(l.Key+l.Rope+l.Value)
	}
	if m.IsMixture(layer) {
		met := int64(m.TopK + m.Shared)
		w.FFN = 2 * float64(met*m.withoutBias().feedForward(m.ExpertFFN)+int64(m.Hidden)*int64(m.Experts))
	} else {
		w.FFN = 2 * float64(m.withoutBias().feedForward(m.FFN))
	}
	return w
}

// HeadWork returns the work of the output's matrix for a token: the V / 12Lh of the same count.
func (m *Model) HeadWork() float64 { return 2 * float64(m.Words) * float64(m.Hidden) }

// withoutBias returns the model without biases, which add and do not multiply.
func (m *Model) withoutBias() *Model {
	bare := *m
	bare.Bias = false
	return &bare
}

// Flops returns the work of an iteration of the given sequences: three times the forward pass.
func (m *Model) Flops(sequences, tokens int) float64 {
	sum := m.HeadWork()
	for l := range m.Layers {
		sum += m.LayerWork(l, tokens).Total()
	}
	return 3 * sum * float64(sequences) * float64(tokens)
}
