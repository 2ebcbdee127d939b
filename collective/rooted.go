package collective

// rootedAlgorithms do the operations that have a root, which is node 0.
var rootedAlgorithms = []Algorithm{
	binomialAlgorithm,
	binaryAlgorithm,
	chainAlgorithm,
	scatterAllGatherAlgorithm,
}
