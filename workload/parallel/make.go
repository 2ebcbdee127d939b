package parallel

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/model"
)

// Make makes the workload of an iteration.
func Make(m *model.Model, c Config) (*workload.Workload, error) {
	j, err := c.job(m)
	if err != nil {
		return nil, err
	}
	all, active := m.Parameters()
	sequences := j.GlobalBatch
	w := &workload.Workload{
		Schema: workload.Schema, Name: m.Name, Ranks: j.ranks(), Kinds: j.kinds(), Blocks: map[string][]workload.Op{},
		About: []string{
			fmt.Sprintf("%s (%s)", m.Name, m.Source),
			j.words(),
			fmt.Sprintf("%d microbatches of %d x %d tokens, schedule %s", j.micro, j.Microbatch, j.Sequence, j.Schedule),
		},
		Model: &workload.Facts{
			Name: m.Name, Parameters: all, ActiveParameters: active, Tokens: int64(sequences) * int64(j.Sequence),
			Flops: m.Flops(sequences, j.Sequence), GPU: j.GPU, PeakFlops: j.peak, Efficiency: j.Efficiency,
			Microbatches: j.micro, Schedule: j.Schedule,
		},
	}
	w.Model.HardwareFlops = w.Model.Flops
	for l := range m.Layers {
		w.Model.HardwareFlops += j.again(l) * float64(sequences) * float64(j.Sequence)
	}
	parts := j.parts()
	for _, p := range parts {
		p.define(w.Blocks)
	}
	stages := make([][]int, j.PP)
	for r := range w.Ranks {
		s := j.axes.place("pp", r)
		stages[s] = append(stages[s], r)
	}
	for s, ranks := range stages {
		w.Programs = append(w.Programs, workload.Program{
			Name: fmt.Sprintf("stage %d", s), Ranks: workload.NewRankSet(ranks), Ops: j.program(s, parts),
		})
	}
	return w, nil
}

// kinds lists the groups that have at least 2 ranks.
func (j *job) kinds() map[string][][]int {
	kinds := map[string][][]int{}
	for _, k := range []struct {
		name  string
		is    bool
		along []string
	}{
		{"tp", j.TP > 1, []string{"tp"}}, {"cp", j.CP > 1, []string{"cp"}}, {"ep", j.EP > 1, []string{"ep"}}, {"pp", j.PP > 1, []string{"pp"}},
		{"dp", j.DP*j.CP > 1, []string{"cp", "ep", "dp"}},
		{"edp", j.EP > 1 && j.DP/j.EP*j.CP > 1, []string{"cp", "dp"}},
	} {
		if k.is {
			kinds[k.name] = j.axes.groups(j.ranks(), k.along...)
		}
	}
	if j.PP > 1 && j.model.Tied {
		kinds["ends"] = j.axes.ends(j.ranks())
	}
	return kinds
}

// id returns the identifier of a pass of a microbatch.
func (j *job) id(s slot) string {
	name := "f"
	if s.backward {
		name = "b"
	}
	if j.chunks == 1 {
		return fmt.Sprintf("%s%d", name, s.micro)
	}
	return fmt.Sprintf("%s%d.%d", name, s.micro, s.chunk)
}

// program returns the operations of a stage's ranks.
func (j *job) program(stage int, parts []*part) []workload.Op {
	var ops []workload.Op
	for _, s := range j.slots(stage) {
		pass, step := "forward", 1
		if s.backward {
			pass, step = "backward", -1
		}
		at := s.chunk*j.PP + stage
		call := workload.Op{ID: j.id(s), Block: parts[at].name(pass)}
		if from := at - step; from >= 0 && from < len(parts) {
			other := slot{s.backward, s.micro, from / j.PP}
			ops = append(ops, workload.Op{
				ID: call.ID + ".in", Receive: j.id(other) + ".out", From: j.towards(stage, from%j.PP), Kind: "pp",
			})
			call.After = []string{call.ID + ".in"}
		} else if s.backward { // the last part turns to the backward pass
			call.After = []string{j.id(slot{false, s.micro, s.chunk})}
		}
		ops = append(ops, call)
		if to := at + step; to >= 0 && to < len(parts) {
			ops = append(ops, workload.Op{
				ID: call.ID + ".out", SendTo: j.towards(stage, to%j.PP), Kind: "pp", Size: j.model.StageBytes(&j.shard),
				After: []string{j.end(parts[at], call.ID, s.backward)},
			})
		}
	}
	for chunk := j.chunks - 1; chunk >= 0; chunk-- {
		ops = append(ops, j.gradients(parts[chunk*j.PP+stage], j.id(slot{true, j.micro - 1, chunk}))...)
	}
	return ops
}

// end returns the last operation of a pass that the next stage waits for; it does not wait for
// gradients that are reduced meanwhile.
func (j *job) end(p *part, call string, backward bool) string {
	if backward && j.Zero == 3 {
		return call + "/" + layerID(0)
	}
	return call
}

// towards returns the peer in another stage.
func (j *job) towards(stage, other int) *workload.Peer {
	return &workload.Peer{Rank: (other - stage) * j.axes["pp"].stride, Relative: true}
}

// gradients adds what ranks with the same parameters do with their gradients when the backward
// pass of the last microbatch has reached them, layer by layer. They add them up (allreduce);
// or each adds up a part and updates its part of the parameters, and all gather these
// (Rajbhandari et al., ZeRO, arXiv 1910.02054). If they shard parameters, that has happened
// already.
func (j *job) gradients(p *part, call string) []workload.Op {
	c := &chain{}
	if p.last {
		after := call + "/output"
		_, norm := p.model.HeldEnds()
		params := norm
		if !p.model.Tied || p.first {
			params += p.model.HeldTable(&p.shard)
		} else {
			after = p.share(c, call)
			params += p.model.HeldTable(&p.shard)
		}
		p.synchronise(c, "output", "dp", params, after)
	}
	if p.Zero < 3 {
		for i := len(p.layers) - 1; i >= 0; i-- {
			p.eachShare(i, func(kind, name string, params int64) {
				p.synchronise(c, fmt.Sprintf("part%d.%s.%s", p.chunk, layerID(i), name), kind, params, call+"/"+layerID(i))
			})
		}
	}
	if p.first {
		positions, _ := p.model.HeldEnds()
		params := positions
		after := call
		switch {
		case !p.model.Tied:
			params += p.model.HeldTable(&p.shard)
		case !p.last:
			after = p.share(c, call)
			params += p.model.HeldTable(&p.shard)
		}
		p.synchronise(c, "table", "dp", params, after)
	}
	return c.ops
}

// share adds up the gradients of the token table on the first and the last stage, which both
// have it, and returns the operation to wait for.
func (p *part) share(c *chain, call string) string {
	p.reduce(c, "tied", collective.AllReduce, "ends", p.model.HeldTable(&p.shard), call)
	return "tied"
}

// synchronise adds the collectives of one set of gradients.
func (p *part) synchronise(c *chain, name, kind string, params int64, after string) {
	if params == 0 || kind == "dp" && p.DP*p.CP == 1 {
		return
	}
	if p.Zero == 0 {
		p.reduce(c, name+".reduce", collective.AllReduce, kind, params, after)
		return
	}
	p.reduce(c, name+".reduce", collective.ReduceScatter, kind, params, after)
	c.ops = append(c.ops, workload.Op{
		ID: name + ".gather", Op: collective.AllGather, Kind: kind, Size: units.Bytes(params * int64(p.shard.Number)), After: []string{name + ".reduce"},
	})
}
