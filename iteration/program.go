package iteration

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
)

// Program is what an iteration has to do.
type Program struct {
	Classes []Class
	// Places has, by kind, the class of each place of its groups; nil if groups differ.
	Places map[string][]int
	Groups map[string][][]int // by kind, those with more than one rank
	Works  []Work
	Jobs   []Job // each after those it waits for

	after [][]int // followers, once computed
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

// Class is a set of ranks that behave identically.
type Class struct {
	Name  string
	Ranks []int // ascending
}

// Work is what jobs with the same communication have in common; they differ in time.
type Work struct {
	Kind    string // of group
	Like    string // the first kind with the same groups, whose circuits they share
	Op      collective.Op
	Size    units.Bytes
	Skew    string // of an all-to-all: see workload.Demand
	Classes []int  // whose ranks take part; for a send the sender's, then the receiver's
	// Groups are the groups that do it at the same time, each in its own order; for a send they
	// are the pairs of sender and receiver.
	Groups [][]int
}

// IsSend reports whether the work is a send from one rank to another.
func (w *Work) IsSend() bool { return w.Op == "" }

// String describes the work.
func (w *Work) String() string {
	if w.IsSend() {
		return fmt.Sprintf("%s send of %v", w.Kind, w.Size)
	}
	return fmt.Sprintf("%s %s of %v", w.Kind, w.Op, w.Size)
}

// Job is one computation or communication of classes.
type Job struct {
	ID      string
	Class   int        // that computes, waits or sends; for a collective the first of its classes
	Compute units.Time // 0: it only waits, or communicates
	Work    int        // its communication, or Computes
	After   []int      // jobs that must have ended
}

// Computes is the Work of jobs that do not communicate.
const Computes = -1

// chain returns the length of the longest chain of jobs, given their times, and for every job
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

// ComputeTime returns the length of the longest chain of only computations.
func (p *Program) ComputeTime() units.Time {
	longest, _ := p.chain(func(j int) units.Time { return p.Jobs[j].Compute })
	return longest
}

// inOrder lists works in the order of their jobs, each as often as it occurs, or only once if
// there are many.
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

// mostInSequence is the largest number of collectives for which a program with nothing else is
// also planned as one sequence.
const mostInSequence = 12

// sequence lists the jobs, in a valid order, of a program that consists only of several
// collectives of one kind: no computation, no send, no individual demand. It returns nil for
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
