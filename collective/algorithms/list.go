package algorithms

import "github.com/lightpath-net/lightpath/collective"

var reductions = []collective.Op{collective.AllReduce, collective.ReduceScatter, collective.AllGather}

// reductionAlgorithms support allreduce and its two halves.
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

// exchangeAlgorithms support all-to-all.
var exchangeAlgorithms = []Algorithm{
	shiftAlgorithm,
	directAlgorithm,
	pairwiseAlgorithm,
	hypercubeAlgorithm,
	bruckIndexAlgorithm,
	mirroredBruckAlgorithm,
	retriAlgorithm,
	bvnAlgorithm,
	bvnFewAlgorithm,
}

// rootedAlgorithms support the operations that have a root, which is node 0.
var rootedAlgorithms = []Algorithm{
	binomialAlgorithm,
	binaryAlgorithm,
	chainAlgorithm,
	scatterAllGatherAlgorithm,
}
