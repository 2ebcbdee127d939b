package lightpath

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
)

// LayoutRequest asks how an algorithm goes.
type LayoutRequest struct {
	Op        collective.Op
	Algorithm string // a name, or one with options such as swing:8x8
	Nodes     int
	Ports     int
	Demand    collective.Demand // of an all-to-all; nil: all pairs have the same
}

// Layout is the steps of an algorithm, before any circuit is chosen for them.
type Layout struct {
	Schema    string           `json:"schema"`
	Op        collective.Op    `json:"op"`
	Algorithm string           `json:"algorithm"`
	Nodes     int              `json:"nodes"`
	Ports     int              `json:"ports"`
	Chunks    collective.Space `json:"chunks"`
	Steps     []LayoutStep     `json:"steps"`
}

// LayoutSchema names the JSON form of a layout and its version.
const LayoutSchema = "lightpath.collective/v1"

// LayoutStep sums up one step. Shares are of the collective's size.
type LayoutStep struct {
	Index     int                 `json:"index"`
	Actions   []collective.Action `json:"actions"`
	Transfers int                 `json:"transfers"`
	Peers     int                 `json:"peers"` // most that a node sends to
	Sent      float64             `json:"sent"`  // most that a node sends, over the size
	// Message is the largest of a single transfer, over the size.
	Message float64 `json:"message"`
	// Offsets are the distances from sender to receiver, modulo the nodes, where every
	// node has the same; else they are absent.
	Offsets []int `json:"offsets,omitempty"`
	// Example is the source and target of the first transfer.
	Example [2]int `json:"example"`
}

// LayOut lays an algorithm out and sums its steps up. Where a step is symmetric it looks
// only at the transfers that represent it.
func LayOut(r LayoutRequest) (*Layout, error) {
	f := fabric.Default()
	f.Nodes, f.Ports = r.Nodes, r.Ports
	o := Operation{Op: r.Op, Algorithm: r.Algorithm, Size: 1, Demand: r.Demand}
	shape, size, err := o.shape(&f)
	if err != nil {
		return nil, err
	}
	c, err := o.lay(&f, shape, size, r.Algorithm)
	if err != nil {
		return nil, err
	}
	l := &Layout{
		Schema: LayoutSchema, Op: c.Op, Algorithm: c.Algorithm, Nodes: c.Nodes, Ports: r.Ports, Chunks: c.Space,
	}
	for i, step := range c.Steps {
		l.Steps = append(l.Steps, layStep(c, i, step))
	}
	return l, nil
}

func layStep(c collective.Sized, i int, step collective.Step) LayoutStep {
	s := LayoutStep{Index: i + 1, Transfers: step.Len(), Example: [2]int{step.Base[0].Src, step.Base[0].Dst}}
	peers := map[int]map[int]bool{}
	sent := map[int]float64{}
	for _, t := range step.Base {
		if !slices.Contains(s.Actions, t.Action) {
			s.Actions = append(s.Actions, t.Action)
		}
		share := c.Space.Bytes(float64(c.Size), t.Chunks) / float64(c.Size)
		s.Message = max(s.Message, share)
		// Under a group a node sends what all base transfers of its orbit do.
		k, home := step.Group.Locate(t.Src)
		sent[home] += share
		s.Sent = max(s.Sent, sent[home])
		if peers[home] == nil {
			peers[home] = map[int]bool{}
		}
		peers[home][step.Group.Back(k, t.Dst)] = true
		s.Peers = max(s.Peers, len(peers[home]))
	}
	if g := step.Group; len(g.Dims) == 1 && g.Stride[0] == 1 {
		for _, t := range step.Base {
			s.Offsets = append(s.Offsets, (t.Dst-t.Src+c.Nodes)%c.Nodes)
		}
		slices.Sort(s.Offsets)
		s.Offsets = slices.Compact(s.Offsets)
	}
	return s
}
