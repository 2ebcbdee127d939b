package model

// IsMixture reports whether a layer has experts.
func (m *Model) IsMixture(layer int) bool { return m.Experts > 0 && layer >= m.Dense }

// matrix counts the parameters of a matrix, with its bias.
func (m *Model) matrix(in, out int) int64 {
	n := int64(in) * int64(out)
	if m.Bias {
		n += int64(out)
	}
	return n
}

// norm counts the parameters of a normalisation of the given width.
func (m *Model) norm(width int) int64 {
	if m.Norm == "layer" {
		return 2 * int64(width)
	}
	return int64(width)
}

// QueryWidth returns the width of all queries.
func (m *Model) QueryWidth() int { return m.Heads * m.Head }

// KVWidth returns the width of all keys, and of all values.
func (m *Model) KVWidth() int { return m.KVHeads * m.Head }

// attention counts the parameters of attention: matrices for queries, keys and values, and the
// matrix of the output (Vaswani et al., arXiv 1706.03762, §3.2; grouped queries: Ainslie et al.,
// arXiv 2305.13245). Latent attention: DeepSeek-AI, arXiv 2405.04434, §2.1.
func (m *Model) attention() (in, out int64) {
	if l := m.Latent; l != nil {
		in = m.matrix(m.Hidden, l.Query) + m.norm(l.Query) + m.matrix(l.Query, m.Heads*(l.Key+l.Rope)) +
			m.matrix(m.Hidden, l.KV+l.Rope) + m.norm(l.KV) + m.matrix(l.KV, m.Heads*(l.Key+l.Value))
		return in, m.matrix(m.Heads*l.Value, m.Hidden)
	}
	return m.matrix(m.Hidden, m.QueryWidth()) + 2*m.matrix(m.Hidden, m.KVWidth()), m.matrix(m.QueryWidth(), m.Hidden)
}

// feedForward counts the parameters of a feed-forward layer: two matrices, or three with a gate
// (Shazeer, arXiv 2002.05202).
func (m *Model) feedForward(width int) int64 {
	n := m.matrix(m.Hidden, width) + m.matrix(width, m.Hidden)
	if m.Gated {
		n += m.matrix(m.Hidden, width)
	}
	return n
}

// router counts the parameters that choose experts.
func (m *Model) router() int64 {
	n := int64(m.Hidden) * int64(m.Experts)
	if m.RouterBias {
		n += int64(m.Experts)
	}
	return n
}

// Table counts the parameters of the token table, which is also the output's matrix if that is
// tied, and of learned positions.
func (m *Model) Table() (tokens, positions int64) {
	return int64(m.Words) * int64(m.Hidden), int64(m.Places) * int64(m.Hidden)
}

// LayerParameters counts the parameters of a layer: those used by all tokens, and those of all
// experts; each token uses few of them.
func (m *Model) LayerParameters(layer int) (dense, experts int64) {
	in, out := m.attention()
	dense = in + out + 2*m.norm(m.Hidden)
	if !m.IsMixture(layer) {
		return dense + m.feedForward(m.FFN), 0
	}
	return dense + m.router() + int64(m.Shared)*m.feedForward(m.ExpertFFN), int64(m.Experts) * m.feedForward(m.ExpertFFN)
}

// Parameters counts all parameters, and those that a token uses.
func (m *Model) Parameters() (all, active int64) {
	tokens, positions := m.Table()
	all = tokens + positions + m.norm(m.Hidden)
	if !m.Tied {
		all += tokens
	}
	active = all
	for l := range m.Layers {
		dense, experts := m.LayerParameters(l)
		all += dense + experts
		active += dense
		if m.IsMixture(l) {
			active += experts / int64(m.Experts) * int64(m.TopK)
		}
	}
	return all, active
}
