package algorithms

import "github.com/lightpath-net/lightpath/collective"

var reductions = []collective.Op{collective.AllReduce, collective.ReduceScatter, collective.AllGather}

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

// exchangeAlgorithms do all-to-all.
var exchangeAlgorithms = []Algorithm{
	shiftAlgorithm,
	directAlgorithm,
	pairwiseAlgorithm,
	bruckIndexAlgorithm,
	mirroredBruckAlgorithm,
	retriAlgorithm,
	bvnAlgorithm,
	bvnFewAlgorithm,
}

// rootedAlgorithms do the operations that have a root, which is node 0.
var rootedAlgorithms = []Algorithm{
	binomialAlgorithm,
	binaryAlgorithm,
	chainAlgorithm,
	scatterAllGatherAlgorithm,
}
