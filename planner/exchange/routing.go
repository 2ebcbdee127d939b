package exchange

import "iter"

// routing says over which generators the chunk for every offset goes in a symmetric
// schedule, and leaves the time open. Offset o is where the chunk of node 0 goes.
type routing struct {
	group      Group
	ports      int
	generators [][]int // of each stage
	legs       [][]leg // of each offset, in ascending order of stage
}

// leg is a part of a chunk's way that uses one generator of one stage.
type leg struct {
	stage, port, hops int32
}

// anyOrder reports whether the legs of a stage may change places.
func (r *routing) anyOrder() bool { return r.ports == 1 || r.group.Commutative() }

// slots returns the slots that the routing takes with so many chunks per pair.
func (r *routing) slots(each int) int {
	sum := 0
	if r.anyOrder() {
		load, longest := r.loads()
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
		_, end := jobShop(jobs.legs, r.ports)
		sum += end
	}
	return sum
}

// loads returns, for every stage, the hops over each of its generators, and the most
// hops that one offset makes there.
func (r *routing) loads() (load [][]int, longest []int) {
	load, longest = make([][]int, len(r.generators)), make([]int, len(r.generators))
	for i, generators := range r.generators {
		load[i] = make([]int, len(generators))
	}
	for _, way := range r.legs {
		for stage, legs := range byStage(way) {
			hops := 0
			for _, l := range legs {
				hops += int(l.hops)
				load[stage][l.port] += int(l.hops)
			}
			longest[stage] = max(longest[stage], hops)
		}
	}
	return load, longest
}

// stageJobs are the chunks of node 0 that move in a stage, and how.
type stageJobs struct {
	chunks []Chunk
	legs   [][]leg
}

// jobs returns the jobs of every stage, in ascending order of offset and index.
func (r *routing) jobs(each int) []stageJobs {
	jobs := make([]stageJobs, len(r.generators))
	for o, way := range r.legs {
		for stage, legs := range byStage(way) {
			j := &jobs[stage]
			for k := range each {
				j.chunks = append(j.chunks, Chunk{Dest: int32(o), Index: int32(k)})
				j.legs = append(j.legs, legs)
			}
		}
	}
	return jobs
}

// byStage yields the stages of a way with their legs.
func byStage(way []leg) iter.Seq2[int, []leg] {
	return func(yield func(int, []leg) bool) {
		for len(way) > 0 {
			end := 1
			for end < len(way) && way[end].stage == way[0].stage {
				end++
			}
			if !yield(int(way[0].stage), way[:end]) {
				return
			}
			way = way[end:]
		}
	}
}

// schedule puts the hops in order, stage by stage.
func (r *routing) schedule(strategy string, each int) *Schedule {
	n := r.group.Nodes()
	s := &Schedule{Nodes: n, Ports: r.ports, Strategy: strategy, Group: r.group, Stages: make([]Stage, len(r.generators))}
	at := make([]int32, n*each) // where each chunk of node 0 is, by offset and index
	for i, jobs := range r.jobs(each) {
		pieces, end := r.order(jobs.legs)
		st := Stage{Generators: r.generators[i], Slots: end, Runs: make([]Run, len(pieces))}
		for k, p := range pieces {
			c := jobs.chunks[p.job]
			here := &at[int(c.Dest)*each+int(c.Index)]
			st.Runs[k] = Run{c, *here, int32(p.machine), int32(p.start), int32(p.length)}
			for range p.length {
				*here = int32(r.group.Multiply(int(*here), st.Generators[p.machine]))
			}
		}
		s.Stages[i] = st
	}
	return s
}

// order divides the time of a stage among its jobs.
func (r *routing) order(jobs [][]leg) (pieces []piece, end int) {
	if !r.anyOrder() {
		return jobShop(jobs, r.ports)
	}
	work := make([][]int32, len(jobs))
	for j, legs := range jobs {
		work[j] = make([]int32, r.ports)
		for _, l := range legs {
			work[j][l.port] += l.hops
		}
	}
	return openShop(work, r.ports)
}
