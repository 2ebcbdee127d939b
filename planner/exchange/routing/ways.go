package routing

import (
	"iter"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/shop"
)

// Ways says over which generators the chunk for every offset goes in a symmetric schedule,
// without times. Offset o is the destination of a chunk of node 0.
type Ways struct {
	Group      model.Group
	Ports      int
	Generators [][]int       // of each stage
	Legs       [][]model.Leg // of each offset, in ascending order of stage
}

// anyOrder reports whether the legs of a stage may change places.
func (r *Ways) anyOrder() bool { return r.Ports == 1 || r.Group.Commutative() }

// Slots returns the slots that the routing takes with the given number of chunks per pair.
func (r *Ways) Slots(each int) int {
	sum := 0
	if r.anyOrder() {
		load, longest := r.Loads()
		for i := range load {
			most := longest[i]
			for _, l := range load[i] {
				most = max(most, l*each)
			}
			sum += most
		}
		return sum
	}
	for _, jobs := range r.jobs(each) {
		_, end := shop.JobShop(jobs.legs, r.Ports)
		sum += end
	}
	return sum
}

// Busiest returns, for every stage, the largest load of a circuit. Equal generators share what
// they carry.
func (r *Ways) Busiest() []float64 {
	load, _ := r.Loads()
	busiest := make([]float64, len(load))
	for i, generators := range r.Generators {
		for p, g := range generators {
			if load[i][p] == 0 {
				continue
			}
			sum, count := 0, 0
			for q, other := range generators {
				if other == g {
					sum += load[i][q]
					count++
				}
			}
			busiest[i] = max(busiest[i], float64(sum)/float64(count))
		}
	}
	return busiest
}

// MostLoaded returns the sum over stages of the largest load of a circuit when every pair
// has the given amount, rounded down.
func (r *Ways) MostLoaded(each int) int {
	return int(arithmetic.Sum(r.Busiest()) * float64(each))
}

// Loads returns, for every stage, the hops over each of its generators, and the most
// hops that one offset makes there.
func (r *Ways) Loads() (load [][]int, longest []int) {
	load, longest = make([][]int, len(r.Generators)), make([]int, len(r.Generators))
	for i, generators := range r.Generators {
		load[i] = make([]int, len(generators))
	}
	for _, way := range r.Legs {
		for stage, legs := range byStage(way) {
			hops := 0
			for _, l := range legs {
				hops += int(l.Hops)
				load[stage][l.Port] += int(l.Hops)
			}
			longest[stage] = max(longest[stage], hops)
		}
	}
	return load, longest
}

// stageJobs are the chunks of node 0 that move in a stage, and how.
type stageJobs struct {
	chunks []model.Chunk
	legs   [][]model.Leg
}

// jobs returns the jobs of every stage, in ascending order of offset and index.
func (r *Ways) jobs(each int) []stageJobs {
	jobs := make([]stageJobs, len(r.Generators))
	for o, way := range r.Legs {
		for stage, legs := range byStage(way) {
			j := &jobs[stage]
			for k := range each {
				j.chunks = append(j.chunks, model.Chunk{Dest: int32(o), Index: int32(k)})
				j.legs = append(j.legs, legs)
			}
		}
	}
	return jobs
}

// byStage yields the stages of a way with their legs.
func byStage(way []model.Leg) iter.Seq2[int, []model.Leg] {
	return func(yield func(int, []model.Leg) bool) {
		for len(way) > 0 {
			end := 1
			for end < len(way) && way[end].Stage == way[0].Stage {
				end++
			}
			if !yield(int(way[0].Stage), way[:end]) {
				return
			}
			way = way[end:]
		}
	}
}

// Schedule assigns a slot to every hop, stage by stage.
func (r *Ways) Schedule(strategy string, each int) *model.Schedule {
	n := r.Group.Nodes()
	s := &model.Schedule{Nodes: n, Ports: r.Ports, Strategy: strategy, Group: r.Group, Stages: make([]model.Stage, len(r.Generators))}
	at := make([]int32, n*each) // where each chunk of node 0 is, by offset and index
	for i, jobs := range r.jobs(each) {
		pieces, end := r.order(jobs.legs)
		st := model.Stage{Generators: r.Generators[i], Slots: end, Runs: make([]model.Run, len(pieces))}
		for k, p := range pieces {
			c := jobs.chunks[p.Job]
			here := &at[int(c.Dest)*each+int(c.Index)]
			st.Runs[k] = model.Run{Chunk: c, From: *here, Port: int32(p.Machine), Slot: int32(p.Start), Hops: int32(p.Length)}
			for range p.Length {
				*here = int32(r.Group.Multiply(int(*here), st.Generators[p.Machine]))
			}
		}
		s.Stages[i] = st
	}
	return s
}

// order divides the time of a stage among its jobs.
func (r *Ways) order(jobs [][]model.Leg) (pieces []shop.Piece, end int) {
	if !r.anyOrder() {
		return shop.JobShop(jobs, r.Ports)
	}
	work := make([][]int32, len(jobs))
	for j, legs := range jobs {
		work[j] = make([]int32, r.Ports)
		for _, l := range legs {
			work[j][l.Port] += l.Hops
		}
	}
	return shop.OpenShop(work, r.Ports)
}

// Hops returns the hops from every node to every other.
func (r *Ways) Hops() [][]int {
	n := r.Group.Nodes()
	hops := make([][]int, n)
	for u := range hops {
		hops[u] = make([]int, n)
		for o, legs := range r.Legs {
			v := r.Group.Multiply(u, o)
			for _, l := range legs {
				hops[u][v] += int(l.Hops)
			}
		}
	}
	return hops
}

// Circuits returns the circuits of generators.
func (r *Ways) Circuits(generators []int) [][]int {
	circuits := make([][]int, len(generators))
	for p, g := range generators {
		circuits[p] = make([]int, r.Group.Nodes())
		for u := range circuits[p] {
			circuits[p][u] = r.Group.Multiply(u, g)
		}
	}
	return circuits
}

// Rings returns the circuits of jumps.
func Rings(nodes int, jumps []int) [][]int {
	r := Ways{Group: model.Rotations(nodes)}
	return r.Circuits(jumps)
}
