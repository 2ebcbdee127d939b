package iteration

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
)

// Program is what is to be done in an iteration.
type Program struct {
	Classes []Class
	// Places are, by kind, the class of each place of its groups; nil if groups differ.
	Places map[string][]int
	Groups map[string][][]int // by kind, those of more than one rank
	Works  []Work
	Jobs   []Job // each after those that it waits for

	after [][]int // followers, once asked for
}

// followers lists, by job, the jobs that wait for it.
func (p *Program) followers() [][]int {
	if p.after == nil {
		p.after = make([][]int, len(p.Jobs))
		for j := range p.Jobs {
			for _, before := range p.Jobs[j].After {
				p.after[before] = append(p.after[before], j)
			}
		}
	}
	return p.after
}

// Class is ranks that act alike.
type Class struct {
	Name  string
	Ranks []int // ascending
}

// Work is what jobs that communicate alike have in common: they differ in when.
type Work struct {
	Kind    string // of group
	Like    string // the first kind of the same groups: they use the same circuits
	Op      collective.Op
	Size    units.Bytes
	Skew    string // of an all-to-all: see workload.Demand
	Classes []int  // whose ranks take part: of a send the sender's and then the receiver's
	// Groups are the groups that do it at the same time, each in its own order; a send has the
	// sender and the receiver of every pair.
	Groups [][]int
}

// IsSend reports whether the work is from one rank to another.
func (w *Work) IsSend() bool { return w.Op == "" }

// String says what the work is.
func (w *Work) String() string {
	if w.IsSend() {
		return fmt.Sprintf("%s send of %v", w.Kind, w.Size)
	}
	return fmt.Sprintf("%s %s of %v", w.Kind, w.Op, w.Size)
}

// Job is one computation or communication of classes.
type Job struct {
	ID      string
	Class   int        // that computes, waits or sends; of a collective the first of its classes
	Compute units.Time // 0: it only waits, or communicates
	Work    int        // what it communicates; Computes: nothing
	After   []int      // jobs that have to have ended
}

// Computes is the Work of jobs that do not communicate.
const Computes = -1

// chain returns the length of the longest chain of jobs if each takes a time, and for every job
// that of the longest chain that begins with it.
func (p *Program) chain(time func(j int) units.Time) (units.Time, []units.Time) {
	tails := make([]units.Time, len(p.Jobs))
	longest := units.Time(0)
	for j := len(p.Jobs) - 1; j >= 0; j-- {
		tails[j] += time(j)
		longest = max(longest, tails[j])
		for _, before := range p.Jobs[j].After {
			tails[before] = max(tails[before], tails[j])
		}
	}
	return longest, tails
}

// ComputeTime is the length of the longest chain of computations alone.
func (p *Program) ComputeTime() units.Time {
	longest, _ := p.chain(func(j int) units.Time { return p.Jobs[j].Compute })
	return longest
}

// inOrder lists works as their jobs come, each as often as they do; once if these are many.
func (p *Program) inOrder(works []int) []int {
	var list []int
	for j := range p.Jobs {
		if slices.Contains(works, p.Jobs[j].Work) {
			list = append(list, p.Jobs[j].Work)
		}
	}
	if len(list) > mostWorks {
		return works
	}
	return list
}

// mostInSequence is the number of collectives up to which a program that has nothing else is
// planned as one sequence, too.
const mostInSequence = 12

// sequence lists the jobs, in an order in which they can be done, of a program that is nothing but
// several collectives of one kind: no computation, no send, no demand of its own. It is nil for
// others.
func (p *Program) sequence() []int {
	var jobs []int
	for j := range p.Jobs {
		job := &p.Jobs[j]
		if job.Work == Computes {
			if job.Compute > 0 {
				return nil
			}
			continue
		}
		jobs = append(jobs, j)
		first, w := &p.Works[p.Jobs[jobs[0]].Work], &p.Works[job.Work]
		if w.IsSend() || w.Skew != "" || w.Like != first.Like || !slices.Equal(w.Classes, first.Classes) || len(jobs) > mostInSequence {
			return nil
		}
	}
	if len(jobs) < 2 {
		return nil
	}
	return jobs
}
