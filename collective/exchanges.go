package collective

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
