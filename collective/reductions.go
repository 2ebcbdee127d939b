package collective

var reductions = []Op{AllReduce, ReduceScatter, AllGather}

// reductionAlgorithms do allreduce and its two halves.
var reductionAlgorithms = []Algorithm{
	ringAlgorithm,
	twoWayRingAlgorithm,
	recursiveDoublingAlgorithm,
	halvingDoublingAlgorithm,
	rabenseifnerAlgorithm,
	swingAlgorithm,
	bineAlgorithm,
	bruckAlgorithm,
	trivanceAlgorithm,
	trivanceBandwidthAlgorithm,
	doubleBinaryTreeAlgorithm,
	directExchangeAlgorithm,
}
