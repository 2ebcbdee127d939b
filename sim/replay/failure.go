package replay

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Failure is circuits or a GPU that stop working at some time and stay so.
type Failure struct {
	At units.Duration // since the start of the plan
	// GPU says that node From fails, with all of its circuits, now and in later stages.
	// Otherwise all circuits from From to To do, now and in later stages that have them.
	GPU      bool
	From, To int
	OneWay   bool // the circuits from To to From do not fail
}

const failureSyntax = "use link:U-V@TIME, link:U>V@TIME for one direction or gpu:U@TIME, e.g. link:3-4@10us"

// ParseFailure reads "link:3-4@10us", "link:3>4@10us" (one direction; also "3->4") or
// "gpu:5@10us".
func ParseFailure(text string) (Failure, error) {
	what, time, timed := strings.Cut(text, "@")
	kind, where, named := strings.Cut(what, ":")
	bad := fmt.Errorf("%q: %s", text, failureSyntax)
	if !timed || !named {
		return Failure{}, bad
	}
	f := Failure{GPU: kind == "gpu"}
	var err error
	if f.At, err = units.ParseDuration(time); err != nil {
		return Failure{}, fmt.Errorf("%q: %w; %s", text, err, failureSyntax)
	}
	to := where
	switch kind {
	case "gpu":
	case "link":
		var two, one bool
		if before, after, found := strings.Cut(where, ">"); found {
			where, to, one = strings.TrimSuffix(before, "-"), after, true // also "->"
		} else {
			where, to, two = strings.Cut(where, "-")
		}
		if f.OneWay = one; !one && !two {
			return Failure{}, bad
		}
	default:
		return Failure{}, bad
	}
	if f.From, err = parseNode(where); err == nil {
		f.To, err = parseNode(to)
	}
	if err != nil || !f.GPU && f.From == f.To {
		return Failure{}, bad
	}
	return f, nil
}

// parseNode reads the number of a node; it has one form only.
func parseNode(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || strconv.Itoa(n) != text {
		return 0, fmt.Errorf("%q is not a node", text)
	}
	return n, nil
}

// String writes the failure as ParseFailure reads it.
func (f Failure) String() string {
	switch {
	case f.GPU:
		return fmt.Sprintf("gpu:%d@%v", f.From, f.At)
	case f.OneWay:
		return fmt.Sprintf("link:%d>%d@%v", f.From, f.To, f.At)
	}
	return fmt.Sprintf("link:%d-%d@%v", f.From, f.To, f.At)
}

// MarshalText writes the failure as String does.
func (f Failure) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads it as ParseFailure does.
func (f *Failure) UnmarshalText(text []byte) error {
	parsed, err := ParseFailure(string(text))
	if err == nil {
		*f = parsed
	}
	return err
}

// Check reports a node that is not there.
func (f Failure) Check(nodes int) error {
	if most := max(f.From, f.To); most >= nodes || min(f.From, f.To) < 0 {
		return fmt.Errorf("%v: there is no node %d; nodes are 0 to %d", f, most, nodes-1)
	}
	return nil
}

// CheckCircuits reports a link that none of the graphs has. For a link that fails both ways,
// circuits in one direction are enough.
func (f Failure) CheckCircuits(graphs iter.Seq[*topology.Graph]) error {
	if f.GPU {
		return nil
	}
	for g := range graphs {
		if g.Count(f.From, f.To) > 0 || !f.OneWay && g.Count(f.To, f.From) > 0 {
			return nil
		}
	}
	if f.OneWay {
		return fmt.Errorf("%v: there is never a circuit from %d to %d", f, f.From, f.To)
	}
	return fmt.Errorf("%v: there is never a circuit between %d and %d", f, f.From, f.To)
}

// hits reports whether circuits from u to v fail, and by how much before the failure a
// packet must have left: what is on its way to a GPU that fails is lost too.
func (f *Failure) hits(u, v int, delay units.Duration) (early units.Duration, hit bool) {
	switch {
	case f.GPU && v == f.From:
		return delay, true
	case f.GPU:
		return 0, u == f.From
	}
	return 0, u == f.From && v == f.To || !f.OneWay && u == f.To && v == f.From
}
