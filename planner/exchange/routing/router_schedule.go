package routing

import (
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/shop"
)

// Schedule puts the hops in order.
func (r *Router) Schedule(strategy string, ports int) *model.Schedule {
	return ScheduleWays(strategy, ports, r.stages, r.demand, r.way)
}

// ScheduleWays puts ways over given topologies in order: every stage is a job shop in which
// circuits are machines. A way is a list of hops in ascending order of stage, each with its
// circuit, numbered port*nodes+node.
func ScheduleWays(strategy string, ports int, stages [][][]int, demand model.Demand, way func(u, v, index int) []model.Leg) *model.Schedule {
	n := demand.Nodes()
	s := &model.Schedule{Nodes: n, Ports: ports, Strategy: strategy, Stages: make([]model.Stage, len(stages))}
	for i, jobs := range wayJobs(len(stages), demand, way) {
		st := &s.Stages[i]
		st.Circuits = stages[i]
		var pieces []shop.Piece
		pieces, st.Slots = shop.JobShop(jobs.legs, len(stages[i])*n)
		for _, p := range pieces {
			port, from := int32(p.Machine/n), int32(p.Machine%n)
			st.Runs = append(st.Runs, model.Run{Chunk: jobs.chunks[p.Job], From: from, Port: port, Slot: int32(p.Start), Hops: int32(p.Length)})
		}
		st.SortRuns()
	}
	return s
}

// wayJobs returns the jobs of every stage, in ascending order of source, destination and
// number.
func wayJobs(stages int, demand model.Demand, way func(u, v, index int) []model.Leg) []stageJobs {
	jobs := make([]stageJobs, stages)
	for u := range demand.Nodes() {
		for v := range demand.Nodes() {
			for k := range demand.Count(u, v) {
				chunk := model.Chunk{Origin: int32(u), Dest: int32(v), Index: int32(k)}
				for stage, legs := range byStage(way(u, v, k)) {
					jobs[stage].chunks = append(jobs[stage].chunks, chunk)
					jobs[stage].legs = append(jobs[stage].legs, legs)
				}
			}
		}
	}
	return jobs
}
