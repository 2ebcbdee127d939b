package exchange

// schedule puts the hops in order.
func (r *router) schedule(strategy string, ports int) *Schedule {
	return scheduleWays(strategy, ports, r.stages, r.demand, r.way)
}

// scheduleWays puts ways over given topologies in order: every stage is a job shop in which
// circuits are machines. A way is a list of hops in ascending order of stage, each with its
// circuit, numbered port*nodes+node.
func scheduleWays(strategy string, ports int, stages [][][]int, demand Demand, way func(u, v, index int) []leg) *Schedule {
	n := demand.Nodes()
	s := &Schedule{Nodes: n, Ports: ports, Strategy: strategy, Stages: make([]Stage, len(stages))}
	for i, jobs := range wayJobs(len(stages), demand, way) {
		st := &s.Stages[i]
		st.Circuits = stages[i]
		var pieces []piece
		pieces, st.Slots = jobShop(jobs.legs, len(stages[i])*n)
		for _, p := range pieces {
			port, from := int32(p.machine/n), int32(p.machine%n)
			st.Runs = append(st.Runs, Run{jobs.chunks[p.job], from, port, int32(p.start), int32(p.length)})
		}
		st.sortRuns()
	}
	return s
}

// wayJobs returns the jobs of every stage, in ascending order of source, destination and
// number.
func wayJobs(stages int, demand Demand, way func(u, v, index int) []leg) []stageJobs {
	jobs := make([]stageJobs, stages)
	for u := range demand.Nodes() {
		for v := range demand.Nodes() {
			for k := range demand.Count(u, v) {
				chunk := Chunk{int32(u), int32(v), int32(k)}
				for stage, legs := range byStage(way(u, v, k)) {
					jobs[stage].chunks = append(jobs[stage].chunks, chunk)
					jobs[stage].legs = append(jobs[stage].legs, legs)
				}
			}
		}
	}
	return jobs
}
