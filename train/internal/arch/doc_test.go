// Package arch makes the traces of published models. It takes the parameters of every layer from
// the architecture, and computes the layer's time from its work on an assumed GPU. Its tests
// compare the files in train/traces with these traces, and write them:
//
//	go test ./train/internal/arch -rewrite
//
// Parameters, and so the bytes of gradients, are exact: tests compare their sums with the
// published ones. Times are an assumption, a roofline (Williams, Waterman and Patterson, CACM
// 2009): a layer takes as long as its arithmetic at the rate that the GPU sustains, or as its
// memory traffic, whichever is longer. The backward pass does twice the work of the forward
// pass: a gradient for the input and one for the parameters. Activations, normalisations without
// parameters, pooling and sums belong to the layer before them.
//
// The GPU is an NVIDIA A100 with 40 GB that computes in TF32 on float32 data. It sustains half
// of its 156 Tflop/s and four fifths of its 1555 GB/s (data sheet). With these values, ResNet-50
// trains 960 images a second; PyTorch without mixed precision was measured at 812
// (gist.github.com/xwang233/d5136facb3361af54693081da346fd33).
package arch
