package parts_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/flow/matching"
	"github.com/lightpath-net/lightpath/units"
)

// built is a tree, switch by switch and link by link.
type built struct {
	radix int
	ports map[[3]int]int         // in use, by tier and two numbers of the switch
	links map[[2][3]int]int      // between switches
	hosts map[int][3]int         // leaf of each endpoint
	all   int                    // links
	level func(tier int) (n int) // switches of a tier
}

func (b *built) join(low, high [3]int, count int) {
	b.ports[low] += count
	b.ports[high] += count
	b.links[[2][3]int{low, high}] += count
	b.all += count
}

// build assembles a tree of two or three tiers without the formulas: it adds top switches,
// connected alike to all switches below, until there are enough ports.
func build(endpoints, radix, tiers int) *built {
	b := &built{radix: radix, ports: map[[3]int]int{}, links: map[[2][3]int]int{}, hosts: map[int][3]int{}}
	b.level = func(tier int) (n int) {
		for s := range b.ports {
			if s[0] == tier {
				n++
			}
		}
		return n
	}
	h := radix / 2
	for e := range endpoints {
		leaf := [3]int{1, e / h / h, e / h % h} // pod, place
		if tiers == 2 {
			leaf = [3]int{1, 0, e / h}
		}
		b.hosts[e] = leaf
		b.ports[leaf]++
		b.all++
	}
	leaves := map[[3]int]bool{}
	for _, l := range b.hosts {
		leaves[l] = true
	}
	// tops finds how many switches on top of some, with h links up each, have ports enough.
	tops := func(below int) int {
		for s := 1; ; s++ {
			if h%s == 0 && below*(h/s) <= radix {
				return s
			}
		}
	}
	if tiers == 2 {
		s := tops(len(leaves))
		for l := range leaves {
			for i := range s {
				b.join(l, [3]int{3, 0, i}, h/s)
			}
		}
		return b
	}
	pods := map[int]bool{}
	for l := range leaves {
		pods[l[1]] = true
		for i := range h {
			b.join(l, [3]int{2, l[1], i}, 1)
		}
	}
	s := tops(len(pods))
	for pod := range pods {
		for i := range h {
			for k := range s {
				b.join([3]int{2, pod, i}, [3]int{3, i, k}, h/s)
			}
		}
	}
	return b
}

// The formulas give the counts of the assembled tree, and no switch has more links than ports.
func TestTreesAreCountedAsTheyAreBuilt(t *testing.T) {
	seen := map[int]int{}
	for _, radix := range []int{4, 6, 8, 12, 16} {
		for n := 1; n <= radix*radix*radix/4; n += 1 + n/17 {
			tree, err := parts.FatTree(n, radix)
			if err != nil {
				t.Fatal(err)
			}
			seen[tree.Tiers]++
			if tree.Tiers == 1 {
				if n > radix || tree.Switches() != 1 || tree.Links != n {
					t.Errorf("%d on %d: %+v", n, radix, tree)
				}
				continue
			}
			b := build(n, radix, tree.Tiers)
			for s, used := range b.ports {
				if used > radix {
					t.Errorf("%d on %d: switch %v has %d links", n, radix, s, used)
				}
			}
			if tree.Leaves != b.level(1) || tree.Middle != b.level(2) || tree.Top != b.level(3) || tree.Links != b.all {
				t.Errorf("%d on %d: %+v; built %d %d %d, %d links", n, radix, tree, b.level(1), b.level(2), b.level(3), b.all)
			}
		}
		// Al-Fares et al.: k^3/4 hosts on 5k^2/4 switches.
		full, err := parts.FatTree(radix*radix*radix/4, radix)
		if err != nil || full.Switches() != 5*radix*radix/4 {
			t.Errorf("%+v, %v", full, err)
		}
		if _, err := parts.FatTree(radix*radix*radix/4+1, radix); err == nil {
			t.Errorf("a fourth tier of %d", radix)
		}
	}
	if seen[1] == 0 || seen[2] == 0 || seen[3] == 0 {
		t.Error(seen)
	}
}

// Any permutation of the endpoints can be routed over two tiers such that no link has two
// flows: a colour of the flows between leaves (Kőnig) is a link up and down.
func TestTwoTiersDoNotBlock(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range [][2]int{{18, 6}, {32, 8}, {40, 12}, {128, 16}, {97, 16}} {
		n, h := c[0], c[1]/2
		tree, err := parts.FatTree(n, c[1])
		if err != nil || tree.Tiers != 2 {
			t.Fatalf("%+v, %v", tree, err)
		}
		b := build(n, c[1], 2)
		for range 5 {
			var flows [][2]int
			for from, to := range random.Perm(n) {
				if u, v := b.hosts[from][2], b.hosts[to][2]; u != v {
					flows = append(flows, [2]int{u, v})
				}
			}
			up, down := map[[2]int]int{}, map[[2]int]int{}
			colours := matching.Divide(tree.Leaves, flows)
			if len(colours) > h {
				t.Fatalf("%d colours of %d", len(colours), h)
			}
			for colour, some := range colours {
				for _, i := range some {
					top := colour % tree.Top
					up[[2]int{flows[i][0], top}]++
					down[[2]int{flows[i][1], top}]++
				}
			}
			for _, loads := range []map[[2]int]int{up, down} {
				for at, load := range loads {
					if links := b.links[[2][3]int{{1, 0, at[0]}, {3, 0, at[1]}}]; load > links {
						t.Errorf("%d endpoints on %d: %d flows on %d links", n, c[1], load, links)
					}
				}
			}
		}
	}
}

// Rails share no leaves, and a single rail is a tree of its own.
func TestRailsAreCountedByTheirGPUs(t *testing.T) {
	for _, c := range [][3]int{{64, 8, 8}, {128, 16, 8}, {96, 8, 4}, {512, 64, 8}, {60, 8, 8}} {
		n, radix, island := c[0], c[1], c[2]
		h := radix / 2
		leaves := map[[2]int]bool{} // by rail and block
		for gpu := range n {
			leaves[[2]int{gpu % island, gpu / island / h}] = true
		}
		tree, err := parts.RailOptimised(island)(n, radix)
		if err != nil || tree.Leaves != len(leaves) {
			t.Errorf("%v: %+v, %v; want %d leaves", c, tree, err, len(leaves))
		}
		var want parts.Tree
		for place := range island {
			gpus := 0
			for gpu := range n {
				if gpu%island == place {
					gpus++
				}
			}
			rail, err := parts.FatTree(gpus, radix)
			if err != nil {
				t.Fatal(err)
			}
			want = want.Plus(rail)
		}
		if most := (n + island - 1) / island; want.Tiers == 1 { // as many whole rails on a switch as fit
			left, switches := 0, 0
			for range island {
				if left < most {
					left, switches = radix, switches+1
				}
				left -= most
			}
			want.Leaves = switches
		}
		alone, err := parts.RailOnly(island)(n, radix)
		if err != nil || alone != want || alone.Switches() > tree.Switches() {
			t.Errorf("%v: %+v, %v; want %+v", c, alone, err, want)
		}
		for _, plan := range []func(int, int) (parts.Tree, error){parts.RailOptimised(1), parts.RailOnly(1)} {
			one, err := plan(n, radix)
			tree, _ := parts.FatTree(n, radix)
			if err != nil || one != tree {
				t.Errorf("%v: islands of one: %+v, %v", c, one, err)
			}
		}
	}
}

// An electrical fabric has a transceiver at both ends of every link.
func TestElectricalBills(t *testing.T) {
	m := parts.Machine{Nodes: 512, Ports: 4, Bandwidth: 400 * units.Gbps}
	b, tree, err := parts.Standard().Electrical(m, parts.FatTree)
	if err != nil {
		t.Fatal(err)
	}
	// 16 leaves with 32 GPUs each, 8 top switches, 512 links to GPUs and 512 up, four times.
	if tree.Leaves != 64 || tree.Top != 32 || tree.Links != 4096 || b.Count(parts.PacketSwitches) != 96 || b.Count(parts.Transceivers) != 8192 ||
		b.Count(parts.Fibres) != 8192 || b.Count(parts.NICs) != 2048 {
		t.Errorf("%+v %+v", tree, b.Lines)
	}
	if want := 96*64*1090.0 + 8192*659 + 8192*8 + 2048*1499; b.CostUSD.Likely != want {
		t.Errorf("%v, want %v", b.CostUSD.Likely, want)
	}
	// The four ports of 16 GPUs fit on one switch.
	m.Nodes = 16
	for _, plan := range []func(int, int) (parts.Tree, error){parts.FatTree, parts.RailOptimised(4), parts.RailOnly(4)} {
		if b, tree, err := parts.Standard().Electrical(m, plan); err != nil || tree.Switches() != 1 || b.Count(parts.Transceivers) != 128 {
			t.Errorf("%+v, %v", tree, err)
		}
	}
	// Those of 32 GPUs fit on two, two ports of every GPU on each.
	m.Nodes = 32
	if _, tree, err := parts.Standard().Electrical(m, parts.FatTree); err != nil || tree.Switches() != 2 || tree.Tiers != 1 {
		t.Errorf("%+v, %v", tree, err)
	}
	m.Bandwidth = units.Tbps
	if _, _, err := parts.Standard().Electrical(m, parts.FatTree); err == nil {
		t.Error("ports of 1 Tbps")
	}
	m.Bandwidth, m.Nodes = units.Gbps, 1<<20
	if _, _, err := parts.Standard().Electrical(m, parts.FatTree); err == nil {
		t.Error("a million endpoints on switches of 32 ports")
	}
}
