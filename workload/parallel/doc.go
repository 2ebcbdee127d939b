// Package parallel makes workloads of models: an iteration of training with tensor, context,
// expert, data and pipeline parallelism, in the order of Megatron-LM. What is computed and sent
// is what package model says; this package says by whom and after what.
//
// A rank is a point of a grid whose axes are tp, cp, ep, dp and pp, in an order that may be chosen
// (Axes). Experts are divided among ranks that differ in their data, so ep divides dp: the axis dp
// of the grid is dp/ep long. Kinds of groups are lines and planes of that grid:
//
//	tp   ranks that share matrices
//	cp   ranks that share sequences
//	ep   ranks that share the experts
//	pp   ranks that are pipeline stages of one another
//	dp   ranks with the same matrices, whose gradients are added: axes cp, ep and dp
//	edp  ranks with the same experts: axes cp and dp
//	ends the first and the last stage, where they share the table of tokens
//
// Programs are those of pipeline stages. They call blocks: a layer's forward and backward pass, and
// those of the layers of a stage.
package parallel
