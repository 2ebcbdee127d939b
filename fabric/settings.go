package fabric

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/units"
)

// Setting is one property of a fabric that a flag, a YAML key or a preset sets.
type Setting struct {
	Name  string
	Value string // what a value looks like
	About string
	Set   func(f *Fabric, value string) error
	Get   func(f *Fabric) string
	Label string // what the axis of a picture calls it; "": it is not a number
	// Phrase says the value in a description of a fabric: "2 ports", "barrier 4us". It is "" if
	// the value is the usual one and goes without saying.
	Phrase func(f *Fabric) string
}

// Phrases describes a fabric by some of its settings, in the given order.
func (f *Fabric) Phrases(names ...string) []string {
	var said []string
	for _, name := range names {
		for i := range settings {
			if s := &settings[i]; s.Name == name && s.Phrase != nil {
				if phrase := s.Phrase(f); phrase != "" {
					said = append(said, phrase)
				}
			}
		}
	}
	return said
}

// Label returns what the axis of a picture calls a setting; "" for names of something else.
func Label(name string) string {
	for i := range settings {
		if settings[i].Name == name {
			return settings[i].Label
		}
	}
	return ""
}

// unless returns a phrase, or "" if the value that it says is the usual one.
func unless(usual bool, format string, value any) string {
	if usual {
		return ""
	}
	return fmt.Sprintf(format, value)
}

// Settings lists every property, in the order of their documentation. It is the only place that
// names them: flags, YAML files, presets, descriptions and pictures all use it.
func Settings() []Setting { return settings }

var settings = []Setting{
	{
		Name: "nodes", Value: "N", About: "number of GPUs",
		Set:    func(f *Fabric, v string) (err error) { f.Nodes, err = parseCount(v, MinNodes, MaxNodes); return },
		Get:    func(f *Fabric) string { return strconv.Itoa(f.Nodes) },
		Label:  "GPUs",
		Phrase: func(f *Fabric) string { return units.Count(f.Nodes, "GPU") },
	},
	{
		Name: "ports", Value: "D", About: "ports per GPU",
		Set:    func(f *Fabric, v string) (err error) { f.Ports, err = parseCount(v, 1, MaxPorts); return },
		Get:    func(f *Fabric) string { return strconv.Itoa(f.Ports) },
		Label:  "ports per GPU",
		Phrase: func(f *Fabric) string { return units.Count(f.Ports, "port") },
	},
	{
		Name: "bandwidth", Value: "RATE", About: "rate per port and direction, e.g. 800Gbps",
		Set: func(f *Fabric, v string) (err error) {
			if f.Bandwidth, err = units.ParseBandwidth(v); err == nil && f.Bandwidth == 0 {
				err = fmt.Errorf("must be above 0")
			}
			return
		},
		Get:    func(f *Fabric) string { return f.Bandwidth.String() },
		Label:  "bandwidth per port",
		Phrase: func(f *Fabric) string { return fmt.Sprintf("%v per port", f.Bandwidth) },
	},
	{
		Name: "alpha", Value: "TIME", About: "start-up latency per step, e.g. 500ns",
		Set:    func(f *Fabric, v string) (err error) { f.Alpha, err = units.ParseDuration(v); return },
		Get:    func(f *Fabric) string { return f.Alpha.String() },
		Label:  "start-up per step",
		Phrase: func(f *Fabric) string { return fmt.Sprintf("alpha %v", f.Alpha) },
	},
	{
		Name: "delta", Value: "TIME", About: "propagation delay per hop, e.g. 500ns",
		Set:    func(f *Fabric, v string) (err error) { f.Delta, err = units.ParseDuration(v); return },
		Get:    func(f *Fabric) string { return f.Delta.String() },
		Label:  "delay per hop",
		Phrase: func(f *Fabric) string { return fmt.Sprintf("delta %v", f.Delta) },
	},
	{
		Name: "gamma", Value: "TIME/SIZE", About: "time to reduce received data, e.g. 400us/GiB",
		Set:    func(f *Fabric, v string) (err error) { f.Gamma, err = ParseGamma(v); return },
		Get:    func(f *Fabric) string { return f.Gamma.String() },
		Phrase: func(f *Fabric) string { return unless(f.Gamma == (Gamma{}), "gamma %v", f.Gamma) },
	},
	{
		Name: "reconfig", Value: "DELAY", About: "reconfiguration delay: " + strings.Join(delaySyntax(delayModels()), " | "),
		Set:    func(f *Fabric, v string) (err error) { f.Reconfig, err = ParseReconfig(v, f.known.Models...); return },
		Get:    func(f *Fabric) string { return f.Reconfig.String() },
		Label:  "reconfiguration delay",
		Phrase: func(f *Fabric) string { return fmt.Sprintf("reconfiguration %v", f.Reconfig) },
	},
	{
		Name: "charge", Value: "WHAT", About: "what pays the reconfiguration delay: changes (of circuits) | steps (every step not on the base, and the first back on it: Eq. 7 of Light Bends if the fabric starts on the base)",
		Set:    func(f *Fabric, v string) (err error) { f.Charge, err = ParseCharge(v); return },
		Get:    func(f *Fabric) string { return f.Charge.String() },
		Phrase: func(f *Fabric) string { return unless(f.Charge == ChargeChanges, "charge %s", f.Charge) },
	},
	{
		Name: "sync", Value: "TIME", About: "barrier of all GPUs at every reconfiguration, e.g. 4us",
		Set:    func(f *Fabric, v string) (err error) { f.Sync, err = units.ParseDuration(v); return },
		Get:    func(f *Fabric) string { return f.Sync.String() },
		Label:  "barrier per change",
		Phrase: func(f *Fabric) string { return unless(f.Sync == 0, "barrier %v", f.Sync) },
	},
	{
		Name: "overlap", Value: "WHAT", About: "what continues during a reconfiguration: none | compute:TIME | ports | circuits | planes",
		Set:    func(f *Fabric, v string) (err error) { f.Overlap, err = ParseOverlap(v); return },
		Get:    func(f *Fabric) string { return f.Overlap.String() },
		Phrase: func(f *Fabric) string { return unless(f.Overlap.Kind == OverlapNone, "overlap %v", f.Overlap) },
	},
	{
		Name: "duplex", Value: "", About: "circuits are two-way",
		Set: func(f *Fabric, v string) error {
			duplex, err := oneOf(v, "true", "false")
			f.Duplex = duplex == "true"
			return err
		},
		Get:    func(f *Fabric) string { return strconv.FormatBool(f.Duplex) },
		Phrase: func(f *Fabric) string { return unless(!f.Duplex, "%s", "duplex") },
	},
	{
		Name: "forwarding", Value: "HOW", About: "how GPUs forward: cut-through | store-and-forward",
		Set: func(f *Fabric, v string) (err error) {
			f.Forwarding, err = oneOf(v, CutThrough, StoreAndForward)
			return
		},
		Get:    func(f *Fabric) string { return string(f.Forwarding) },
		Phrase: func(f *Fabric) string { return unless(f.Forwarding == CutThrough, "%s", string(f.Forwarding)) },
	},
	{
		Name: "initial", Value: "STATE", About: "circuits before the first step: free | dark | base | TOPOLOGY",
		Set: func(f *Fabric, v string) (err error) {
			if v != InitialFree && v != InitialDark && v != InitialBase {
				if _, err = f.known.Families.ParseExpr(v); err != nil {
					return fmt.Errorf("%w (or free, dark, base)", err)
				}
			}
			f.Initial = v
			return nil
		},
		Get:    func(f *Fabric) string { return f.Initial },
		Phrase: func(f *Fabric) string { return unless(f.Initial == InitialFree, "initially %s", f.Initial) },
	},
	{
		Name: "routing", Value: "POLICY", About: "routes of a step: optimal | shortest | shortest-split",
		Set: func(f *Fabric, v string) (err error) { f.Routing, err = flow.ParsePolicy(v); return },
		Get: func(f *Fabric) string { return string(f.Routing) },
	},
	{
		Name: "base", Value: "TOPOLOGY", About: "base topology: static plans stay on it, others start from it or return to it (default: by ports)",
		Set: func(f *Fabric, v string) error {
			if _, err := f.known.Families.ParseExpr(v); err != nil {
				return err
			}
			f.Base = v
			return nil
		},
		Get:    func(f *Fabric) string { return f.Base },
		Phrase: func(f *Fabric) string { return unless(f.Base == "", "base %s", f.Base) },
	},
	{
		Name: "avoid", Value: "LIST", About: "failed parts to plan around, e.g. gpu:5,link:3-4,port:7,switch:2,island:3 (its electrical switch)",
		Set: func(f *Fabric, v string) error {
			failed, err := ParseFailures(v)
			f.Avoid = failed.And(f.Avoid.OnlyHeld())
			return err
		},
		Get:    func(f *Fabric) string { return cmp.Or(f.Avoid.String(), nothingAvoided) },
		Phrase: func(f *Fabric) string { return unless(f.Avoid.IsZero(), "%s", f.Avoid.About()) },
	},
	{
		Name: "held", Value: "LIST", About: "GPUs and ports that other jobs hold, e.g. 0-15,20.1 (port 1 of GPU 20), or @FILE (a CSV of gpu,port, or another job's plan)",
		Set: func(f *Fabric, v string) error {
			held, err := ParseHeld(v)
			f.Avoid = f.Avoid.WithoutHeld().And(held)
			return err
		},
		Get: func(f *Fabric) string { return cmp.Or(f.Avoid.Held(), nothingAvoided) },
	},
	{
		Name: "links", Value: "LIST", About: "base circuits with their own bandwidth or delay, e.g. 0>1:400Gbps+2us,2-3:+1us",
		Set: func(f *Fabric, v string) (err error) { f.Links, err = ParseLinks(v); return },
		Get: func(f *Fabric) string { return cmp.Or(f.Links.String(), noLinks) },
		Phrase: func(f *Fabric) string {
			c := f.Circuits()
			if c == nil {
				return ""
			}
			return units.Count(c.Len(), "link") + " of the base with its own bandwidth or delay"
		},
	},
	{
		Name: "island", Value: "G", About: "number of GPUs that share an electrical switch, e.g. 8; 1: no islands",
		Set: func(f *Fabric, v string) error {
			size, err := parseCount(v, 1, MaxNodes)
			if err != nil {
				return fmt.Errorf("%w; 1: no islands", err)
			}
			if size == 1 {
				f.Island = Island{}
				return nil
			}
			f.Island.Size = size
			return nil
		},
		Get:    func(f *Fabric) string { return strconv.Itoa(max(1, f.Island.Size)) },
		Phrase: func(f *Fabric) string { return unless(f.Island.IsZero(), "islands of %v", f.Island) },
	},
	{
		Name: "island-bandwidth", Value: "RATE", About: "rate at which a GPU sends and receives within its island, e.g. 7200Gbps",
		Set: func(f *Fabric, v string) (err error) {
			if f.Island.Bandwidth = 0; v != noIslandRate {
				f.Island.Bandwidth, err = units.ParsePositiveBandwidth(v)
			}
			return
		},
		Get: func(f *Fabric) string {
			if f.Island.Bandwidth == 0 {
				return noIslandRate
			}
			return f.Island.Bandwidth.String()
		},
	},
	{
		Name: "island-alpha", Value: "TIME", About: "start-up latency of a step that uses only islands",
		Set: func(f *Fabric, v string) error { return f.Island.Alpha.set(v, "alpha") },
		Get: func(f *Fabric) string { return f.Island.Alpha.text("alpha") },
	},
	{
		Name: "island-delta", Value: "TIME", About: "propagation delay of a hop within an island",
		Set: func(f *Fabric, v string) error { return f.Island.Delta.set(v, "delta") },
		Get: func(f *Fabric) string { return f.Island.Delta.text("delta") },
	},
	{
		Name: "fixed", Value: "TOPOLOGY", About: "links that are always up and use no port: none, or the topology of all GPUs or of every block of GPUs, e.g. Torus(8,8), Mesh(4,4,4) (also written cubes:4x4x4), @FILE.csv",
		Set: func(f *Fabric, v string) error {
			links, err := ParseFixed(v, f.known.Families)
			if f.Fixed.Links = links; links.IsZero() {
				f.Fixed = Fixed{}
			}
			return err
		},
		Get: func(f *Fabric) string { return f.Fixed.String() },
		Phrase: func(f *Fabric) string {
			return unless(f.Fixed.IsZero(), "fixed links %.60s", f.Fixed) + unless(f.Fixed.IsZero(), " at %v", f.FixedBandwidth())
		},
	},
	{
		Name: "fixed-bandwidth", Value: "RATE", About: "rate of a fixed link in each direction, e.g. 450Gbps",
		Set: func(f *Fabric, v string) (err error) {
			if f.Fixed.Bandwidth = 0; v != portRate {
				f.Fixed.Bandwidth, err = units.ParsePositiveBandwidth(v)
			}
			return
		},
		Get: func(f *Fabric) string {
			if f.Fixed.Bandwidth == 0 {
				return portRate
			}
			return f.Fixed.Bandwidth.String()
		},
	},
	{
		Name: "fixed-alpha", Value: "TIME", About: "start-up latency of a step that uses only fixed links",
		Set: func(f *Fabric, v string) error { return f.Fixed.Alpha.set(v, "alpha") },
		Get: func(f *Fabric) string { return f.Fixed.Alpha.text("alpha") },
	},
	{
		Name: "fixed-delta", Value: "TIME", About: "propagation delay of a fixed link",
		Set: func(f *Fabric, v string) error { return f.Fixed.Delta.set(v, "delta") },
		Get: func(f *Fabric) string { return f.Fixed.Delta.text("delta") },
	},
	{
		Name: "switches", Value: "LAYOUT", About: "which ports are on the same switch: ideal (all) | rails (port p of every GPU) | AxB..[:p,q,..] (one switch per port and line of a grid) | places:G[/K] (rails of islands of G, K places on a switch) | cut:AxB (a grid without its last points) | cubes:AxBxC | @FILE.csv (gpu,port,switch)",
		Set:    func(f *Fabric, v string) (err error) { f.Layout, err = layout.Parse(v); return },
		Get:    func(f *Fabric) string { return cmp.Or(f.Layout.String(), layout.Ideal) },
		Phrase: func(f *Fabric) string { return unless(f.Layout.IsZero(), "switches %s", f.Layout.Short()) },
	},
	{
		Name: "radix", Value: "R", About: "number of ports per switch",
		Set: func(f *Fabric, v string) (err error) {
			if v == anyRadix {
				f.Radix = 0
				return nil
			}
			f.Radix, err = parseCount(v, 1, maxRadix)
			return
		},
		Get: func(f *Fabric) string {
			if f.Radix == 0 {
				return anyRadix
			}
			return strconv.Itoa(f.Radix)
		},
	},
	{
		Name: "spares", Value: "K", About: "spare ports on every switch, to replace failed ones, e.g. 2; islands:1 (or gpus:1 without islands) keeps the last island (or GPU) as a spare",
		Set: func(f *Fabric, v string) error {
			spares, err := ParseSpares(v)
			if err == nil {
				f.Avoid = failuresOf(f.unplaced())
			}
			f.Spares = spares
			return err
		},
		Get: func(f *Fabric) string { return cmp.Or(f.Spares.text(!f.Island.IsZero()), noSpares) },
	},
	{
		Name: "theta", Value: "CAP", About: "cap on a step's throughput: ports (circuits to the same peer add up) | 1 (as in HARVEST's text)",
		Set: func(f *Fabric, v string) error {
			theta, err := oneOf(v, "ports", "1")
			f.CapTheta = theta == "1"
			return err
		},
		Get: func(f *Fabric) string {
			if f.CapTheta {
				return "1"
			}
			return "ports"
		},
		Phrase: func(f *Fabric) string { return unless(!f.CapTheta, "%s", "theta at most 1") },
	},
}

// portRate is the value of fixed-bandwidth for links as fast as a port.
const portRate = "bandwidth"

// noIslandRate is the value of island-bandwidth without islands.
const noIslandRate = "none"

// Set sets a property. On an error f is unchanged.
func (f *Fabric) Set(name, value string) error {
	for _, s := range settings {
		if s.Name != name {
			continue
		}
		changed := *f
		if err := s.Set(&changed, value); err != nil {
			return err
		}
		*f = changed
		return nil
	}
	return fmt.Errorf("unknown setting; use preset, %s", settingNames())
}

func settingNames() string {
	names := ""
	for i, s := range settings {
		if i > 0 {
			names += ", "
		}
		names += s.Name
	}
	return names
}

func parseCount(s string, least, most int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number in %d..%d", s, least, most)
	}
	return n, field.Range(n, least, most)
}
