package topology_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/lightpath-net/lightpath/topology"
)

func ExampleParse() {
	g, err := topology.Parse("Line(C(16; 3, 4), 3)")
	if err != nil {
		fmt.Println(err)
		return
	}
	diameter, _ := g.Diameter()
	fmt.Println(g.Name(), "has", g.Nodes(), "nodes of degree", g.Degree(), "and diameter", diameter)

	_, err = topology.Parse("C(8;5)")
	fmt.Println(err)
	// Output:
	// Line(C(16;3,4),3) has 1024 nodes of degree 4 and diameter 6
	// topology expression "C(8;5)": column 5: C: a circulant jump is at least 1 and less than n/2, not 5 with n = 8
}

func ExampleParseExpr() {
	e, _ := topology.ParseExpr("Product( Ring(4), K(3) )")
	fmt.Println(e, e.Family, len(e.Graphs), e.Graphs[0].Numbers)
	// Output: Product(Ring(4),K(3)) Product 2 [4]
}

func ExampleGraph_Measure() {
	m, _ := topology.Circulant(12, 2, 3).Measure(context.Background())
	text, _ := json.Marshal(m)
	fmt.Println(string(text))
	// Output: {"expr":"C(12;2,3)","nodes":12,"degree":4,"circuits":48,"regular":true,"connected":true,"bidirectional":true,"diameter":2,"average_distance":1.6363636363636365,"moore_diameter":2,"reverse_symmetric":true}
}

func ExampleMatched() {
	// Each of 8 nodes sends to the node 3 further on; two ports give each pair two circuits.
	var pairs [][2]int
	for u := range 8 {
		pairs = append(pairs, [2]int{u, (u + 3) % 8})
	}
	g, _ := topology.Matched(8, 2, false, pairs, "step 1")
	fmt.Println(g.Name(), g.Count(6, 1))
	// Output: DC(8;3,3) 2
}

func ExampleIsomorphic() {
	q, torus := topology.Hypercube(4), topology.Torus(4, 4)
	_, ok, _ := topology.Isomorphic(context.Background(), q, torus)
	fmt.Println(ok)
	// Output: true
}

func ExampleGraph_Symmetry() {
	group, ok := topology.Torus(3, 4).Symmetry()
	fmt.Println(group.Dims, ok)
	// Output: [3 4] true
}

func ExampleOfNodes() {
	for e := range topology.OfNodes(16, 4) {
		fmt.Println(e)
	}
	// Output:
	// H(4,2)
	// GenKautz(4,16)
	// C(16;3,4)
	// BiRing(4,16)
	// UniRing(4,16)
	// DBJMod(4,2)
	// DeBruijn(4,2)
	// DistReg(Q4)
}
