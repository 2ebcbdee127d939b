package arch

import "fmt"

// Switch-Base with 128 experts (Fedus, Zoph and Shazeer, Switch Transformers, JMLR 2022) is
// T5-Base with 128 experts in place of every other feed-forward layer. A router sends every
// token to one of the experts.
const (
	switchLayers  = 12 // of the encoder, and as many of the decoder
	switchWidth   = 768
	switchInner   = 3072
	switchHeads   = 12
	switchExperts = 128
	switchTokens  = 32128 // vocabulary
	switchBuckets = 32    // of relative positions, shared by all layers of a stack
	switchBatch   = 8
	switchInput   = 512 // tokens of a sequence
	switchTarget  = 114 // tokens that the decoder learns of it

	// An expert takes a quarter more tokens than an even division gives it (capacity factor
	// 1.25), and tokens are sent in bfloat16.
	capacityNumerator, capacityDenominator = 5, 4
	bfloat                                 = 2
)

func switchBase() Model {
	n := &tokens{count: switchBatch * switchInput}
	n.embedding("shared", switchTokens, switchWidth)
	n.stack("encoder", switchInput, false)
	n.count = switchBatch * switchTarget
	n.stack("decoder", switchTarget, true)
	n.tied("lm_head", switchWidth, switchTokens)
	return Model{
		Name: "switch_base_128", About: "Switch-Base with 128 experts, divided among all GPUs (Fedus et al., JMLR 2022)",
		Batch: switchBatch, Input: fmt.Sprintf("sequences of %d and %d tokens", switchInput, switchTarget), Layers: n.layers,
	}
}

// stack is an encoder or a decoder, which also attends to the encoder's output.
func (n *tokens) stack(name string, length int64, decoder bool) {
	for i := range switchLayers {
		here := fmt.Sprintf("%s.%d.", name, i)
		n.attend(here+"self.", length, i == 0)
		if decoder {
			n.attend(here+"cross.", switchInput, false)
		}
		n.norm(here+"norm", switchWidth, 1)
		if i%2 == 1 {
			n.experts(here)
		} else {
			n.linear(here+"wi", switchWidth, switchInner, false)
			n.touch(2 * switchInner)
			n.linear(here+"wo", switchInner, switchWidth, false)
		}
		n.touch(3 * switchWidth)
	}
	n.norm(name+".norm", switchWidth, 1)
}

// attend adds attention with its normalisation, and with the bias of relative positions if
// positions is set.
func (n *tokens) attend(name string, to int64, positions bool) {
	n.norm(name+"norm", switchWidth, 1)
	n.linear(name+"q", switchWidth, switchWidth, false)
	n.linear(name+"k", switchWidth, switchWidth, false)
	n.linear(name+"v", switchWidth, switchWidth, false)
	n.attention(switchWidth, switchHeads, to)
	if positions {
		n.embedding(name+"positions", switchBuckets, switchHeads)
	}
	n.linear(name+"o", switchWidth, switchWidth, false)
	n.touch(3 * switchWidth)
}

// experts adds a router and the experts. A GPU computes as many tokens as it sends.
func (n *tokens) experts(name string) {
	n.linear(name+"router", switchWidth, switchExperts, false)
	sent := n.count * capacityNumerator / capacityDenominator
	n.layers = append(n.layers, Layer{
		Name:     name + "experts",
		Experts:  2 * switchWidth * switchInner * switchExperts,
		MACs:     2 * sent * switchWidth * switchInner,
		Moved:    sent * (2*switchWidth + 4*switchInner) * float,
		Exchange: sent * switchWidth * bfloat,
	})
}
