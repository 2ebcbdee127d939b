// Package joint chooses the algorithm, the circuits and the reconfigurations of a collective
// together, instead of finding the best circuits for a known algorithm.
//
// GPUs are numbered in mixed radix. A mixed-radix phase processes a digit of P values among P
// GPUs, on n/P disjoint copies of a graph with P nodes and as many links per node as a GPU has
// ports. The phase is a gather, a reduce-scatter (the reversed gather on reversed circuits) or an
// exchange of whole vectors, after which all P GPUs hold the sum. The cost of a digit is its
// start-ups, its hops and the load of its busiest circuit. So a dynamic program over the
// factorisations of the number of GPUs finds the best mix without building plans; only the winner
// is built.
//
// Package digit has that search and its families, one file each: gather.go, rings.go and
// rotated.go (breadth-first broadcast in steps that may cover several distances, on tori with the
// parts in rotated order), exchange.go (one-shot sums), ladder.go (sub-digits on circuits that
// stay), chain.go (gathers for any number of GPUs on circulants that change), pairs.go (the same
// on two-way circuits, by package pairing), uneven.go and windows.go (exchanges for any number of
// GPUs), cover.go (exchanges within cells and between them), facing.go (sums between sides, each
// wired to the others), crossing.go (groups, then chains through all groups) and debruijn.go (sums
// over walks). Package network routes the vectors of a digit. Package cast has the broadcasts and,
// reversed, the reductions: trees.go, pipeline.go over the trees of forest.go, relays.go,
// circulants.go, cube.go and scatter.go; groups.go has scatters and gathers.
package joint
