package arrival

import (
	"context"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"math/bits"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

var rewrite = flag.Bool("rewrite", false, "search for all graphs and write topology/found.go and found.go")

// The Diamond and the modified de Bruijn graphs of Zhao et al., Efficient Direct-Connect
// Topologies for Collective Communications, are only drawn there. The search finds the stored
// graphs, and times of arrival that prove them bandwidth-optimal. DBJMod(4,2) takes seconds; a
// test below checks the properties of its graph and times.
func TestSearchGivesTheDataThatIsKept(t *testing.T) {
	rows := table9[:4]
	if *rewrite {
		rows = table9
	}
	var all []found
	for _, w := range rows {
		f, err := w.find(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
		kept := parse(t, w.expr)
		if !kept.Equal(f.graph) {
			t.Errorf("%s: another graph than topology/found.go holds", w.expr)
		}
		for expr, times := range map[string]Times{w.expr: f.times, "Transpose(" + w.expr + ")": f.turned} {
			if kept, ok := Of(expr); !ok || !slices.EqualFunc(kept, times, slices.Equal[[]int]) {
				t.Errorf("%s: other times than found.go holds", expr)
			}
		}
	}
	if !*rewrite {
		return
	}
	graphs, times, err := source(all)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"../../../topology/found.go": graphs, "found.go": times} {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Zhao et al., Table 9, of the graphs that are kept as data: size, degree, latency,
// reverse-symmetry, no self-loops and parallel circuits, bandwidth-optimal, but not by
// breadth-first broadcast. The transpose has the same latency, as Table 4 needs.
func TestKeptGraphsHaveWhatTable9Says(t *testing.T) {
	for _, w := range table9 {
		g, err := topology.Parse(w.expr)
		if err != nil {
			t.Fatal(err)
		}
		if !w.shape(g) {
			t.Errorf("%s has the wrong shape", w.expr)
		}
		if symmetric, err := g.ReverseSymmetric(context.Background()); err != nil || symmetric != w.reverseSymmetric {
			t.Errorf("%s: reverse-symmetric %v, %v", w.expr, symmetric, err)
		}
		eager, err := Eager(g)
		if err != nil || eager.Check(g) == nil {
			t.Errorf("%s: the breadth-first broadcast is optimal, %v", w.expr, err)
		}
		for _, h := range []*topology.Graph{g, g.Transpose("Transpose(" + w.expr + ")")} {
			times, ok := Of(h.Name())
			if !ok {
				t.Fatalf("no times for %s", h.Name())
			}
			if err := times.Check(h); err != nil || times.Steps() != w.steps {
				t.Errorf("%s: %d steps, %v", h.Name(), times.Steps(), err)
			}
		}
	}
	if _, ok := Of("Ring(4)"); ok {
		t.Error("times for a graph that was not searched for")
	}
}

// Figure 17: only circuits of self-loops and of cycles of two nodes are rewired, into
// one cycle through the same nodes, and one circuit of each 2-cycle stays.
func TestKeptDeBruijnGraphsAreRewiredToOneLongCycle(t *testing.T) {
	for _, w := range table9[1:] {
		var d, n int
		fmt.Sscanf(w.expr, "DBJMod(%d,%d)", &d, &n)
		plain, _ := topology.Parse(fmt.Sprintf("DeBruijn(%d,%d)", d, n))
		g, _ := topology.Parse(w.expr)
		next, words, stayed := map[int]int{}, 0, 0
		for u := range plain.Nodes() {
			short := false
			for e := range plain.Edges() {
				if e.From != u {
					continue
				}
				if back := plain.Find(e.To, u) >= 0; !back && g.Find(u, e.To) < 0 {
					t.Errorf("%s has lost the circuit from %d to %d", w.expr, u, e.To)
				} else if back {
					short = true
				}
			}
			for e := range g.Edges() {
				if e.From == u && (plain.Find(u, e.To) < 0 || plain.Find(e.To, u) >= 0) {
					next[u] = e.To
					stayed += plain.Count(u, e.To)
				}
			}
			if short {
				words++
			}
		}
		length, at := 1, next[0]
		for at != 0 && length <= words {
			at = next[at]
			length++
		}
		if words != d*d || length != words || stayed != d*(d-1)/2 {
			t.Errorf("%s: a cycle of %d for %d words, %d circuits stay", w.expr, length, words, stayed)
		}
	}
}

// small lists the graphs of the Diamond's size, which include the Diamond.
func small() (graphs []rows) {
	for r := range canonicalRows() {
		if d, ok := r.graph("").Diameter(); ok && d <= 3 {
			graphs = append(graphs, r)
		}
	}
	return graphs
}

// There are 256 graphs of degree 2 and diameter 3 on 8 nodes without self-loops and
// parallel circuits. Each is in the list once, and so is its transpose.
func TestCanonicalRowsAreOnePerGraph(t *testing.T) {
	graphs := small()
	if len(graphs) != 256 {
		t.Errorf("%d graphs", len(graphs))
	}
	for _, r := range graphs {
		if canonical(r.graph("")) != r {
			t.Fatalf("%v is not the least of its numberings", r)
		}
		if !slices.Contains(graphs, canonical(r.graph("").Transpose(""))) {
			t.Fatalf("the transpose of %v is missing", r)
		}
	}
}

// Of all these graphs, by exhaustive search, only the Diamond and its transpose are not
// reverse-symmetric and have an allgather of three steps in which whole shards arrive, equally
// many at all nodes in each step, and all circuits carry equally much.
func TestOnlyTheDiamondAndItsTransposeAreAsTable9Says(t *testing.T) {
	var meet []rows
	for _, r := range small() {
		g := r.graph("")
		symmetric, err := g.ReverseSymmetric(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for second := 1; second <= 4; second++ {
			if !threeSteps(g, second) {
				continue
			}
			if !symmetric {
				meet = append(meet, r)
			}
			if counts := []int{2, second, 5 - second}; !Possible(g, counts) {
				t.Errorf("%v has times with %v shards, which are not possible", r, counts)
			}
		}
	}
	diamond, _ := topology.Parse("Diamond")
	if len(meet) != 2 || !meet[0].graph("").Equal(diamond) || meet[1] != canonical(diamond.Transpose("")) {
		t.Errorf("%v", meet)
	}
}

// threeSteps is an exhaustive search for the times of arrival: the senders of a node deliver
// their own shards in the first step, the given number in the second, the rest in the third. At
// most half of the shards of a step may be available from only one of the two senders.
func threeSteps(g *topology.Graph, second int) bool {
	from := g.Transpose("")
	has := make([][3]uint, diamondNodes) // shards after 0, 1 and 2 steps, as bits
	for u := range diamondNodes {
		senders, _ := from.Row(u)
		has[u][0] = 1 << u
		has[u][1] = 1<<u | 1<<senders[0] | 1<<senders[1]
	}
	balanced := func(u, step int, shards uint) bool {
		senders, _ := from.Row(u)
		a, b := has[senders[0]][step-1], has[senders[1]][step-1]
		most := bits.OnesCount(shards)
		return shards&^(a|b) == 0 && 2*bits.OnesCount(shards&^b) <= most && 2*bits.OnesCount(shards&^a) <= most
	}
	var options [diamondNodes][]uint // for the second step
	for u := range options {
		for shards := range uint(1 << diamondNodes) {
			if bits.OnesCount(shards) == second && shards&has[u][1] == 0 && balanced(u, 2, shards) {
				options[u] = append(options[u], shards)
			}
		}
	}
	var choose func(u int) bool
	choose = func(u int) bool {
		if u == diamondNodes {
			for v := range diamondNodes {
				if !balanced(v, 3, (1<<diamondNodes-1)&^has[v][2]) {
					return false
				}
			}
			return true
		}
		for _, shards := range options[u] {
			if has[u][2] = has[u][1] | shards; choose(u + 1) {
				return true
			}
		}
		return false
	}
	return choose(0)
}

// canonical is the twin of canonicalRows for one graph: the least rows of all
// breadth-first numberings, found by trying every order of the targets of every node.
func canonical(g *topology.Graph) rows {
	var best rows
	found := false
	for start := range diamondNodes {
		for orders := range 1 << diamondNodes {
			var number [diamondNodes]int // one more, 0 for none
			order := make([]int, 1, diamondNodes)
			order[0], number[start] = start, 1
			for i := 0; i < len(order); i++ {
				to, _ := g.Row(order[i])
				for j := range to {
					if v := to[j^orders>>i&1]; number[v] == 0 {
						order = append(order, int(v))
						number[v] = len(order)
					}
				}
			}
			var r rows
			for i, u := range order {
				to, _ := g.Row(u)
				a, b := number[to[0]]-1, number[to[1]]-1
				r[i] = [2]int{min(a, b), max(a, b)}
			}
			if !found || less(r, best) {
				best, found = r, true
			}
		}
	}
	return best
}

func less(a, b rows) bool {
	for u := range a {
		if c := slices.Compare(a[u][:], b[u][:]); c != 0 {
			return c < 0
		}
	}
	return false
}

// Table 9 has DBJMod(2,4) as not reverse-symmetric. Of the six cycles through the four nodes,
// exactly those that join the short cycles end to end are not.
func TestTheReadingOfFigure17FitsTable9(t *testing.T) {
	r, err := newRewiring(2, 4)
	if err != nil {
		t.Fatal(err)
	}
	var joined []string
	for cycle := range r.cycles() {
		joined = append(joined, fmt.Sprint(cycle))
	}
	for _, cycle := range [][]int{{0, 5, 10, 15}, {0, 5, 15, 10}, {0, 10, 5, 15}, {0, 10, 15, 5}, {0, 15, 5, 10}, {0, 15, 10, 5}} {
		symmetric, err := fromBits("", r.rows(cycle)).ReverseSymmetric(context.Background())
		if err != nil || symmetric == slices.Contains(joined, fmt.Sprint(cycle)) {
			t.Errorf("%v: reverse-symmetric %v, %v", cycle, symmetric, err)
		}
	}
	if len(joined) != 4 {
		t.Errorf("the cycles are %v", joined)
	}
}

func TestTotalDistanceIsThatOfTheGraph(t *testing.T) {
	r, err := newRewiring(3, 2)
	if err != nil {
		t.Fatal(err)
	}
	cycles := 0
	for cycle := range r.cycles() {
		cycles++
		g := fromBits("", r.rows(cycle))
		average, ok := g.AverageDistance()
		total, reached := totalDistance(r.rows(cycle))
		if ok != reached || ok && int64(total)*average.Denom().Int64() != average.Num().Int64()*int64(g.Nodes()*(g.Nodes()-1)) {
			t.Fatalf("%v: total %d, average %v", cycle, total, average)
		}
		if !g.Regular() || g.Bundles() != 27 {
			t.Fatalf("%v: not regular, or parallel circuits", cycle)
		}
	}
	if cycles == 0 {
		t.Error("no cycles")
	}
	if _, err := newRewiring(2, 7); err == nil {
		t.Error("no error for 128 nodes")
	}
}

func TestSourceIsGo(t *testing.T) {
	g, _ := topology.Parse("Ring(3)")
	graphs, times, err := source([]found{{"Ring(3)", g, Times{{0, 1, 1}}, Times{{0}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{graphs, times} {
		if _, err := parser.ParseFile(token.NewFileSet(), "", text, 0); err != nil {
			t.Error(err)
		}
	}
	if !strings.Contains(string(graphs), "{1, 2}") || !strings.Contains(string(times), `"Transpose(Ring(3))"`) {
		t.Errorf("%s\n%s", graphs, times)
	}
}

func TestSearchEndsWithItsContext(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := table9[0].find(ended); err != context.Canceled {
		t.Errorf("%v, want the context's error", err)
	}
}
