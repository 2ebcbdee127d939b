package harvest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/units"
)

// Given is what the caller knows beyond what a schedule contains.
type Given struct {
	// Fabric is the machine; nil stands for Schedule.Machine.
	Fabric *fabric.Fabric
	// Operation says what the circuits are for, with its algorithm and its size. Fields that it
	// leaves out come from the schedule's collective or are the defaults; if it is nil, all of
	// them do.
	Operation *collective.Operation
	// Pattern replaces an operation.
	Pattern *collective.Sized
}

// Lifted is a schedule as a plan.
type Lifted struct {
	Schedule *Schedule
	Plan     *plan.Plan
	// Assumed lists what the schedule does not contain and the caller did not give.
	Assumed []string
}

// Machine is the default fabric with the nodes, the ports and the delay of the schedule. It has
// only as many nodes and ports as the circuits need: others would be idle.
func (s *Schedule) Machine() fabric.Fabric {
	f := fabric.Default()
	f.Nodes, f.Ports = s.Size()
	f.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: units.Duration(math.Round(min(s.AlphaR, maxAlphaR) * float64(units.Nanosecond)))}
	return f
}

// maxAlphaR, an hour in ns, is far above the delay of any switch and far below overflow.
const maxAlphaR = 3600e9

// authors are the names that HARVEST's authors use in their published schedules
// (STyGIANet/astra-sim-dev, acad/reconfigurable-topologies). Their Swing uses two ports and one
// peer in a step.
var authors = map[string]collective.Operation{
	"all-reduce-rd-nd":    {Op: collective.AllReduce, Algorithm: "recursive-doubling"},
	"all-reduce-swing-nd": {Op: collective.AllReduce, Algorithm: "swing:peers=1"},
	"all-to-all-nd":       {Op: collective.AllToAll, Algorithm: "shift"},
}

// Operation parses the schedule's collective: OP-ALGORITHM as Of writes it, or one of the
// authors' names.
func (s *Schedule) Operation() (collective.Operation, error) {
	if o, known := authors[s.Collective]; known {
		return o, nil
	}
	name, algorithm, _ := strings.Cut(s.Collective, "-")
	op, err := collective.ParseOp(name)
	if err != nil || algorithm == "" {
		return collective.Operation{}, fmt.Errorf("collective: %q is not OP-ALGORITHM, such as allreduce-swing, nor a name of HARVEST's authors, such as all-reduce-rd-nd", s.Collective)
	}
	return collective.Operation{Op: op, Algorithm: algorithm}, nil
}

// Lift makes a plan of a schedule and of the given information that it lacks.
func (s *Schedule) Lift(ctx context.Context, given Given) (*Lifted, error) {
	l := &Lifted{Schedule: s}
	f := s.Machine()
	if given.Fabric != nil {
		f = *given.Fabric
	} else {
		l.Assumed = append(l.Assumed, fmt.Sprintf("%v a port, alpha %v, delta %v, %s, %s routing, the first circuits free", f.Bandwidth, f.Alpha, f.Delta, f.Forwarding, f.Routing))
	}
	if err := f.Validate(); err != nil {
		return nil, err
	}
	if nodes, ports := s.Size(); nodes > f.Nodes || ports > f.Ports {
		return nil, fmt.Errorf("the circuits need %d nodes with %d ports, and the fabric has %d with %d", nodes, ports, f.Nodes, f.Ports)
	}
	laid, err := l.lay(f, given)
	if err != nil {
		return nil, err
	}
	l.Plan, err = s.Plan(ctx, laid, f)
	return l, err
}

// lay returns the steps that the schedule has circuits for.
func (l *Lifted) lay(f fabric.Fabric, given Given) (collective.Sized, error) {
	if given.Pattern != nil {
		return *given.Pattern, nil
	}
	var o collective.Operation
	if given.Operation != nil {
		o = *given.Operation
	}
	if o.Algorithm == "" || o.Algorithm == collective.Auto {
		named, err := l.Schedule.Operation()
		if err != nil {
			return collective.Sized{}, err
		}
		if o.Op != "" && o.Op != named.Op {
			return collective.Sized{}, fmt.Errorf("collective: the schedule is of %s, not %s; an algorithm for %s must be given", named.Op, o.Op, o.Op)
		}
		o.Op, o.Algorithm = named.Op, named.Algorithm
	}
	if o.Size == 0 {
		l.Assumed = append(l.Assumed, fmt.Sprintf("a size of %v", collective.DefaultSize))
	}
	if err := o.Complete(f.Nodes); err != nil {
		return collective.Sized{}, err
	}
	c, err := algorithms.New(o.Op, o.Algorithm, f.Nodes, f.Ports)
	if err != nil {
		return collective.Sized{}, fmt.Errorf("a schedule holds only circuits, and the steps of %q are not known without the plan: %w", o.Algorithm, err)
	}
	return collective.Sized{Collective: c, Size: o.Size}, nil
}

// claimTolerance is how far a schedule's cost may be from the plan's, relative to it: the
// published costs are within 5e-5 of ours, and one step more or less makes a far larger
// difference.
const claimTolerance = 1e-4

// Check compares the time and the reconfigurations that the schedule states with the plan's.
// They cannot be checked if part of the plan was assumed.
func (l *Lifted) Check() verify.Check {
	s, p := l.Schedule, l.Plan
	c := verify.Check{Name: "schedule"}
	stated, took := units.Time(s.Cost), p.Cost.Total()
	far := math.Abs(float64(stated-took)) > claimTolerance*float64(max(stated, took))
	switch {
	case s.Reconfigs != p.Reconfigurations:
		c.Detail = fmt.Sprintf("num_of_reconfigs: the schedule states %d, its circuits change %d times", s.Reconfigs, p.Reconfigurations)
	case far && len(l.Assumed) > 0:
		c.Unchecked = true
		c.Detail = fmt.Sprintf("cost: the schedule states %v, with %s its plan takes %v", stated, strings.Join(l.Assumed, " and "), took)
	case far:
		c.Detail = fmt.Sprintf("cost: the schedule states %v, its plan takes %v", stated, took)
	default:
		c.OK = true
		c.Detail = fmt.Sprintf("%v and %s as the schedule states", took, cmp.Or(changes(s.Reconfigs), "no change"))
	}
	return c
}

// changes writes a number of reconfigurations in words; "" for none.
func changes(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 change"
	}
	return fmt.Sprintf("%d changes", n)
}
