package workload

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
)

// Total sums up operations of one sort: collectives of a kind, or sends.
type Total struct {
	Kind string `json:"kind,omitempty"`
	// Op is the collective, or "send".
	Op     collective.Op `json:"op"`
	Groups int           `json:"groups,omitempty"` // of the kind, with at least 2 ranks
	Size   int           `json:"ranks,omitempty"`  // largest size of these groups
	// Most is the number of operations of the rank that has most, and MostBytes the bytes that
	// they carry; Least and MeanBytes are over all ranks.
	Most      int         `json:"most"`
	Least     int         `json:"least"`
	MostBytes units.Bytes `json:"most_bytes"`
	MeanBytes float64     `json:"mean_bytes"`
	// Smallest and Largest are sizes of single operations.
	Smallest units.Bytes `json:"smallest_bytes"`
	Largest  units.Bytes `json:"largest_bytes"`
}

// SendOp is Total's name for sends.
const SendOp collective.Op = "send"

// Totals sums up what ranks send, by kind and operation. Collectives of groups of one rank do
// not count.
func (g *Graph) Totals() []Total {
	type sort struct {
		kind string
		op   collective.Op
	}
	type sum struct {
		count int
		bytes units.Bytes
	}
	totals := map[sort]*Total{}
	sums := make([]map[sort]*sum, len(g.Classes))
	for c := range g.Classes {
		class := &g.Classes[c]
		sums[c] = map[sort]*sum{}
		for k := range class.Tasks {
			t := &class.Tasks[k]
			s := sort{t.Op.Kind, t.Op.Op}
			switch t.Type {
			case Send:
				s.op = SendOp
			case Collective:
				if class.Groups[t.Op.Kind] < 2 {
					continue
				}
			case Computation, Receive, Call:
				continue
			}
			if totals[s] == nil {
				totals[s] = &Total{Kind: s.kind, Op: s.op, Smallest: t.Op.Size}
			}
			if sums[c][s] == nil {
				sums[c][s] = &sum{}
			}
			sums[c][s].count++
			sums[c][s].bytes += t.Op.Size
			totals[s].Smallest, totals[s].Largest = min(totals[s].Smallest, t.Op.Size), max(totals[s].Largest, t.Op.Size)
		}
	}
	list := make([]Total, 0, len(totals))
	for s, t := range totals {
		for c := range g.Classes {
			here := sums[c][s]
			if here == nil {
				here = &sum{}
			}
			if c == 0 {
				t.Least = here.count
			}
			t.Most, t.Least, t.MostBytes = max(t.Most, here.count), min(t.Least, here.count), max(t.MostBytes, here.bytes)
			t.MeanBytes += float64(here.bytes) * float64(g.Classes[c].Ranks.Len()) / float64(g.Workload.Ranks)
		}
		for _, ranks := range g.Workload.Kinds[s.kind] {
			if len(ranks) > 1 {
				t.Groups++
			}
			t.Size = max(t.Size, len(ranks))
		}
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b Total) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Op, b.Op))
	})
	return list
}

// Busiest returns the longest time that any rank computes, without waiting.
func (g *Graph) Busiest() (most units.Time) {
	for c := range g.Classes {
		sum := units.Time(0)
		for k := range g.Classes[c].Tasks {
			if t := &g.Classes[c].Tasks[k]; t.Type == Computation {
				sum += t.Op.Compute.Time()
			}
		}
		most = max(most, sum)
	}
	return most
}
