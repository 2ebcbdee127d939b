// Package arch makes the traces of published models: the parameters of every layer from the
// architecture, and the time that it computes from the work that it does, on an assumed
// GPU. Its tests hold the files in train/traces to that, and write them:
//
//	go test ./train/internal/arch -rewrite
//
// Parameters, and so the bytes of gradients, are exact: their sums are tested to be the
// published ones. Times are an assumption, a roofline (Williams, Waterman and Patterson,
// CACM 2009): a layer takes as long as its arithmetic at the rate that the GPU sustains,
// or as its memory traffic does, whichever is longer. The backward pass does twice the
// work of the forward pass: a gradient for the input and one for the parameters.
// Activations, normalisations without parameters, pooling and sums belong to the layer
// before them.
//
// The GPU is an NVIDIA A100 with 40 GB that computes in TF32 on float32 data: of its 156
// Tflop/s and 1555 GB/s (data sheet), half and four fifths are sustained. With that,
// ResNet-50 trains 960 images a second; PyTorch without mixed precision was measured at
// 812 (gist.github.com/xwang233/d5136facb3361af54693081da346fd33).
package arch
