package topology

// operators make topologies of others.
var operators = []rule{
	// Zhao et al., Def. 2 and Theorem 1, expand regular graphs; how many nodes the line
	// graph of another has does not follow from its nodes and degree.
	{name: "Line", form: countForm, usage: "Line(G,k)", least: 1, most: 1,
		size: func(x []int, g []size) (size, *fault) {
			if g[0].irregular {
				return size{}, wrong(-1, "line expansion needs a graph in which all nodes have the same degree")
			}
			return plain(x, "k", []int{1}, func() size {
				return size{nodes: times(g[0].nodes, power(g[0].degree, int64(x[0]))), degree: g[0].degree, loops: g[0].loops}
			})
		},
		build: func(name string, x []int, g []*Graph) *Graph { return line(name, g[0], x[0]) },
	},

	{name: "Degree", form: countForm, usage: "Degree(G,k)", least: 1, most: 1,
		size: func(x []int, g []size) (size, *fault) {
			if g[0].loops {
				return size{}, wrong(-1, "degree expansion needs a graph without self-loops")
			}
			return plain(x, "k", []int{1}, func() size {
				k := int64(x[0])
				return size{nodes: times(g[0].nodes, k), degree: times(g[0].degree, k), irregular: g[0].irregular}
			})
		},
		build: func(name string, x []int, g []*Graph) *Graph { return degree(name, g[0], x[0]) },
	},

	{name: "Power", form: countForm, usage: "Power(G,k)", least: 1, most: 1,
		size: func(x []int, g []size) (size, *fault) {
			return plain(x, "k", []int{1}, func() size {
				k := int64(x[0])
				return size{power(g[0].nodes, k), times(g[0].degree, k), g[0].loops, g[0].irregular}
			})
		},
		build: func(name string, x []int, g []*Graph) *Graph {
			return CartesianPower(g[0], x[0]).Named(name)
		},
	},

	{name: "Product", form: graphsForm, usage: "Product(G,H,..)", least: 2,
		size: func(_ []int, g []size) (size, *fault) {
			all := size{nodes: 1}
			for _, s := range g {
				all = size{times(all.nodes, s.nodes), all.degree + s.degree, all.loops || s.loops, all.irregular || s.irregular}
			}
			return all, nil
		},
		build: func(name string, _ []int, g []*Graph) *Graph { return product(name, g) },
	},

	{name: "Union", form: graphsForm, usage: "Union(G,H,..)", least: 2,
		size:  unionSize,
		build: func(name string, _ []int, g []*Graph) *Graph { return Union(name, g...) },
	},

	{name: "Idle", form: countForm, usage: "Idle(G,k)", least: 1, most: 1,
		size: func(x []int, g []size) (size, *fault) {
			return plain(x, "k", []int{1}, func() size {
				return size{nodes: g[0].nodes, degree: g[0].degree + int64(x[0]), loops: true, irregular: g[0].irregular}
			})
		},
		build: func(name string, x []int, g []*Graph) *Graph { return WithIdlePorts(g[0], x[0]).Named(name) },
	},

	{name: "Transpose", form: graphForm, usage: "Transpose(G)", least: 1, most: 1,
		size:  func(_ []int, g []size) (size, *fault) { return g[0], nil },
		build: func(name string, _ []int, g []*Graph) *Graph { return g[0].Transpose(name) },
	},

	{name: "Bidirect", form: graphForm, usage: "Bidirect(G)", least: 1, most: 1,
		size: func(_ []int, g []size) (size, *fault) {
			return size{g[0].nodes, 2 * g[0].degree, g[0].loops, g[0].irregular}, nil
		},
		build: func(name string, _ []int, g []*Graph) *Graph { return Union(name, g[0], g[0].Transpose("")) },
	},
}
