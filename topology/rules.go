package topology

import "slices"

// families are the families of topologies. OfNodes yields their members in this order: first
// the families of Zhao et al., Table 9, in its order, and then those that others define.
var families = []rule{
	{name: "K", form: numbersForm, usage: "K(m) or K(a,a)", least: 1, most: 2,
		size: completeSize,
		build: func(name string, x []int, _ []*Graph) *Graph {
			if len(x) == 2 {
				return completeBipartite(name, x[0])
			}
			return complete(name, x[0])
		},
		members: completeMembers, traits: Traits{Transitive: true},
	},

	{name: "H", form: numbersForm, usage: "H(n,q)", least: 2, most: 2,
		size: func(x []int, _ []size) (size, *fault) {
			return plain(x, "nq", []int{1, 2}, func() size {
				n, q := int64(x[0]), int64(x[1])
				return size{nodes: power(q, n), degree: times(n, q-1)}
			})
		},
		build:   func(name string, x []int, _ []*Graph) *Graph { return hamming(name, x[0], x[1]) },
		members: hammingMembers, traits: Traits{Transitive: true},
	},

	// Zhao et al., Table 9: the Kautz graph is the n-th line graph of K(d+1).
	{name: "Kautz", form: numbersForm, usage: "Kautz(d,n)", least: 2, most: 2,
		size: func(x []int, _ []size) (size, *fault) {
			return plain(x, "dn", []int{1, 0}, func() size {
				d, n := int64(x[0]), int64(x[1])
				return size{nodes: times(power(d, n), d+1), degree: d}
			})
		},
		build:   func(name string, x []int, _ []*Graph) *Graph { return line(name, complete("", x[0]+1), x[1]) },
		members: kautzMembers, traits: Traits{ReverseSymmetric: true},
	},

	{name: "GenKautz", form: numbersForm, usage: "GenKautz(d,m)", least: 2, most: 2,
		size: func(x []int, _ []size) (size, *fault) {
			if x[0] >= 1 && x[1] <= x[0] {
				return size{}, wrong(1, "m must be more than d, not %d", x[1])
			}
			return plain(x, "dm", []int{1, 2}, func() size {
				return size{nodes: int64(x[1]), degree: int64(x[0]), loops: x[1]%(x[0]+1) != 0}
			})
		},
		build:   func(name string, x []int, _ []*Graph) *Graph { return genKautz(name, x[0], x[1]) },
		members: genKautzMembers, again: isKautz, traits: Traits{LinesWithin: true, Search: ForSteps},
	},

	{name: "C", form: jumpsForm, usage: "C(n;a,b,..)", least: 2,
		size: func(x []int, _ []size) (size, *fault) {
			for i, a := range x[1:] {
				if a < 1 || a > (x[0]-1)/2 {
					return size{}, wrong(i+1, "a circulant jump is at least 1 and less than n/2, not %d with n = %d", a, x[0])
				}
			}
			return size{nodes: int64(x[0]), degree: 2 * int64(len(x)-1)}, nil
		},
		build:   func(name string, x []int, _ []*Graph) *Graph { return circulant(name, x[0], twoWay(x[0], x[1:])) },
		members: circulantMembers, traits: Traits{Transitive: true},
	},

	{name: "DC", form: jumpsForm, usage: "DC(n;a,b,..)", least: 2,
		size: func(x []int, _ []size) (size, *fault) {
			for i, a := range x[1:] {
				if a < 1 || a >= x[0] {
					return size{}, wrong(i+1, "a directed circulant jump is at least 1 and less than n, not %d with n = %d", a, x[0])
				}
			}
			return size{nodes: int64(x[0]), degree: int64(len(x) - 1)}, nil
		},
		build:   func(name string, x []int, _ []*Graph) *Graph { return circulant(name, x[0], x[1:]) },
		members: directedCirculantMembers, traits: Traits{ReverseSymmetric: true, Transitive: true},
	},

	{name: "BiRing", form: numbersForm, usage: "BiRing(d,m)", least: 2, most: 2,
		size: func(x []int, _ []size) (size, *fault) {
			if x[0]%2 != 0 {
				return size{}, wrong(0, "d must be even, not %d: half of the circuits go each way", x[0])
			}
			return plain(x, "dm", []int{2, 2}, func() size { return size{nodes: int64(x[1]), degree: int64(x[0])} })
		},
		build:   func(name string, x []int, _ []*Graph) *Graph { return biRing(name, x[0], x[1]) },
		members: biRingMembers, traits: Traits{Transitive: true},
	},

	{name: "UniRing", form: numbersForm, usage: "UniRing(d,m)", least: 2, most: 2,
		size: func(x []int, _ []size) (size, *fault) {
			return plain(x, "dm", []int{1, 2}, func() size { return size{nodes: int64(x[1]), degree: int64(x[0])} })
		},
		build:   func(name string, x []int, _ []*Graph) *Graph { return uniRing(name, x[0], x[1]) },
		members: uniRingMembers, traits: Traits{ReverseSymmetric: true, Transitive: true},
	},

	{name: "DBJMod", form: numbersForm, usage: "DBJMod(d,n)", least: 2, most: 2,
		size:    modifiedDeBruijnSize,
		build:   func(name string, _ []int, _ []*Graph) *Graph { return searched(name).build() },
		members: modifiedDeBruijnMembers,
	},

	{name: "Diamond", form: bareForm, usage: "Diamond",
		size:    func([]int, []size) (size, *fault) { return searched("Diamond").size(), nil },
		build:   func(name string, _ []int, _ []*Graph) *Graph { return searched(name).build() },
		members: diamondMembers,
	},

	{name: "DeBruijn", form: numbersForm, usage: "DeBruijn(d,n)", least: 2, most: 2,
		size: func(x []int, _ []size) (size, *fault) {
			return plain(x, "dn", []int{2, 1}, func() size {
				return size{nodes: power(int64(x[0]), int64(x[1])), degree: int64(x[0]), loops: true}
			})
		},
		build:   func(name string, x []int, _ []*Graph) *Graph { return deBruijn(name, x[0], x[1]) },
		members: deBruijnMembers, traits: Traits{ReverseSymmetric: true, LinesWithin: true, Search: ForSteps},
	},

	{name: "DistReg", form: labelForm, usage: "DistReg(NAME)",
		size: func(x []int, _ []size) (size, *fault) {
			g := distanceRegularGraphs[x[0]]
			return size{nodes: int64(g.nodes), degree: int64(g.degree)}, nil
		},
		build:   func(name string, x []int, _ []*Graph) *Graph { return distanceRegularGraphs[x[0]].build().Named(name) },
		members: distanceRegularMembers, traits: Traits{DistanceRegular: true, Search: ForBandwidth},
	},

	{name: "Polygon", form: numbersForm, usage: "Polygon(g,q)", least: 2, most: 2,
		size:    polygon(incidenceSize),
		build:   func(name string, x []int, _ []*Graph) *Graph { return incidence(x).Named(name) },
		members: polygonMembers(incidenceSize, 4), traits: distanceRegular,
	},

	{name: "Flags", form: numbersForm, usage: "Flags(g,q)", least: 2, most: 2,
		size:    polygon(flagsSize),
		build:   func(name string, x []int, _ []*Graph) *Graph { return edgeGraph(incidence(x)).Named(name) },
		members: polygonMembers(flagsSize, 3), traits: distanceRegular,
	},

	{name: "Collinear", form: numbersForm, usage: "Collinear(g,q)", least: 2, most: 2,
		size:    polygon(collinearSize),
		build:   func(name string, x []int, _ []*Graph) *Graph { return collinear(x).Named(name) },
		members: polygonMembers(collinearSize, 2), traits: distanceRegular,
	},

	{name: "Biaffine", form: numbersForm, usage: "Biaffine(q)", least: 1, most: 1,
		size:    fieldSize(2, mostOfOrder[3], func(q int64) size { return size{nodes: 2 * q * q, degree: q} }),
		build:   func(name string, x []int, _ []*Graph) *Graph { return affinePlane(x[0]).Named(name) },
		members: biaffineMembers, traits: distanceRegular,
	},

	{name: "Paley", form: numbersForm, usage: "Paley(q)", least: 1, most: 1,
		size: func(x []int, g []size) (size, *fault) {
			if x[0]%2 == 0 {
				return size{}, wrong(0, "q must be odd, not %d", x[0])
			}
			return fieldSize(3, mostPaley, func(q int64) size { return size{nodes: q, degree: q / 2} })(x, g)
		},
		build:   func(name string, x []int, _ []*Graph) *Graph { return paley(name, x[0]) },
		members: paleyMembers, traits: Traits{ReverseSymmetric: true, Added: true, Search: ForBandwidth},
	},

	{name: "Odd", form: numbersForm, usage: "Odd(k)", least: 1, most: 1,
		size:    oddSize(1),
		build:   func(name string, x []int, _ []*Graph) *Graph { return oddGraph(x[0]).Named(name) },
		members: oddMembers(1, 5), traits: distanceRegular,
	},

	{name: "DoubledOdd", form: numbersForm, usage: "DoubledOdd(k)", least: 1, most: 1,
		size:    oddSize(2),
		build:   func(name string, x []int, _ []*Graph) *Graph { return doubledOddGraph(x[0]).Named(name) },
		members: oddMembers(2, 5), traits: distanceRegular,
	},

	{name: "Johnson", form: numbersForm, usage: "Johnson(n,k)", least: 2, most: 2,
		size:    johnsonSize,
		build:   func(name string, x []int, _ []*Graph) *Graph { return johnson(name, x[0], x[1]) },
		members: johnsonMembers, traits: distanceRegular,
	},

	{name: "FoldedQ", form: numbersForm, usage: "FoldedQ(m)", least: 1, most: 1,
		size:    cubeSize(foldedDegree),
		build:   func(name string, x []int, _ []*Graph) *Graph { return foldedCube(name, x[0]) },
		members: cubeMembers(foldedDegree), traits: distanceRegular,
	},

	{name: "HalvedQ", form: numbersForm, usage: "HalvedQ(m)", least: 1, most: 1,
		size:    cubeSize(halvedDegree),
		build:   func(name string, x []int, _ []*Graph) *Graph { return halvedCube(name, x[0]) },
		members: cubeMembers(halvedDegree), traits: distanceRegular,
	},

	{name: "Multipartite", form: numbersForm, usage: "Multipartite(m,t)", least: 2, most: 2,
		size: func(x []int, _ []size) (size, *fault) {
			return plain(x, "mt", []int{2, 1}, func() size {
				m, t := int64(x[0]), int64(x[1])
				return size{nodes: times(m, t), degree: times(m-1, t)}
			})
		},
		build:   func(name string, x []int, _ []*Graph) *Graph { return multipartite(name, x[0], x[1]) },
		members: multipartiteMembers, traits: distanceRegular,
	},

	{name: "Crown", form: numbersForm, usage: "Crown(m)", least: 1, most: 1,
		size: func(x []int, _ []size) (size, *fault) {
			return plain(x, "m", []int{3}, func() size { return size{nodes: 2 * int64(x[0]), degree: int64(x[0]) - 1} })
		},
		build:   func(name string, x []int, _ []*Graph) *Graph { return crown(x[0]).Named(name) },
		members: crownMembers, traits: distanceRegular,
	},

	{name: "TwistedQ", form: numbersForm, usage: "TwistedQ(3)", least: 1, most: 1,
		size: func(x []int, _ []size) (size, *fault) {
			if x[0] != 3 {
				return size{}, wrong(0, "the twisted cube is TwistedQ(3), not of dimension %d", x[0])
			}
			return size{nodes: 8, degree: 3}, nil
		},
		build:   func(name string, _ []int, _ []*Graph) *Graph { return twistedCube(name) },
		members: twistedCubeMembers, traits: Traits{Search: ForBandwidth},
	},

	{name: "TwistedTorus", form: numbersForm, usage: "TwistedTorus(a,b)", least: 2, most: 2,
		size:    twistedTorusSize,
		build:   func(name string, x []int, _ []*Graph) *Graph { return twistedTorus(name, x[0], x[1]) },
		members: twistedTorusMembers, traits: Traits{Search: ForBandwidth},
	},

	{name: "Ring", form: numbersForm, usage: "Ring(m)", least: 1, most: 1,
		size: func(x []int, _ []size) (size, *fault) {
			return plain(x, "m", []int{2}, func() size { return size{nodes: int64(x[0]), degree: int64(min(x[0]-1, 2))} })
		},
		build:  func(name string, x []int, _ []*Graph) *Graph { return torus(name, x) },
		traits: Traits{Transitive: true},
	},

	{name: "Torus", form: numbersForm, usage: "Torus(a,b,..)", least: 1,
		size:   torusSize,
		build:  func(name string, x []int, _ []*Graph) *Graph { return torus(name, x) },
		traits: Traits{Transitive: true},
	},

	{name: "Mesh", form: numbersForm, usage: "Mesh(a,b,..)", least: 1,
		size: func(x []int, y []size) (size, *fault) {
			s, f := torusSize(x, y)
			s.irregular = slices.ContainsFunc(x, func(side int) bool { return side > 2 })
			return s, f
		},
		build: func(name string, x []int, _ []*Graph) *Graph { return mesh(name, x) },
	},

	{name: "Q", form: numbersForm, usage: "Q(n)", least: 1, most: 1,
		size: func(x []int, _ []size) (size, *fault) {
			return plain(x, "n", []int{1}, func() size { return size{nodes: power(2, int64(x[0])), degree: int64(x[0])} })
		},
		build:  func(name string, x []int, _ []*Graph) *Graph { return hypercube(name, x[0]) },
		traits: Traits{Transitive: true},
	},

	{name: "DBT", form: numbersForm, usage: "DBT(m)", least: 1, most: 1,
		size: func(x []int, _ []size) (size, *fault) {
			return plain(x, "m", []int{2}, func() size { return doubleTreeSize(x[0]) })
		},
		build: func(name string, x []int, _ []*Graph) *Graph { return doubleTree(name, x[0]) },
	},

	{name: "GP", form: numbersForm, usage: "GP(m,k)", least: 2, most: 2,
		size:  petersenSize,
		build: func(name string, x []int, _ []*Graph) *Graph { return generalizedPetersen(name, x[0], x[1]) },
	},

	{name: "Cayley", form: numbersForm, usage: "Cayley(m,k,r,g,..)", least: 4,
		size:   cayleySize,
		build:  func(name string, x []int, _ []*Graph) *Graph { return cayley(name, x) },
		traits: Traits{Transitive: true},
	},

	{name: "Consecutive", form: numbersForm, usage: "Consecutive(d,m,q,r)", least: 4, most: 4,
		size:  consecutiveSize,
		build: func(name string, x []int, _ []*Graph) *Graph { return consecutive(name, x[0], x[1], x[2], x[3]) },
	},

	{name: "Regular", form: numbersForm, usage: "Regular(n,d,seed)", least: 3, most: 3,
		size:  regularSize,
		build: func(name string, x []int, _ []*Graph) *Graph { return regular(name, x[0], x[1], uint64(x[2])) },
	},

	{name: "Lift", form: numbersForm, usage: "Lift(n,w,v,..)", least: 3,
		size:  liftSize,
		build: func(name string, x []int, _ []*Graph) *Graph { return lift(name, x) },
	},

	{name: "Code", form: codeForm, usage: "Code(TEXT,n,w)", least: 2, most: 2,
		size:  codeSize,
		build: func(name string, x []int, _ []*Graph) *Graph { return lift(name, x) },
	},

	{name: "Edges", form: jumpsForm, usage: "Edges(n;u,v,count,..)", least: 4,
		size:  edgesSize,
		build: func(name string, x []int, _ []*Graph) *Graph { return edges(name, x) },
	},
}

func torusSize(x []int, _ []size) (size, *fault) {
	s := size{nodes: 1}
	for i, side := range x {
		if side < 2 {
			return s, wrong(i, "a side must be at least 2, not %d", side)
		}
		s.nodes = times(s.nodes, int64(side))
		s.degree += int64(min(side-1, 2))
	}
	return s, nil
}

func completeSize(x []int, _ []size) (size, *fault) {
	if len(x) == 1 {
		return plain(x, "m", []int{2}, func() size { return size{nodes: int64(x[0]), degree: int64(x[0] - 1)} })
	}
	if x[0] != x[1] {
		return size{}, wrong(1, "the two sides of K(a,a) must be equal, not %d and %d", x[0], x[1])
	}
	return plain(x, "aa", []int{1}, func() size { return size{nodes: times(2, int64(x[0])), degree: int64(x[0])} })
}
