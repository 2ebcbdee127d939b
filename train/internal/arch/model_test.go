package arch

import (
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// Model is an architecture and the minibatch of one GPU.
type Model struct {
	Name   string // as torchvision or the paper has it
	About  string // architecture and source
	Batch  int64  // of one GPU
	Input  string // what the batch is of
	Layers []Layer
}

// Layer is a layer and the work of its forward pass for one minibatch.
type Layer struct {
	Name     string
	Params   int64 // that every GPU has
	Experts  int64 // parameters that are divided among the GPUs
	MACs     int64 // multiply-adds
	Moved    int64 // bytes from and to memory
	Exchange int64 // bytes that a GPU sends to experts
}

// The GPU; see the comment of the package.
const (
	sustainedFlops  = 156e12 * 0.5    // a second
	sustainedMemory = 1555e9 * 4. / 5 // bytes a second
	float           = 4               // bytes of a number
)

// Models returns all models, by name.
func Models() []Model {
	return []Model{
		alexNet(),
		bert("bert_base", "BERT-base", 12, 768, 12),
		bert("bert_large", "BERT-large", 24, 1024, 16),
		gpt2(),
		inceptionV3(),
		resNet("resnet18", "ResNet-18 (He et al., CVPR 2016)", basic, [4]int64{2, 2, 2, 2}, 1, 64),
		resNet("resnet50", "ResNet-50 (He et al., CVPR 2016)", bottleneck, [4]int64{3, 4, 6, 3}, 1, 64),
		resNet("resnext50_32x4d", "ResNeXt-50 32x4d (Xie et al., CVPR 2017)", bottleneck, [4]int64{3, 4, 6, 3}, 32, 4),
		shuffleNet(),
		squeezeNet(),
		switchBase(),
		vgg("vgg16", "VGG-16 (Simonyan and Zisserman, ICLR 2015)", [5]int{2, 2, 3, 3, 3}),
		vgg("vgg19", "VGG-19 (Simonyan and Zisserman, ICLR 2015)", [5]int{2, 2, 4, 4, 4}),
	}
}

// Params counts the parameters, including those of experts.
func (m *Model) Params() int64 {
	sum := int64(0)
	for i := range m.Layers {
		sum += m.Layers[i].Params + m.Layers[i].Experts
	}
	return sum
}

// Trace computes the times of the layers. The gradients of an expert are added up on the GPU
// that has the expert, and are not sent.
func (m *Model) Trace() *train.Trace {
	t := &train.Trace{Name: m.Name, About: []string{
		m.About + ".",
		fmt.Sprintf("%d parameters, gradients in float32. A GPU's minibatch is %d %s.", m.Params(), m.Batch, m.Input),
		"Times are not measured: they are the arithmetic at 78 Tflop/s or the memory traffic at",
		"1244 GB/s, whichever takes longer (an A100 in TF32); backward is twice forward.",
		"Made by train/internal/arch; layers in the order of the forward pass.",
	}}
	for i := range m.Layers {
		l := &m.Layers[i]
		forward := l.forward()
		t.Layers = append(t.Layers, train.Layer{
			Name: l.Name, Bytes: units.Bytes(float * l.Params), Forward: forward, Backward: 2 * forward,
			Exchange: units.Bytes(l.Exchange),
		})
	}
	return t
}

// forward returns the time of the forward pass, in whole nanoseconds.
func (l *Layer) forward() units.Duration {
	seconds := max(2*float64(l.MACs)/sustainedFlops, float64(l.Moved)/sustainedMemory)
	return units.Duration(math.Ceil(seconds*1e9)) * units.Nanosecond
}
