package deals_test

import (
	"cmp"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint"
	"github.com/lightpath-net/lightpath/planner/joint/deals"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

var (
	search   = flag.Bool("search", false, "search for deals and write those that are of use, with those that are stored")
	out      = flag.String("out", "deals.txt", "where to write them")
	more     = flag.String("more", "", "a file of further deals")
	ways     = flag.String("ways", "one,two", "search for deals on circuits of these ways")
	fewest   = flag.Int("fewest", 2, "search from this degree on")
	most     = flag.Int("most", 4, "search up to this degree")
	smallest = flag.Int("smallest", 5, "search for deals to so many nodes and more")
	largest  = flag.Int("largest", 32, "search for deals of up to so many nodes")
	moves    = flag.Int("moves", 60_000, "moves of each search")
	tries    = flag.Int("tries", 60, "longer searches for each number of nodes and degree, for what a brief one nearly found")
	brief    = flag.Int("brief", 400, "deals for which there is a brief search, for each number of nodes and degree")
	firstTry = flag.Uint64("seed", 1, "seed of the first search; the others have the next")
	steps    = flag.Int("steps", 6, "the most steps")
)

// TestDealsSearch searches for deals that are at least a hundredth faster, for some size of the
// message, than what this planner finds without deals. A brief search comes first, for deals of
// all numbers of pieces, hops and loads that would be. Longer searches follow for those whose it
// lacked the least. Without -search the test searches for the proven optimum for 6 nodes.
func TestDealsSearch(t *testing.T) {
	if !*search {
		h := hunt{nodes: 6, degree: 2, moves: 10_000, tries: 20, brief: 400, steps: 2, seed: 1}
		h.run(t, nil)
		if !slices.ContainsFunc(h.found, func(d deals.Deal) bool { return d.Hops == 2 && len(d.Rounds) == 1 && d.Load() < 7./6+1e-9 }) {
			t.Errorf("found only %+v", h.found)
		}
		return
	}
	known := deals.All()
	if *more != "" {
		text, err := os.ReadFile(*more)
		if err != nil {
			t.Fatal(err)
		}
		list, err := deals.Read(string(text))
		if err != nil {
			t.Fatal(err)
		}
		known = append(known, list...)
	}
	var lines strings.Builder
	for _, way := range []string{"one", "two"} {
		for degree := 1; degree <= 8; degree++ {
			for nodes := 3; nodes <= deals.MaxNodes; nodes++ {
				h := hunt{nodes: nodes, degree: degree, twoWay: way == "two", moves: *moves, tries: *tries, brief: *brief, steps: *steps, seed: *firstTry}
				if slices.Contains(strings.Split(*ways, ","), way) && degree >= *fewest && degree <= *most && nodes >= *smallest && nodes <= *largest {
					h.run(t, known)
					t.Logf("%s %d %d: %d deals, gains %.3f", way, nodes, degree, len(h.found), h.gains())
				} else {
					h.found = h.of(known)
				}
				for _, d := range h.found {
					lines.WriteString(d.Line() + "\n")
				}
			}
		}
	}
	if err := os.WriteFile(*out, []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// For some size of the message, every stored deal is the fastest, and faster by a hundredth or
// more than what this planner finds without deals.
func TestStoredDealsAreOfUse(t *testing.T) {
	type key struct {
		nodes, degree int
		twoWay        bool
	}
	var keys []key
	for _, d := range deals.All() {
		if k := (key{d.Nodes, d.Degree, d.TwoWay}); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	for _, k := range samples.Few(6, keys) {
		h := hunt{nodes: k.nodes, degree: k.degree, twoWay: k.twoWay}
		known := h.of(deals.All())
		if h.run(t, known); len(h.found) != len(known) {
			t.Errorf("%+v: %d of %d deals are of use: gains %.3f", k, len(h.found), len(known), h.gains())
		}
	}
}

// gain is the least share of time that a stored deal saves for some size.
const gain = 0.01

// hunt is the search for deals to a number of nodes.
type hunt struct {
	nodes, degree int
	twoWay        bool
	moves, tries  int
	brief         int
	steps         int
	seed          uint64

	machine digit.Machine
	sizes   []units.Bytes
	without []float64 // by size: the time without deals
	best    []float64 // by size: the time with the deals found
	found   []deals.Deal
}

// attempt is a task with its slack, and what the last search for it lacked.
type attempt struct {
	deals.Task
	slack float64
	lacks int
}

// run searches, beginning with the known deals.
func (h *hunt) run(t *testing.T, known []deals.Deal) {
	h.compare(t)
	for _, d := range h.of(known) {
		h.enter(d)
	}
	left := h.tasks()
	if n := len(left); n > h.brief {
		for i := range h.brief {
			left[i] = left[i*n/h.brief]
		}
		left = left[:h.brief]
	}
	for pass, effort := range []int{1, 10, 80} {
		if h.tries == 0 {
			break
		}
		if pass > 0 {
			slices.SortStableFunc(left, func(a, b attempt) int { return cmp.Compare(a.lacks, b.lacks) })
			left = left[:min(len(left), h.tries*10/effort)]
		}
		for i := range left {
			a := &left[i]
			if !h.useful(a.Hops, len(a.Rounds), a.Load()) {
				continue
			}
			a.Moves, a.Seed = h.moves*effort/10, h.seed
			h.seed++
			var d deals.Deal
			if d, a.lacks = a.Search(); a.lacks == 0 {
				h.enter(d)
			}
		}
		left = slices.DeleteFunc(left, func(a attempt) bool { return !h.useful(a.Hops, len(a.Rounds), a.Load()) })
	}
	h.prune()
}

// of returns those of the deals that are to the same nodes.
func (h *hunt) of(known []deals.Deal) (list []deals.Deal) {
	for _, d := range known {
		if d.Nodes == h.nodes && d.Degree == h.degree && d.TwoWay == h.twoWay {
			list = append(list, d)
		}
	}
	return list
}

// compare plans without deals.
func (h *hunt) compare(t *testing.T) {
	for size := 16 * units.KiB; size <= 8*units.MiB; size *= 2 {
		r := jointtest.Request(collective.Broadcast, h.nodes, h.degree, size)
		r.Fabric.Duplex = h.twoWay
		h.machine = digit.NewMachine(&r.Fabric, h.degree, h.nodes)
		h.sizes, h.without = append(h.sizes, size), append(h.without, withoutDeals(t, r))
	}
	h.best = slices.Clone(h.without)
}

// withoutDeals returns the time of the best plan without deals.
func withoutDeals(t *testing.T, r planner.Request) float64 {
	t.Helper()
	p, err := joint.New().Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	choices, err := planner.TraitsOf(joint.New()).Choices(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range choices {
		if c.What == digit.Deals.String() {
			p = c.Without
		}
	}
	return float64(p.Cost.Total())
}

// takes returns the time of a deal.
func (h *hunt) takes(hops, rounds int, load float64, size units.Bytes) float64 {
	return h.machine.Time(digit.Shape{Steps: 1 + rounds, Hops: hops + rounds, Load: load}, float64(size))
}

// gains returns what the deals found save, by size.
func (h *hunt) gains() []float64 {
	all := make([]float64, len(h.sizes))
	for i := range all {
		all[i] = 1 - h.best[i]/h.without[i]
	}
	return all
}

// enter enters a deal.
func (h *hunt) enter(d deals.Deal) {
	h.found = append(h.found, d)
	for i, size := range h.sizes {
		h.best[i] = min(h.best[i], h.takes(d.Hops, len(d.Rounds), d.Load(), size))
	}
}

// prune leaves out deals that are not the best for any size.
func (h *hunt) prune() {
	rest := h.found
	h.found = nil
	for i, size := range h.sizes {
		if h.best[i] > h.without[i]*(1-gain) {
			continue
		}
		for _, d := range rest {
			if h.takes(d.Hops, len(d.Rounds), d.Load(), size) <= h.best[i] {
				if !slices.ContainsFunc(h.found, func(f deals.Deal) bool { return f.Line() == d.Line() }) {
					h.found = append(h.found, d)
				}
				break
			}
		}
	}
	slices.SortStableFunc(h.found, func(a, b deals.Deal) int {
		return cmp.Or(cmp.Compare(1+len(a.Rounds), 1+len(b.Rounds)), cmp.Compare(a.Hops, b.Hops), cmp.Compare(a.Load(), b.Load()))
	})
}

// tasks lists the deals that would be of use, those with the most slack first.
func (h *hunt) tasks() []attempt {
	var all []attempt
	for rounds := 1; rounds < h.steps; rounds++ {
		for hops := 1; hops < 5; hops++ {
			for pieces := 2; pieces <= min(24, 2*h.nodes); pieces++ {
				list := make([]int, rounds)
				var each func(round, sum int)
				each = func(round, sum int) {
					if round < rounds {
						for most := 1; most <= 4 && sum+most <= 2*pieces; most++ {
							if round > 0 && most < list[round-1] {
								continue
							}
							list[round] = most
							each(round+1, sum+most)
						}
						return
					}
					for first := 1; first <= (h.nodes+h.degree-2)/h.degree+2; first++ {
						if !h.useful(hops, rounds, float64(first+sum)/float64(pieces)) {
							break
						}
						task := deals.Task{
							Nodes: h.nodes, Degree: h.degree, TwoWay: h.twoWay, Pieces: pieces, Hops: hops, First: first, Rounds: slices.Clone(list),
						}
						if slack := task.Slack(); slack >= 1 {
							all = append(all, attempt{Task: task, slack: slack})
						}
					}
				}
				each(0, 0)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b attempt) int { return cmp.Compare(b.slack, a.slack) })
	return all
}

// useful reports whether a deal would be faster for some size.
func (h *hunt) useful(hops, rounds int, load float64) bool {
	for i, size := range h.sizes {
		if h.takes(hops, rounds, load, size) < h.best[i]*(1-gain) {
			return true
		}
	}
	return false
}
