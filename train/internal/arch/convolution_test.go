package arch

// images builds a network of convolutions. Its methods add layers and return the shape of the
// output.
type images struct {
	batch  int64
	layers []Layer
}

// shape is the shape of one image between two layers.
type shape struct{ channels, height, width int64 }

func (s shape) size() int64 { return s.channels * s.height * s.width }

// kernel is the window that a convolution or pooling slides over an image.
type kernel struct {
	height, width, stride   int64
	padHeight, padWidth     int64
	groups                  int64 // 0: one
	bias, roundUp, separate bool  // separate: a group per channel
}

func square(size, stride, pad int64) kernel {
	return kernel{height: size, width: size, stride: stride, padHeight: pad, padWidth: pad}
}

func (k kernel) biased() kernel { k.bias = true; return k }

// across returns the size of a side after the kernel has passed over it.
func (k kernel) across(side, size, pad int64) int64 {
	room := side + 2*pad - size
	if k.roundUp {
		room += k.stride - 1
	}
	return room/k.stride + 1
}

func (k kernel) out(x shape, channels int64) shape {
	return shape{channels, k.across(x.height, k.height, k.padHeight), k.across(x.width, k.width, k.padWidth)}
}

func (n *images) add(l Layer) { n.layers = append(n.layers, l) }

// touch adds to the numbers that the last layer moves per image.
func (n *images) touch(numbers int64) {
	n.layers[len(n.layers)-1].Moved += n.batch * numbers * float
}

func (n *images) conv(name string, x shape, channels int64, k kernel) shape {
	groups := max(1, k.groups)
	if k.separate {
		groups = x.channels
	}
	y := k.out(x, channels)
	weights := x.channels / groups * channels * k.height * k.width
	params := weights
	if k.bias {
		params += channels
	}
	n.add(Layer{
		Name: name, Params: params, MACs: n.batch * weights * y.height * y.width,
		Moved: (n.batch*(x.size()+y.size()) + params) * float,
	})
	return y
}

// norm normalises over the batch: it reads the numbers for their mean and variance, and then
// reads and writes them again.
func (n *images) norm(name string, x shape) shape {
	n.add(Layer{Name: name, Params: 2 * x.channels})
	n.touch(3 * x.size())
	return x
}

func (n *images) relu(x shape) shape {
	n.touch(2 * x.size())
	return x
}

// sum adds a second input of the same shape.
func (n *images) sum(x shape) shape {
	n.touch(3 * x.size())
	return x
}

func (n *images) pool(x shape, k kernel) shape {
	y := k.out(x, x.channels)
	n.touch(x.size() + y.size())
	return y
}

// average shrinks an image to the given sides.
func (n *images) average(x shape, side int64) shape {
	y := shape{x.channels, side, side}
	n.touch(x.size() + y.size())
	return y
}

// copied writes an image again: a concatenation or a permutation of its channels.
func (n *images) copied(x shape) shape {
	n.touch(2 * x.size())
	return x
}

// linear is a full layer with a bias.
func (n *images) linear(name string, x shape, out int64) shape {
	weights := x.size() * out
	n.add(Layer{
		Name: name, Params: weights + out, MACs: n.batch * weights,
		Moved: (n.batch*(x.size()+out) + weights + out) * float,
	})
	return shape{out, 1, 1}
}

// convNorm is a convolution without bias, with normalisation.
func (n *images) convNorm(conv, norm string, x shape, channels int64, k kernel) shape {
	return n.norm(norm, n.conv(conv, x, channels, k))
}
