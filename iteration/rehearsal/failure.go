package rehearsal

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// Stall says what a failure blocks: operations that need what has failed do not end, nor do
// those that wait for them.
type Stall struct {
	First string // the first operation that does not end; "": none is affected
	Rank  int    // rank of that operation
	Last  units.Time
	// Unfinished is the number of unfinished operations of all ranks, out of Of.
	Unfinished, Of int
	// Recovery says how the iteration continues with another plan; nil: it does not.
	Recovery *Recovery
}

// failing is a failure during simulated iterations.
type failing struct {
	replay.Failure
	stall Stall
	at    units.Time // when the first operation stalls
	log   []happened // items done in the last iteration
}

// happened says when a group did an item.
type happened struct {
	round, item int
	group       []int
	start, end  units.Time
	skipped     bool // done before; only its circuits change
}

var never = units.Time(math.Inf(1))

// hit reports whether an item of a group needs what fails, at a time after the failure.
func (p *player) hit(x *iteration.Item, group []int, end units.Time, round int) bool {
	f := p.failure
	if f == nil || round != p.options.Iterations-1 || end <= p.begins[round]+f.At.Time() {
		return false
	}
	switch {
	case f.GPU:
		return slices.Contains(group, f.From)
	case f.Switch:
		return p.through(x, group, f.From)
	case f.OnePort:
		port := f.Port
		if port == replay.LastPort {
			port = p.Fabric.Ports - 1
		}
		return slices.Contains(group, f.From) && slices.ContainsFunc(x.Lanes, func(l iteration.DocumentLane) bool {
			return l[0] == p.classOf[f.From] && l[2] == port
		})
	}
	return p.Joins(x, group, f.From, f.To) || !f.OneWay && p.Joins(x, group, f.To, f.From)
}

// through reports whether an item of a group uses ports on a switch.
func (p *player) through(x *iteration.Item, group []int, number int) bool {
	plugged := p.Fabric.Plugging()
	return slices.ContainsFunc(x.Lanes, func(l iteration.DocumentLane) bool {
		return slices.ContainsFunc(group, func(rank int) bool {
			return p.classOf[rank] == l[0] && (plugged == nil || plugged.Switch(rank, l[2]) == number)
		})
	})
}

// lose records that an item does not end for a group.
func (p *player) lose(x *iteration.Item, group []int, start units.Time) {
	f := p.failure
	if x.Change != nil {
		return
	}
	f.stall.Unfinished += len(group)
	if f.stall.First == "" || start < f.at {
		f.stall.First, f.stall.Rank, f.at = x.Op.ID, group[0], start
		if !f.Switch && slices.Contains(group, f.From) {
			f.stall.Rank = f.From
		}
	}
}
