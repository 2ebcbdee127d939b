package algorithms_test

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/internal/samples"
)

// holdings is, for every node and chunk, the set of nodes whose contributions are in the node's
// value of the chunk; the set is empty if the node has none.
type holdings struct {
	chunks, words int
	sets          []uint64
}

func (h *holdings) at(node, chunk int) []uint64 {
	first := (node*h.chunks + chunk) * h.words
	return h.sets[first : first+h.words]
}

// count returns the size of a set.
func count(set []uint64) int {
	sum := 0
	for _, word := range set {
		sum += bits.OnesCount64(word)
	}
	return sum
}

// runReduction applies every transfer of a reduction to data, without the use of symmetry, and
// reports errors in the result.
func runReduction(c *collective.Collective) error {
	n, chunks := c.Nodes, c.Space.Chunks()
	held := &holdings{chunks: chunks, words: (n + 63) / 64}
	held.sets = make([]uint64, n*chunks*held.words)
	for u := range n {
		for chunk := range chunks {
			if c.Op != collective.AllGather || chunk/c.Space.Parts == u {
				held.at(u, chunk)[u/64] |= 1 << (u % 64)
			}
		}
	}
	written := make([]int, n*chunks) // in which step, negative if by a copy
	var read []uint64
	for i, step := range c.Steps {
		var transfers []collective.Transfer
		read = read[:0]
		for t := range step.All(c.Space) {
			transfers = append(transfers, t)
			for chunk := range t.Chunks.All() {
				if count(held.at(t.Src, chunk)) == 0 {
					return fmt.Errorf("step %d: %d sends chunk %d to %d without having it", i+1, t.Src, chunk, t.Dst)
				}
				read = append(read, held.at(t.Src, chunk)...)
			}
		}
		rest := read
		for _, t := range transfers {
			for chunk := range t.Chunks.All() {
				what, into, last := rest[:held.words], held.at(t.Dst, chunk), &written[t.Dst*chunks+chunk]
				rest = rest[held.words:]
				if *last == -(i+1) || t.Action == collective.Copy && *last == i+1 {
					return fmt.Errorf("step %d: node %d gets chunk %d twice", i+1, t.Dst, chunk)
				}
				if t.Action == collective.Copy {
					*last = -(i + 1)
					copy(into, what)
					continue
				}
				*last = i + 1
				want := count(into) + count(what)
				if want == count(what) {
					return fmt.Errorf("step %d: node %d has nothing to reduce chunk %d into", i+1, t.Dst, chunk)
				}
				for w := range into {
					into[w] |= what[w]
				}
				if count(into) != want {
					return fmt.Errorf("step %d: node %d counts a contribution to chunk %d twice", i+1, t.Dst, chunk)
				}
			}
		}
	}
	return checkReduced(c, held)
}

// checkReduced compares what the nodes hold with what the operation promises.
func checkReduced(c *collective.Collective, held *holdings) error {
	for u := range c.Nodes {
		for chunk := range held.chunks {
			owner := chunk / c.Space.Parts
			if c.Op == collective.ReduceScatter && owner != u {
				continue
			}
			has := held.at(u, chunk)
			ok := count(has) == c.Nodes
			if c.Op == collective.AllGather {
				ok = count(has) == 1 && has[owner/64]>>(owner%64)&1 == 1
			}
			if !ok {
				return fmt.Errorf("node %d ends with %d contributions to chunk %d", u, count(has), chunk)
			}
		}
	}
	return nil
}

// load is the load of the busiest node in a step: the number of peers that it sends to, and the
// number of chunks to one peer and in total.
type load struct{ peers, toOne, inAll int }

// stepLoads measures the steps. It checks first that no node sends to or receives from more
// peers than it has ports, and that no pair and no chunk is listed twice.
func stepLoads(c *collective.Collective, ports int) ([]load, error) {
	loads := make([]load, 0, len(c.Steps))
	named, transfer := make([]int, c.Space.Chunks()), 0 // the last transfer that names a chunk
	for i, step := range c.Steps {
		if err := step.Group.Check(c.Nodes); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		var most load
		sends, receives := make([]load, c.Nodes), make([]load, c.Nodes)
		seen := map[[2]int]bool{}
		for t := range step.All(c.Space) {
			if pair := [2]int{t.Src, t.Dst}; seen[pair] || t.Src == t.Dst {
				return nil, fmt.Errorf("step %d: pair %v is listed twice or to itself", i+1, pair)
			}
			seen[[2]int{t.Src, t.Dst}] = true
			if err := t.Chunks.Check(c.Space.Chunks()); err != nil {
				return nil, fmt.Errorf("step %d: %d->%d: %w", i+1, t.Src, t.Dst, err)
			}
			transfer++
			for chunk := range t.Chunks.All() {
				if named[chunk] == transfer {
					return nil, fmt.Errorf("step %d: %d->%d names chunk %d twice", i+1, t.Src, t.Dst, chunk)
				}
				named[chunk] = transfer
			}
			for _, end := range []*load{&sends[t.Src], &receives[t.Dst]} {
				end.peers++
				end.inAll += t.Chunks.Len()
				most.toOne = max(most.toOne, t.Chunks.Len())
			}
		}
		for u := range c.Nodes {
			most.peers = max(most.peers, sends[u].peers, receives[u].peers)
			most.inAll = max(most.inAll, sends[u].inAll, receives[u].inAll)
		}
		if len(seen) == 0 || most.peers > ports {
			return nil, fmt.Errorf("step %d: %d pairs, %d peers of a node, want at most %d", i+1, len(seen), most.peers, ports)
		}
		loads = append(loads, most)
	}
	return loads, nil
}

// reductionCase is an algorithm with its documented behaviour, stated a second time.
type reductionCase struct {
	algorithm string // with options, if any
	ops       []collective.Op
	supports  func(op collective.Op, n, ports int) bool
	// loads is what the busiest node does in each step.
	loads func(op collective.Op, n, ports int) []load
	bulk  bool // its steps leave it to planners to fit them to the ports
}

var allReductions = []collective.Op{collective.AllReduce, collective.ReduceScatter, collective.AllGather}

// bothHalves combines the loads of the two halves as op requires.
func bothHalves(op collective.Op, scatter, gather []load) []load {
	switch op {
	case collective.ReduceScatter:
		return scatter
	case collective.AllGather:
		return gather
	}
	return slices.Concat(scatter, gather)
}

// backwards returns the loads in the opposite order.
func backwards(loads []load) []load {
	loads = slices.Clone(loads)
	slices.Reverse(loads)
	return loads
}

// checkReduction tries an algorithm at all sizes and numbers of ports. It checks that the
// algorithm supports what it claims, is right on data, keeps to the ports and sends the
// documented volumes. Package staged plans with all of them.
func checkReduction(t *testing.T, rc reductionCase) {
	t.Helper()
	var tried []int
	for n := 2; n <= 32; n++ {
		if n <= 18 || n%3 == 0 || n >= 31 || samples.Every() {
			tried = append(tried, n)
		}
	}
	tried = append(tried, 64, 81, 128)
	if samples.Every() {
		tried = append(tried, 100, 243, 256)
	}
	for ports := 1; ports <= 6; ports++ {
		t.Run(fmt.Sprintf("%d ports", ports), func(t *testing.T) {
			t.Parallel()
			for _, n := range tried {
				for _, op := range rc.ops {
					checkReductionAt(t, rc, op, n, ports)
				}
			}
		})
	}
}

func checkReductionAt(t *testing.T, rc reductionCase, op collective.Op, n, ports int) {
	t.Helper()
	c, err := algorithms.New(op, rc.algorithm, n, ports)
	if want := rc.supports(op, n, ports); (err == nil) != want {
		t.Errorf("%s %s on %d nodes with %d ports: %v, want supported %v", rc.algorithm, op, n, ports, err, want)
	}
	if err != nil {
		return
	}
	if fewer, err := algorithms.New(op, rc.algorithm, n, ports-1); err == nil && reflect.DeepEqual(c, fewer) {
		return // that has been tried
	}
	most := ports
	if rc.bulk {
		most = n
	}
	got, err := stepLoads(c, most)
	if err != nil {
		t.Fatalf("%s on %d nodes with %d ports: %v", op, n, ports, err)
	}
	if want := rc.loads(op, n, ports); want != nil && !slices.Equal(got, want) {
		t.Fatalf("%s on %d nodes with %d ports: loads %v, want %v", op, n, ports, got, want)
	}
	if ports > 1 && n*c.Space.Chunks() > 1<<14 {
		return // takes too long to be tried more than once
	}
	if err := runReduction(c); err != nil {
		t.Fatalf("%s on %d nodes with %d ports: %v", op, n, ports, err)
	}
}

// anySize is for algorithms that support all sizes with any number of ports.
func anySize(collective.Op, int, int) bool { return true }

// A missing step is detected.
func TestRunReductionSeesErrors(t *testing.T) {
	for _, algorithm := range []string{"two-way-ring", "recursive-doubling", "bruck", "trivance", "double-binary-tree", "direct-exchange", "rabenseifner"} {
		c, err := algorithms.New(collective.AllReduce, algorithm, 9, 2)
		if err != nil {
			t.Fatal(err)
		}
		steps := c.Steps
		for i := range steps {
			c.Steps = slices.Concat(steps[:i], steps[i+1:])
			if runReduction(c) == nil {
				t.Errorf("%s without step %d: nothing is missed", algorithm, i+1)
			}
		}
	}
}
