package arch

import "fmt"

// All image models are those of torchvision, for 1000 classes and 64 images per GPU, the setting
// of Zhao et al. (Figure 8).
const (
	imageBatch = 64
	classes    = 1000
)

var photo = shape{3, 224, 224}

func (n *images) model(name, about, input string) Model {
	return Model{Name: name, About: about + ", as in torchvision", Batch: n.batch, Input: input, Layers: n.layers}
}

const photos = "images of 224x224"

func alexNet() Model {
	n := &images{batch: imageBatch}
	pool := square(3, 2, 0)
	x := n.relu(n.conv("features.0", photo, 64, square(11, 4, 2).biased()))
	x = n.pool(x, pool)
	x = n.pool(n.relu(n.conv("features.3", x, 192, square(5, 1, 2).biased())), pool)
	x = n.relu(n.conv("features.6", x, 384, square(3, 1, 1).biased()))
	x = n.relu(n.conv("features.8", x, 256, square(3, 1, 1).biased()))
	x = n.pool(n.relu(n.conv("features.10", x, 256, square(3, 1, 1).biased())), pool)
	x = n.relu(n.linear("classifier.1", n.average(x, 6), 4096))
	x = n.relu(n.linear("classifier.4", x, 4096))
	n.linear("classifier.6", x, classes)
	return n.model("alexnet", "AlexNet (Krizhevsky, One weird trick, 2014)", photos)
}

// vgg has five blocks with the given numbers of 3x3 convolutions, and a pooling after each block.
func vgg(name, about string, blocks [5]int) Model {
	n := &images{batch: imageBatch}
	x, place := photo, 0
	for block, convolutions := range blocks {
		channels := min(int64(64)<<block, 512)
		for range convolutions {
			x = n.relu(n.conv(fmt.Sprintf("features.%d", place), x, channels, square(3, 1, 1).biased()))
			place += 2
		}
		x = n.pool(x, square(2, 2, 0))
		place++
	}
	x = n.relu(n.linear("classifier.0", n.average(x, 7), 4096))
	x = n.relu(n.linear("classifier.3", x, 4096))
	n.linear("classifier.6", x, classes)
	return n.model(name, about, photos)
}

// residual is a kind of block of a residual network: it adds its layers for a number of
// planes and returns the shape.
type residual func(n *images, name string, x shape, b block) shape

// block says how a residual block is built.
type block struct{ planes, stride, groups, width int64 }

// basic is two 3x3 convolutions.
func basic(n *images, name string, x shape, b block) shape {
	y := n.relu(n.convNorm(name+".conv1", name+".bn1", x, b.planes, square(3, b.stride, 1)))
	return n.convNorm(name+".conv2", name+".bn2", y, b.planes, square(3, 1, 1))
}

// bottleneck is a 3x3 convolution, in groups, between two 1x1 convolutions. As in torchvision,
// the 3x3 convolution has the stride.
func bottleneck(n *images, name string, x shape, b block) shape {
	inner := b.planes * b.width / 64 * b.groups
	middle := square(3, b.stride, 1)
	middle.groups = b.groups
	y := n.relu(n.convNorm(name+".conv1", name+".bn1", x, inner, square(1, 1, 0)))
	y = n.relu(n.convNorm(name+".conv2", name+".bn2", y, inner, middle))
	return n.convNorm(name+".conv3", name+".bn3", y, 4*b.planes, square(1, 1, 0))
}

// resNet has four stages of residual blocks, each with half the side length of the previous
// stage.
func resNet(name, about string, kind residual, stages [4]int64, groups, width int64) Model {
	n := &images{batch: imageBatch}
	x := n.relu(n.convNorm("conv1", "bn1", photo, 64, square(7, 2, 3)))
	x = n.pool(x, square(3, 2, 1))
	for stage, blocks := range stages {
		planes := int64(64) << stage
		for b := range blocks {
			stride := int64(1)
			if stage > 0 && b == 0 {
				stride = 2
			}
			here := fmt.Sprintf("layer%d.%d", stage+1, b)
			y := kind(n, here, x, block{planes, stride, groups, width})
			if y != x { // the input is brought to the shape of the output
				n.convNorm(here+".downsample.0", here+".downsample.1", x, y.channels, square(1, stride, 0))
			}
			x = n.relu(n.sum(y))
		}
	}
	n.linear("fc", n.average(x, 1), classes)
	return n.model(name, about, photos)
}

func squeezeNet() Model {
	n := &images{batch: imageBatch}
	pool := square(3, 2, 0)
	pool.roundUp = true
	x := n.relu(n.conv("features.0", photo, 64, square(3, 2, 0).biased()))
	place := 3
	for _, fires := range [][][2]int64{{{16, 64}, {16, 64}}, {{32, 128}, {32, 128}}, {{48, 192}, {48, 192}, {64, 256}, {64, 256}}} {
		x = n.pool(x, pool)
		for _, fire := range fires {
			x = n.fire(fmt.Sprintf("features.%d", place), x, fire[0], fire[1])
			place++
		}
		place++
	}
	x = n.relu(n.conv("classifier.1", x, classes, square(1, 1, 0).biased()))
	n.average(x, 1)
	return n.model("squeezenet1_1", "SqueezeNet 1.1 (Iandola et al., 2016)", photos)
}

// fire squeezes an image to few channels and expands it with two kinds of kernels.
func (n *images) fire(name string, x shape, squeezed, expanded int64) shape {
	s := n.relu(n.conv(name+".squeeze", x, squeezed, square(1, 1, 0).biased()))
	n.relu(n.conv(name+".expand1x1", s, expanded, square(1, 1, 0).biased()))
	e := n.relu(n.conv(name+".expand3x3", s, expanded, square(3, 1, 1).biased()))
	return n.copied(shape{2 * expanded, e.height, e.width})
}

func shuffleNet() Model {
	n := &images{batch: imageBatch}
	x := n.relu(n.convNorm("conv1.0", "conv1.1", photo, 24, square(3, 2, 1)))
	x = n.pool(x, square(3, 2, 1))
	for stage, s := range []struct{ units, channels int64 }{{4, 244}, {8, 488}, {4, 976}} {
		for unit := range s.units {
			x = n.shuffle(fmt.Sprintf("stage%d.%d", stage+2, unit), x, s.channels, unit == 0)
		}
	}
	x = n.relu(n.convNorm("conv5.0", "conv5.1", x, 2048, square(1, 1, 0)))
	n.linear("fc", n.average(x, 1), classes)
	return n.model("shufflenet_v2_x2_0", "ShuffleNet V2 2.0x (Ma et al., ECCV 2018)", photos)
}

// shuffle is a unit of ShuffleNet. Half of the channels pass three convolutions; the middle one
// works on every channel separately. A unit that halves the sides has two branches, both for all
// channels.
func (n *images) shuffle(name string, x shape, channels int64, halve bool) shape {
	half := channels / 2
	alone := square(3, 1, 1)
	alone.separate = true
	in := shape{half, x.height, x.width}
	if halve {
		alone.stride = 2
		in = x
		y := n.convNorm(name+".branch1.0", name+".branch1.1", x, x.channels, alone)
		n.relu(n.convNorm(name+".branch1.2", name+".branch1.3", y, half, square(1, 1, 0)))
	}
	y := n.relu(n.convNorm(name+".branch2.0", name+".branch2.1", in, half, square(1, 1, 0)))
	y = n.convNorm(name+".branch2.3", name+".branch2.4", y, half, alone)
	y = n.relu(n.convNorm(name+".branch2.5", name+".branch2.6", y, half, square(1, 1, 0)))
	both := shape{channels, y.height, y.width}
	n.copied(both) // joined
	return n.copied(both)
}
