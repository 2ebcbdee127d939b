// Package parallel makes workloads from models: an iteration of training with tensor, context,
// expert, data and pipeline parallelism, in the order of Megatron-LM. Package model says what
// is computed and sent; this package says by which rank and in which order.
//
// A rank is a point of a grid with the axes tp, cp, ep, dp and pp, in an order that can be
// chosen (Axes). Experts are divided among ranks that differ in their data, so ep divides dp:
// the axis dp of the grid has length dp/ep. Kinds of groups are lines and planes of that grid:
//
//	tp   ranks that share matrices
//	cp   ranks that share sequences
//	ep   ranks that share the experts
//	pp   ranks that are pipeline stages of one another
//	dp   ranks with the same matrices, whose gradients are added: axes cp, ep and dp
//	edp  ranks with the same experts: axes cp and dp
//	ends the first and the last stage, if they share the token table
//
// There is one program per pipeline stage. Programs call blocks: the forward and the backward
// pass of a layer, and those of the layers of a stage.
package parallel
