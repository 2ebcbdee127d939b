package arch

// inception builds Inception v3: convolutions without bias, each with normalisation and
// a rectifier, in blocks of parallel branches whose outputs are joined.
type inception struct{ images }

// branch is a sequence of convolutions.
type branch []convolution

type convolution struct {
	name     string
	channels int64
	kernel   kernel
}

func (n *inception) conv(name string, x shape, channels int64, k kernel) shape {
	return n.relu(n.convNorm(name+".conv", name+".bn", x, channels, k))
}

// run sends an image through a branch.
func (n *inception) run(name string, x shape, b branch) shape {
	for _, c := range b {
		x = n.conv(name+"."+c.name, x, c.channels, c.kernel)
	}
	return x
}

// block runs branches on the same input and joins their outputs; `further` is the number of
// channels from elsewhere.
func (n *inception) block(name string, x shape, further int64, branches ...branch) shape {
	joined := shape{channels: further}
	for _, b := range branches {
		y := n.run(name, x, b)
		joined.channels += y.channels
		joined.height, joined.width = y.height, y.width
	}
	n.copied(joined)
	return joined
}

var (
	one, three, five = square(1, 1, 0), square(3, 1, 1), square(5, 1, 2)
	halving          = square(3, 2, 0)
	row7, column7    = flat(1, 7), flat(7, 1)
	row3, column3    = flat(1, 3), flat(3, 1)
)

// flat is a kernel that keeps the sides of an image.
func flat(height, width int64) kernel {
	return kernel{height: height, width: width, stride: 1, padHeight: height / 2, padWidth: width / 2}
}

func inceptionV3() Model {
	n := &inception{images{batch: imageBatch}}
	x := n.conv("Conv2d_1a_3x3", shape{3, 299, 299}, 32, halving)
	x = n.conv("Conv2d_2a_3x3", x, 32, square(3, 1, 0))
	x = n.pool(n.conv("Conv2d_2b_3x3", x, 64, three), halving)
	x = n.conv("Conv2d_3b_1x1", x, 80, one)
	x = n.pool(n.conv("Conv2d_4a_3x3", x, 192, square(3, 1, 0)), halving)
	x = n.blockA("Mixed_5b", x, 32)
	x = n.blockA("Mixed_5c", x, 64)
	x = n.blockA("Mixed_5d", x, 64)
	x = n.block("Mixed_6a", x, x.channels, // the input is pooled
		branch{{"branch3x3", 384, halving}},
		branch{{"branch3x3dbl_1", 64, one}, {"branch3x3dbl_2", 96, three}, {"branch3x3dbl_3", 96, halving}})
	x = n.blockC("Mixed_6b", x, 128)
	x = n.blockC("Mixed_6c", x, 160)
	x = n.blockC("Mixed_6d", x, 160)
	x = n.blockC("Mixed_6e", x, 192)
	n.auxiliary("AuxLogits", x)
	x = n.block("Mixed_7a", x, x.channels,
		branch{{"branch3x3_1", 192, one}, {"branch3x3_2", 320, halving}},
		branch{{"branch7x7x3_1", 192, one}, {"branch7x7x3_2", 192, row7}, {"branch7x7x3_3", 192, column7}, {"branch7x7x3_4", 192, halving}})
	x = n.blockE("Mixed_7b", x)
	x = n.blockE("Mixed_7c", x)
	n.linear("fc", n.average(x, 1), classes)
	return n.model("inception_v3", "Inception v3 with its auxiliary classifier (Szegedy et al., CVPR 2016)", "images of 299x299")
}

func (n *inception) blockA(name string, x shape, pooled int64) shape {
	return n.block(name, x, 0,
		branch{{"branch1x1", 64, one}},
		branch{{"branch5x5_1", 48, one}, {"branch5x5_2", 64, five}},
		branch{{"branch3x3dbl_1", 64, one}, {"branch3x3dbl_2", 96, three}, {"branch3x3dbl_3", 96, three}},
		branch{{"branch_pool", pooled, one}})
}

func (n *inception) blockC(name string, x shape, inner int64) shape {
	return n.block(name, x, 0,
		branch{{"branch1x1", 192, one}},
		branch{{"branch7x7_1", inner, one}, {"branch7x7_2", inner, row7}, {"branch7x7_3", 192, column7}},
		branch{{"branch7x7dbl_1", inner, one}, {"branch7x7dbl_2", inner, column7}, {"branch7x7dbl_3", inner, row7},
			{"branch7x7dbl_4", inner, column7}, {"branch7x7dbl_5", 192, row7}},
		branch{{"branch_pool", 192, one}})
}

// blockE has branches that fork.
func (n *inception) blockE(name string, x shape) shape {
	n.run(name, x, branch{{"branch1x1", 320, one}})
	y := n.run(name, x, branch{{"branch3x3_1", 384, one}})
	n.run(name, y, branch{{"branch3x3_2a", 384, row3}})
	n.run(name, y, branch{{"branch3x3_2b", 384, column3}})
	y = n.run(name, x, branch{{"branch3x3dbl_1", 448, one}, {"branch3x3dbl_2", 384, three}})
	n.run(name, y, branch{{"branch3x3dbl_3a", 384, row3}})
	n.run(name, y, branch{{"branch3x3dbl_3b", 384, column3}})
	n.run(name, x, branch{{"branch_pool", 192, one}})
	return n.copied(shape{320 + 4*384 + 192, x.height, x.width})
}

// auxiliary is the second classifier, which only training uses.
func (n *inception) auxiliary(name string, x shape) {
	x = n.pool(x, square(5, 3, 0))
	x = n.run(name, x, branch{{"conv0", 128, one}, {"conv1", 768, square(5, 1, 0)}})
	n.linear(name+".fc", n.average(x, 1), classes)
}
