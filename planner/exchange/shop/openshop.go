package shop

// Piece is a time during which a machine works on a job without a break.
type Piece struct {
	Machine, Job  int
	Start, Length int
}

// OpenShop puts the work of jobs on machines in order: work[j][m] units of job j on machine m,
// one job per machine and one machine per job at a time, in any order and with breaks. It
// returns the pieces in ascending order of start, and the time when all jobs are done: the
// largest sum of a machine or a job, which nothing can beat (Gonzalez and Sahni, Open Shop
// Scheduling to Minimize Finish Time, 1976).
//
// The remaining time is enough as long as every job and every machine that needs all of it is
// busy. Each machine gets an idle job of its own that fills it up, so that every machine needs
// all of the remaining time. An assignment of jobs to machines then holds until a piece of work
// is done or one more job needs all of the remaining time. That makes O(jobs x machines)
// assignments; each keeps what it can of the one before and takes O(jobs + machines^3).
func OpenShop(work [][]int32, machines int) (pieces []Piece, end int) {
	s := newShop(work, machines)
	end = s.left
	for s.left > 0 {
		s.assign()
		length := s.span()
		for m, j := range s.job {
			if j < len(work) {
				pieces = s.note(pieces, Piece{Machine: m, Job: j, Start: end - s.left, Length: length})
			}
		}
		s.pass(length)
	}
	return pieces, end
}

// shop is the state of OpenShop. Jobs after the given ones are the idle jobs, one for each
// machine.
type shop struct {
	work    [][]int32 // by job and machine
	rest    []int     // sum of each job
	todo    [][]int   // jobs with work left on each machine
	job     []int     // what each machine does, or -1
	machine []int     // which machine each job is on, or -1
	last    []int     // the last piece of each machine, or -1
	left    int       // time
	seen    []bool    // machines on the path that augment looks at
}

func newShop(work [][]int32, machines int) *shop {
	s := &shop{
		work: make([][]int32, len(work)+machines),
		rest: make([]int, len(work)+machines),
		todo: make([][]int, machines),
		job:  make([]int, machines),
		last: make([]int, machines),
		seen: make([]bool, machines),
	}
	s.machine = make([]int, len(s.work))
	for j := range s.machine {
		s.machine[j] = -1
	}
	loads := make([]int, machines)
	for j, row := range work {
		s.work[j] = append([]int32(nil), row...)
		for m, w := range row {
			if w > 0 {
				s.todo[m] = append(s.todo[m], j)
			}
			s.rest[j] += int(w)
			loads[m] += int(w)
		}
		s.left = max(s.left, s.rest[j])
	}
	for _, load := range loads {
		s.left = max(s.left, load)
	}
	for m, load := range loads {
		j := len(work) + m
		s.work[j] = make([]int32, machines)
		s.work[j][m] = int32(s.left - load)
		s.rest[j] = s.left - load
		if s.rest[j] > 0 {
			s.todo[m] = append(s.todo[m], j)
		}
		s.job[m], s.last[m] = -1, -1
	}
	return s
}

// assign gives every machine a job, among them all that need all of the time left.
func (s *shop) assign() {
	for j, rest := range s.rest {
		if rest == s.left && s.machine[j] < 0 {
			clear(s.seen)
			s.place(j)
		}
	}
	for m, j := range s.job {
		if j < 0 {
			clear(s.seen)
			s.fill(m)
		}
	}
}

// place finds a machine for an urgent job. Jobs that are not urgent give way, urgent
// ones move to another machine.
func (s *shop) place(j int) bool {
	for m, w := range s.work[j] {
		if w == 0 || s.seen[m] {
			continue
		}
		s.seen[m] = true
		other := s.job[m]
		if other >= 0 && s.rest[other] == s.left && !s.place(other) {
			continue
		}
		if other >= 0 && s.machine[other] == m {
			s.machine[other] = -1
		}
		s.job[m], s.machine[j] = j, m
		return true
	}
	return false
}

// fill finds a job for a machine. It takes a job of another machine if that machine finds
// another one.
func (s *shop) fill(m int) bool {
	s.seen[m] = true
	for _, j := range s.todo[m] {
		other := s.machine[j]
		if other >= 0 && (s.seen[other] || !s.fill(other)) {
			continue
		}
		s.job[m], s.machine[j] = j, m
		return true
	}
	return false
}

// span returns how long the assignment can hold.
func (s *shop) span() int {
	span := s.left
	for m, j := range s.job {
		span = min(span, int(s.work[j][m]))
	}
	for j, rest := range s.rest {
		if s.machine[j] < 0 {
			span = min(span, s.left-rest)
		}
	}
	return span
}

// pass lets time pass.
func (s *shop) pass(length int) {
	s.left -= length
	for m, j := range s.job {
		s.work[j][m] -= int32(length)
		s.rest[j] -= length
		if s.work[j][m] == 0 {
			s.drop(m, j)
			s.job[m], s.machine[j] = -1, -1
		}
	}
}

// drop removes a job from what a machine has to do.
func (s *shop) drop(m, j int) {
	for i, other := range s.todo[m] {
		if other == j {
			s.todo[m] = append(s.todo[m][:i], s.todo[m][i+1:]...)
			return
		}
	}
}

// note adds a piece, or extends the last piece of its machine.
func (s *shop) note(pieces []Piece, p Piece) []Piece {
	if i := s.last[p.Machine]; i >= 0 && pieces[i].Job == p.Job && pieces[i].Start+pieces[i].Length == p.Start {
		pieces[i].Length += p.Length
		return pieces
	}
	s.last[p.Machine] = len(pieces)
	return append(pieces, p)
}
