package shop

import "github.com/lightpath-net/lightpath/planner/exchange/model"

// JobShop puts the legs of jobs in order: each leg occupies its port for as many slots as it
// has hops, with breaks, after the legs of its job before it. It returns the pieces in
// ascending order of start, and the time when all jobs are done.
//
// In every slot each port serves, of the jobs that wait for it, the one with the most hops to
// go. No order can beat the largest load of a port or the longest job. Minimising the time is
// NP-hard, but if loads are much larger than jobs are long, ports are idle only at the end, for
// at most a few slots. It takes O(hops x ports).
func JobShop(jobs [][]model.Leg, ports int) (pieces []Piece, end int) {
	s := newLine(jobs, ports)
	for s.left > 0 {
		for m := range s.wait {
			s.serve(m)
		}
		for m, j := range s.job {
			if j < 0 {
				continue
			}
			pieces = s.note(pieces, m, j, end)
			s.move(j)
		}
		end++
	}
	return pieces, end
}

// line is the state of JobShop.
type line struct {
	jobs [][]model.Leg // what is left of each job
	done []int32       // hops made of the first leg
	hops []int         // hops to go
	wait []queue       // jobs that wait for each port
	job  []int         // what each port serves in this slot, or -1
	last []int         // the last piece of each port, or -1
	left int           // hops to go of all jobs
}

// queue holds jobs by the hops that they have to go.
type queue struct {
	byHops [][]int
	most   int // no job has more hops to go
}

func newLine(jobs [][]model.Leg, ports int) *line {
	s := &line{jobs: make([][]model.Leg, len(jobs)), done: make([]int32, len(jobs)), hops: make([]int, len(jobs)),
		wait: make([]queue, ports), job: make([]int, ports), last: make([]int, ports)}
	for m := range s.last {
		s.last[m] = -1
	}
	copy(s.jobs, jobs)
	// Jobs go in backwards, because the last one in is the first one served.
	for j := len(jobs) - 1; j >= 0; j-- {
		for _, l := range jobs[j] {
			s.hops[j] += int(l.Hops)
		}
		s.left += s.hops[j]
		s.enqueue(j)
	}
	return s
}

// enqueue lets a job wait for the port of its next hop.
func (s *line) enqueue(j int) {
	if s.hops[j] == 0 {
		return
	}
	q := &s.wait[s.jobs[j][0].Port]
	for len(q.byHops) <= s.hops[j] {
		q.byHops = append(q.byHops, nil)
	}
	q.byHops[s.hops[j]] = append(q.byHops[s.hops[j]], j)
	q.most = max(q.most, s.hops[j])
}

// serve takes the next job of a port.
func (s *line) serve(m int) {
	s.job[m] = -1
	q := &s.wait[m]
	for ; q.most > 0; q.most-- {
		if list := q.byHops[q.most]; len(list) > 0 {
			s.job[m] = list[len(list)-1]
			q.byHops[q.most] = list[:len(list)-1]
			return
		}
	}
}

// move makes a hop of a job.
func (s *line) move(j int) {
	s.left--
	s.hops[j]--
	if s.done[j]++; s.done[j] == s.jobs[j][0].Hops {
		s.jobs[j], s.done[j] = s.jobs[j][1:], 0
	}
	s.enqueue(j)
}

// note adds a piece of one slot, or extends the last piece of its port.
func (s *line) note(pieces []Piece, m, j, slot int) []Piece {
	if i := s.last[m]; i >= 0 && pieces[i].Job == j && pieces[i].Start+pieces[i].Length == slot {
		pieces[i].Length++
		return pieces
	}
	s.last[m] = len(pieces)
	return append(pieces, Piece{Machine: m, Job: j, Start: slot, Length: 1})
}
