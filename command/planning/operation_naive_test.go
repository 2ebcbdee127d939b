package planning_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/plan"
)

// This file reads plan files by itself and runs and prices them in the most naive way:
// it shares nothing with the packages that make and verify them.

// naivePlan is a plan file.
type naivePlan struct {
	Fabric struct {
		Nodes        int     `json:"nodes"`
		Ports        int     `json:"ports"`
		BandwidthBps float64 `json:"bandwidth_bps"`
		AlphaNs      float64 `json:"alpha_ns"`
		DeltaNs      float64 `json:"delta_ns"`
		Reconfig     struct {
			Model  string  `json:"model"`
			BaseNs float64 `json:"base_ns"`
			EachNs float64 `json:"each_ns"`
		} `json:"reconfig"`
	} `json:"fabric"`
	Collective naiveOperation     `json:"collective"`
	CostNs     map[string]float64 `json:"cost_ns"`
	BoundNs    float64            `json:"bound_ns"`
	Stages     []naiveStage       `json:"stages"`
}

type naiveStage struct {
	Links [][3]int    `json:"links"`
	Steps []naiveStep `json:"steps"`
}

type naiveStep struct {
	TotalNs   float64         `json:"total_ns"`
	Transfers []naiveTransfer `json:"transfers"`
}

type naiveTransfer struct {
	Src    int               `json:"src"`
	Dst    int               `json:"dst"`
	Action string            `json:"action"`
	Chunks []json.RawMessage `json:"chunks"`
	Bytes  float64           `json:"bytes"`
	Routes []struct {
		Share float64 `json:"share"`
		Path  []int   `json:"path"`
	} `json:"routes"`
}

type naiveOperation struct {
	Op        string     `json:"op"`
	SizeBytes float64    `json:"size_bytes"`
	Chunks    naiveSpace `json:"chunks"`
}

type naiveSpace struct {
	Kind     string           `json:"kind"`
	Parts    int              `json:"parts"`
	GPUs     []int            `json:"gpus"`
	Bytes    [][]float64      `json:"bytes"`
	Pieces   []naiveChunk     `json:"pieces"`
	Sections []naiveOperation `json:"sections"`
}

// naiveChunk is a chunk with the result that it must have.
type naiveChunk struct {
	Bytes  float64 `json:"bytes"`
	From   []int   `json:"from"`
	To     []int   `json:"to"`
	Reduce bool    `json:"reduce"`
}

// naive writes a plan to a file and reads it.
func naive(t testing.TB, p *plan.Plan) *naivePlan {
	t.Helper()
	var file bytes.Buffer
	if err := p.Encode(&file); err != nil {
		t.Fatal(err)
	}
	var n naivePlan
	if err := json.Unmarshal(file.Bytes(), &n); err != nil {
		t.Fatal(err)
	}
	return &n
}

// chunks lists the chunks of an operation on n nodes.
func (o *naiveOperation) chunks(n int) []naiveChunk {
	s := &o.Chunks
	if s.Kind == "sections" {
		var all []naiveChunk
		for i := range s.Sections {
			all = append(all, s.Sections[i].chunks(n)...)
		}
		return all
	}
	if s.Kind == "listed" {
		return s.Pieces
	}
	who := s.GPUs
	if who == nil {
		for u := range n {
			who = append(who, u)
		}
	}
	var all []naiveChunk
	add := func(c naiveChunk) {
		for range s.Parts {
			all = append(all, c)
		}
	}
	switch parts, members := float64(s.Parts), float64(len(who)); s.Kind {
	case "whole":
		add(naiveChunk{Bytes: o.SizeBytes / parts, From: who[:1], To: who})
		if o.Op == "reduce" {
			for i := range all {
				all[i] = naiveChunk{o.SizeBytes / parts, who, who[:1], true}
			}
		}
	case "pairs":
		for i, src := range who {
			for j, dst := range who {
				size := o.SizeBytes / members
				if s.Bytes != nil {
					size = s.Bytes[i][j]
				}
				add(naiveChunk{Bytes: size / parts, From: []int{src}, To: []int{dst}})
			}
		}
	default:
		for _, owner := range who {
			mine := []int{owner}
			add(map[string]naiveChunk{
				"allreduce":     {o.SizeBytes / members / parts, who, who, true},
				"reducescatter": {o.SizeBytes / members / parts, who, mine, true},
				"reduce":        {o.SizeBytes / members / parts, who, who[:1], true},
				"allgather":     {o.SizeBytes / members / parts, mine, who, false},
				"gather":        {o.SizeBytes / members / parts, mine, who[:1], false},
				"scatter":       {o.SizeBytes / members / parts, who[:1], mine, false},
				"broadcast":     {o.SizeBytes / members / parts, who[:1], who, false},
			}[o.Op])
		}
	}
	return all
}

// ids lists the chunks of a transfer.
func (t *naiveTransfer) ids() ([]int, error) {
	var all []int
	for _, text := range t.Chunks {
		var one int
		var run [3]int
		if json.Unmarshal(text, &one) == nil {
			run = [3]int{one, 1, 1}
		} else if err := json.Unmarshal(text, &run); err != nil {
			return nil, err
		}
		for i := range run[1] {
			all = append(all, run[0]+i*run[2])
		}
	}
	return all, nil
}

// run executes the plan and returns the bytes delivered from each node to each other node.
func (p *naivePlan) run() (delivered [][]float64, err error) {
	n := p.Fabric.Nodes
	chunks := p.Collective.chunks(n)
	// holds[u][c] counts the contributions in what u has of chunk c; -1 is the chunk of
	// an operation that does not reduce.
	holds := make([]map[int]map[int]int, n)
	for u := range holds {
		holds[u] = map[int]map[int]int{}
	}
	for c, chunk := range chunks {
		for _, u := range chunk.From {
			holds[u][c] = map[int]int{-1: 1}
			if chunk.Reduce {
				holds[u][c] = map[int]int{u: 1}
			}
		}
	}
	for i, stage := range p.Stages {
		for j, step := range stage.Steps {
			if err := naiveMoves(step, chunks, holds); err != nil {
				return nil, fmt.Errorf("stage %d, step %d: %w", i+1, j+1, err)
			}
		}
	}
	delivered = make([][]float64, n)
	for u := range delivered {
		delivered[u] = make([]float64, n)
	}
	for c, chunk := range chunks {
		want := map[int]int{-1: 1}
		if chunk.Reduce {
			want = map[int]int{}
			for _, u := range chunk.From {
				want[u] = 1
			}
		}
		for _, u := range chunk.To {
			if chunk.Bytes > 0 && !maps.Equal(holds[u][c], want) {
				return nil, fmt.Errorf("node %d ends with %v of chunk %d, want %v", u, holds[u][c], c, want)
			}
			for _, v := range chunk.From {
				delivered[v][u] += chunk.Bytes
			}
		}
	}
	return delivered, nil
}

// naiveMoves applies the transfers of a step. All read the values from before the step.
func naiveMoves(step naiveStep, chunks []naiveChunk, holds []map[int]map[int]int) error {
	type write struct {
		into, chunk int
		reduce      bool
		what        map[int]int
	}
	var writes []write
	for _, t := range step.Transfers {
		ids, err := t.ids()
		if err != nil {
			return err
		}
		sum := 0.0
		for _, c := range ids {
			if holds[t.Src][c] == nil {
				return fmt.Errorf("node %d sends chunk %d without having it", t.Src, c)
			}
			if chunks[c].Bytes == 0 {
				return fmt.Errorf("chunk %d has no bytes and is sent", c)
			}
			sum += chunks[c].Bytes
			writes = append(writes, write{t.Dst, c, t.Action == "reduce", maps.Clone(holds[t.Src][c])})
		}
		if !alike(sum, t.Bytes) {
			return fmt.Errorf("%d -> %d: chunks of %v bytes are said to have %v", t.Src, t.Dst, sum, t.Bytes)
		}
	}
	for _, w := range writes {
		if !w.reduce {
			holds[w.into][w.chunk] = w.what
			continue
		}
		for u, times := range w.what {
			holds[w.into][w.chunk][u] += times
		}
	}
	return nil
}

// price returns the time of the plan, for a constant delay and a free or dark start.
func (p *naivePlan) price(dark bool) (total float64, err error) {
	f := &p.Fabric
	up := ""
	for i, stage := range p.Stages {
		if now := fmt.Sprint(stage.Links); now != up {
			if up != "" || dark {
				total += f.Reconfig.BaseNs
			}
			up = now
		}
		circuits := map[[2]int]float64{}
		for _, l := range stage.Links {
			circuits[[2]int{l[0], l[1]}] = float64(l[2])
		}
		for j, step := range stage.Steps {
			time, err := p.priceStep(circuits, step)
			if err != nil {
				return 0, fmt.Errorf("stage %d, step %d: %w", i+1, j+1, err)
			}
			if !alike(time, step.TotalNs) {
				return 0, fmt.Errorf("stage %d, step %d: takes %v ns, the file says %v", i+1, j+1, time, step.TotalNs)
			}
			total += time
		}
	}
	return total, nil
}

func (p *naivePlan) priceStep(circuits map[[2]int]float64, step naiveStep) (float64, error) {
	load := map[[2]int]float64{}
	hops, most := 0, 0.0
	for _, t := range step.Transfers {
		shares := 0.0
		for _, r := range t.Routes {
			shares += r.Share
			hops = max(hops, len(r.Path)-1)
			if r.Path[0] != t.Src || r.Path[len(r.Path)-1] != t.Dst {
				return 0, fmt.Errorf("%d -> %d goes by %v", t.Src, t.Dst, r.Path)
			}
			for h := 1; h < len(r.Path); h++ {
				link := [2]int{r.Path[h-1], r.Path[h]}
				if circuits[link] == 0 {
					return 0, fmt.Errorf("%d -> %d: no circuit %v", t.Src, t.Dst, link)
				}
				load[link] += t.Bytes * r.Share / circuits[link]
				most = max(most, load[link])
			}
		}
		if !alike(shares, 1) {
			return 0, fmt.Errorf("%d -> %d: shares add up to %v", t.Src, t.Dst, shares)
		}
	}
	return p.Fabric.AlphaNs + p.Fabric.DeltaNs*float64(hops) + most*8e9/p.Fabric.BandwidthBps, nil
}

// alike allows for the rounding of sums in a different order.
func alike(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }
