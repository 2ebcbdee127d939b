package arch

import "fmt"

// tokens builds a transformer. All layers work on the same number of tokens until it is changed.
type tokens struct {
	count  int64 // of a minibatch
	layers []Layer
}

// linear multiplies every token by a matrix, with or without a bias.
func (n *tokens) linear(name string, in, out int64, bias bool) {
	params := in * out
	if bias {
		params += out
	}
	n.layers = append(n.layers, Layer{
		Name: name, Params: params, MACs: n.count * in * out, Moved: (n.count*(in+out) + params) * float,
	})
}

// norm normalises every token, with the given number of parameters per element.
func (n *tokens) norm(name string, width, params int64) {
	n.layers = append(n.layers, Layer{Name: name, Params: params * width})
	n.touch(3 * width)
}

// touch adds to the numbers that the last layer moves per token.
func (n *tokens) touch(numbers int64) {
	n.layers[len(n.layers)-1].Moved += n.count * numbers * float
}

// embedding looks tokens up in a table.
func (n *tokens) embedding(name string, entries, width int64) {
	n.layers = append(n.layers, Layer{Name: name, Params: entries * width})
	n.touch(2 * width)
}

// attention adds attention to the last layer: the products of queries and keys, their softmax,
// and the products with the values. Queries, keys and values have the given width, in the given
// number of heads, and a token attends to `to` tokens.
func (n *tokens) attention(width, heads, to int64) {
	last := &n.layers[len(n.layers)-1]
	last.MACs += 2 * n.count * to * width
	n.touch(4*heads*to + 4*width) // scores are written, read and written, and read
}

// tied adds a layer that shares the matrix of another layer, where its gradients are added.
func (n *tokens) tied(name string, in, out int64) {
	n.linear(name, in, out, false)
	n.layers[len(n.layers)-1].Params = 0
}

// gpt2 is the smallest of the GPT-2 models. Its output matrix is the token table, whose
// gradients are complete only when the backward pass reaches the table.
func gpt2() Model {
	const layers, width, heads, vocabulary, context, batch = 12, 768, 12, 50257, 1024, 8
	n := &tokens{count: batch * context}
	n.embedding("wte", vocabulary, width)
	n.embedding("wpe", context, width)
	for i := range layers {
		name := fmt.Sprintf("h.%d.", i)
		n.norm(name+"ln_1", width, 2)
		n.linear(name+"attn.c_attn", width, 3*width, true)
		n.attention(width, heads, context)
		n.linear(name+"attn.c_proj", width, width, true)
		n.touch(3 * width) // residual
		n.norm(name+"ln_2", width, 2)
		n.linear(name+"mlp.c_fc", width, 4*width, true)
		n.touch(2 * 4 * width) // GELU
		n.linear(name+"mlp.c_proj", 4*width, width, true)
		n.touch(3 * width)
	}
	n.norm("ln_f", width, 2)
	n.tied("lm_head", width, vocabulary)
	return Model{
		Name: "gpt2", About: "GPT-2 small (Radford et al., 2019)", Batch: batch,
		Input: fmt.Sprintf("sequences of %d tokens", context), Layers: n.layers,
	}
}

// bert is the encoder with its pooler (Devlin et al., NAACL 2019), without the pre-training
// heads, on sequences as in the first phase of pre-training.
func bert(name, title string, layers int, width, heads int64) Model {
	const vocabulary, positions, kinds, length, batch = 30522, 512, 2, 128, 64
	n := &tokens{count: batch * length}
	n.embedding("embeddings.word", vocabulary, width)
	n.embedding("embeddings.position", positions, width)
	n.embedding("embeddings.token_type", kinds, width)
	n.norm("embeddings.norm", width, 2)
	for i := range layers {
		here := fmt.Sprintf("layer.%d.", i)
		n.linear(here+"query", width, width, true)
		n.linear(here+"key", width, width, true)
		n.linear(here+"value", width, width, true)
		n.attention(width, heads, length)
		n.linear(here+"attention.dense", width, width, true)
		n.touch(3 * width)
		n.norm(here+"attention.norm", width, 2)
		n.linear(here+"intermediate", width, 4*width, true)
		n.touch(2 * 4 * width)
		n.linear(here+"output", 4*width, width, true)
		n.touch(3 * width)
		n.norm(here+"norm", width, 2)
	}
	n.count = batch // the pooler looks at the first token only
	n.linear("pooler", width, width, true)
	return Model{
		Name: name, About: title + ", encoder and pooler (Devlin et al., NAACL 2019)", Batch: batch,
		Input: fmt.Sprintf("sequences of %d tokens", length), Layers: n.layers,
	}
}
