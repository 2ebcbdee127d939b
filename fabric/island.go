package fabric

import (
	"fmt"

	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Island is an electrical switch that consecutive GPUs share, such as NVSwitch: GPUs g*Size up
// to g*Size+Size-1 are island g. Each of them always reaches any other in one hop: an island is
// never reconfigured and never dark. A GPU sends at most Bandwidth into it at a time and
// receives at most as much, in addition to its optical ports. The zero value is no islands.
type Island struct {
	Size      int // GPUs per island; 0: no islands
	Bandwidth units.Bandwidth
	Alpha     OwnTime // start-up of a step that uses no circuit; if not given, the fabric's Alpha
	Delta     OwnTime // propagation of a hop there; if not given, the fabric's Delta
}

// OwnTime is an optional time. The zero value is none.
type OwnTime struct {
	Time  units.Duration
	Given bool
}

// Own returns an OwnTime with a time.
func Own(time units.Duration) OwnTime { return OwnTime{time, true} }

// set reads a time, or the name of the setting that applies if none is given.
func (t *OwnTime) set(text, other string) error {
	if text == other {
		*t = OwnTime{}
		return nil
	}
	time, err := units.ParseDuration(text)
	*t = Own(time)
	return err
}

// text writes what set reads.
func (t OwnTime) text(other string) string {
	if t.Given {
		return t.Time.String()
	}
	return other
}

// or returns the time, or other if none is given.
func (t OwnTime) or(other units.Duration) units.Duration {
	if t.Given {
		return t.Time
	}
	return other
}

// IsZero reports whether there are no islands.
func (i Island) IsZero() bool { return i == Island{} }

// validate reports islands that are invalid for the given number of GPUs.
func (i Island) validate(nodes int) error {
	switch {
	case i.IsZero():
		return nil
	case i.Size == 0:
		return field.Errorf("island-"+i.settled(), "there are no islands; say in `island` how many GPUs share one, such as 8")
	case i.Size < 2 || i.Size > nodes:
		return field.In("island", field.Range(i.Size, 2, nodes))
	case nodes%i.Size != 0:
		return field.Errorf("island", "islands of %d do not divide %d GPUs", i.Size, nodes)
	case i.Bandwidth <= 0:
		return field.Errorf("island", "%d: also give `island_bandwidth`, the rate of a GPU within its island, such as 7200Gbps", i.Size)
	case i.Alpha.Time < 0:
		return field.Errorf("island-alpha", "must not be negative")
	case i.Delta.Time < 0:
		return field.Errorf("island-delta", "must not be negative")
	}
	return nil
}

// settled returns a setting of islands that is given without their size.
func (i Island) settled() string {
	switch {
	case i.Bandwidth != 0:
		return "bandwidth"
	case i.Alpha.Given:
		return "alpha"
	}
	return "delta"
}

// String describes the islands.
func (i Island) String() string {
	if i.IsZero() {
		return "none"
	}
	return fmt.Sprintf("%d GPUs of %v", i.Size, i.Bandwidth)
}

// Islands returns how many islands there are, 0 if there are none.
func (f *Fabric) Islands() int {
	if f.Island.IsZero() {
		return 0
	}
	return f.Nodes / f.Island.Size
}

// SameIsland reports whether two GPUs share a working island.
func (f *Fabric) SameIsland(u, v int) bool {
	return f.Island.Size > 0 && u/f.Island.Size == v/f.Island.Size && f.InIsland(u) && f.InIsland(v)
}

// InIsland reports whether a GPU has a working electrical switch and may use it: its island has
// not failed, and no other job holds the GPU.
func (f *Fabric) InIsland(u int) bool {
	return f.Island.Size > 0 && (f.Avoid.IsZero() || !f.Avoid.Island(u/f.Island.Size) && !f.Avoid.GPU(u))
}

// IslandAlpha returns the start-up of a step that uses only islands.
func (f *Fabric) IslandAlpha() units.Duration { return f.Island.Alpha.or(f.Alpha) }

// IslandDelta returns the propagation of a hop within an island.
func (f *Fabric) IslandDelta() units.Duration { return f.Island.Delta.or(f.Delta) }

// Flat returns the fabric with only its circuits, without islands and fixed links.
func (f Fabric) Flat() Fabric {
	f.Island, f.Fixed, f.Avoid = Island{}, Fixed{}, f.Avoid.without("island")
	f.Spares = Spares{} // what they replace stays replaced
	return f
}

// Core returns the flat fabric whose nodes are islands, with the ports of the given number of
// their GPUs. Its base and its switches are not those of the GPUs.
func (f Fabric) Core(gpus int) Fabric {
	f.Nodes, f.Ports, f.Base = f.Islands(), f.Ports*gpus, ""
	f.Island, f.Layout, f.Radix = Island{}, layout.Layout{}, 0
	return f
}

// KeepsIslands reports whether every element of a group maps islands to islands.
func (f *Fabric) KeepsIslands(group topology.Translations) bool {
	if f.Island.IsZero() || group.Trivial() {
		return true
	}
	size := f.Island.Size
	for _, k := range group.Generators() {
		for first := 0; first < f.Nodes; first += size {
			to := group.Apply(k, first) / size
			if f.Avoid.Island(first/size) != f.Avoid.Island(to) {
				return false
			}
			for u := first + 1; u < first+size; u++ {
				if group.Apply(k, u)/size != to {
					return false
				}
			}
		}
	}
	return true
}
