package replay

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Failure says that circuits, a port, a GPU or a switch stop working at some time for good.
type Failure struct {
	At units.Duration // since the start of the plan
	// GPU says that node From fails with all of its circuits. Otherwise all circuits from From to
	// To fail. Both hold now and in later stages.
	GPU      bool
	From, To int
	OneWay   bool // the circuits from To to From do not fail
	// OnePort says that a port of node From fails, with the circuits that the plan's wiring puts
	// on it in every stage (package fabric/ports). Port is its number from 0, or LastPort.
	OnePort bool
	Port    int
	// Switch says that the optical switch From fails with all circuits through it. It is only for
	// iterations, whose plans say which ports are in use when.
	Switch bool
}

// LastPort is the port with the highest number, the one that planning around a failed port
// leaves out.
const LastPort = -1

const failureSyntax = "use link:U-V@TIME, link:U>V@TIME for one direction, gpu:U@TIME, port:U@TIME for a GPU's last port, port:U.P@TIME or switch:S@TIME, e.g. link:3-4@10us; without @TIME it is from the start"

// ParseFailure reads "link:3-4@10us", "link:3>4@10us" (one direction; also "3->4"),
// "gpu:5@10us", "port:7@10us" (the last port of GPU 7), "port:7.0@10us" (its port 0, also
// "port:7/0@10us") or "switch:1@10us". Without a time, the failure is there from the start.
func ParseFailure(text string) (Failure, error) {
	what, time, timed := strings.Cut(text, "@")
	kind, where, named := strings.Cut(what, ":")
	bad := fmt.Errorf("%q: %s", text, failureSyntax)
	if !named {
		return Failure{}, bad
	}
	f := Failure{GPU: kind == "gpu", Switch: kind == "switch"}
	var err error
	if !timed {
		f.At = 0
	} else if f.At, err = units.ParseDuration(time); err != nil {
		return Failure{}, fmt.Errorf("%q: %w; %s", text, err, failureSyntax)
	}
	to := where
	switch kind {
	case "gpu", "switch":
	case "port":
		f.OnePort, f.Port = true, LastPort
		if gpu, port, one := strings.Cut(strings.Replace(where, "/", ".", 1), "."); one {
			if f.Port, err = parseNode(port); err != nil {
				return Failure{}, bad
			}
			where, to = gpu, gpu
		}
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
	if err != nil || !f.GPU && !f.OnePort && !f.Switch && f.From == f.To {
		return Failure{}, bad
	}
	return f, nil
}

// parseNode reads the number of a node, which can be written in only one way.
func parseNode(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || strconv.Itoa(n) != text {
		return 0, fmt.Errorf("%q is not a node", text)
	}
	return n, nil
}

// String writes the failure as ParseFailure reads it.
func (f Failure) String() string { return fmt.Sprintf("%s@%v", f.Part(), f.At) }

// Part writes what fails, without the time, as plans avoid it (fabric.ParseFailures).
func (f Failure) Part() string {
	switch {
	case f.GPU:
		return fmt.Sprintf("gpu:%d", f.From)
	case f.Switch:
		return fmt.Sprintf("switch:%d", f.From)
	case f.OnePort && f.Port == LastPort:
		return fmt.Sprintf("port:%d", f.From)
	case f.OnePort:
		return fmt.Sprintf("port:%d.%d", f.From, f.Port)
	case f.OneWay:
		return fmt.Sprintf("link:%d>%d", f.From, f.To)
	}
	return fmt.Sprintf("link:%d-%d", f.From, f.To)
}

// MarshalText writes the failure as String does.
func (f Failure) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads it as ParseFailure does.
func (f *Failure) UnmarshalText(text []byte) error {
	return units.Read(f, ParseFailure, string(text))
}

// Check reports a node that does not exist. Only a fabric knows its switches, so they are not
// checked here.
func (f Failure) Check(nodes int) error {
	if f.Switch {
		return nil
	}
	if most := max(f.From, f.To); most >= nodes || min(f.From, f.To) < 0 {
		return fmt.Errorf("%v: there is no node %d; nodes are 0 to %d", f, most, nodes-1)
	}
	return nil
}

// CheckCircuits reports a link that none of the graphs has. For a link that fails both ways,
// circuits in one direction are enough.
func (f Failure) CheckCircuits(graphs iter.Seq[*topology.Graph]) error {
	if f.Switch {
		return fmt.Errorf("%v: a plan has no times of switches; name the ports of GPUs that it has", f)
	}
	if f.GPU || f.OnePort {
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

// hits reports whether a circuit fails, and how long before the failure a packet must have left
// it: a packet on its way to a GPU that fails, or to a port of it, is lost too.
func (f *Failure) hits(t *sim.Transmission, delay units.Duration, ports *portCircuits) (early units.Duration, hit bool) {
	switch u, v := t.From, t.To; {
	case f.GPU && v == f.From:
		return delay, true
	case f.GPU:
		return 0, u == f.From
	case f.OnePort && v == f.From:
		return delay, ports.has(t)
	case f.OnePort:
		return 0, u == f.From && ports.has(t)
	default:
		return 0, u == f.From && v == f.To || !f.OneWay && u == f.To && v == f.From
	}
}
