package fabrictest

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
)

// Model tests that a delay model keeps the contract of fabric.DelayModel, using some of its
// delays.
func Model(t *testing.T, m fabric.DelayModel, delays ...fabric.Reconfig) {
	t.Helper()
	for _, r := range delays {
		r.Model = m
		if err := Broken(r); err != nil {
			t.Errorf("%v: %v", r, err)
		}
	}
}

// Broken returns the first rule of the contract that the model of a delay breaks.
func Broken(r fabric.Reconfig) error {
	m := r.Model
	switch name := m.String(); {
	case name == "" || strings.ContainsAny(name, ":/+, \t\n"):
		return fmt.Errorf("the name %q cannot begin a delay", name)
	case !reflect.TypeOf(m).Comparable():
		return fmt.Errorf("values of %T cannot be compared", m)
	case m.Syntax() == "":
		return fmt.Errorf("it does not say how a delay is written")
	}
	for _, rule := range []func(fabric.Reconfig) error{written, charged, scaled, counted} {
		if err := rule(r); err != nil {
			return err
		}
	}
	return nil
}

// written checks that a delay is the same after writing and reading it, as text and in a file.
func written(r fabric.Reconfig) error {
	again, err := fabric.ParseReconfig(r.String(), r.Model)
	if err != nil || again != r {
		return fmt.Errorf("written %s, and read %v, %v", r, again, err)
	}
	f := fabric.Default().With(fabric.Known{Models: []fabric.DelayModel{r.Model}})
	f.Ports = max(f.Ports, r.Switches)
	f.Reconfig = r
	if err := f.Validate(); err != nil {
		return err
	}
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	read, err := fabric.Decode(data, fabric.Known{Models: []fabric.DelayModel{r.Model}})
	if err != nil || !read.Equal(f) {
		return fmt.Errorf("written %s, and read %+v, %v", data, read.Reconfig, err)
	}
	r.Base = -1
	if r.Model.Check(r) == nil {
		return fmt.Errorf("a negative base passes")
	}
	return nil
}

// charged checks that a charge is not negative, does not depend on Base, and grows with what
// changes.
func charged(r fabric.Reconfig) error {
	other := r
	other.Base += 12_345
	random := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		c := fabric.Counts{OfPorts: 1 + random.IntN(40), Set: random.IntN(40), Taken: 1 + random.IntN(40), OfSwitches: 1 + random.IntN(4)}
		charge := r.Model.Charge(r, c)
		if !(charge >= 0) || math.IsInf(float64(charge), 0) {
			return fmt.Errorf("%+v is charged %v", c, charge)
		}
		if again := other.Model.Charge(other, c); again != charge {
			return fmt.Errorf("%+v is charged %v, and %v where only the base differs", c, charge, again)
		}
		more := c
		more.OfPorts, more.Set = more.OfPorts+random.IntN(3), more.Set+random.IntN(3)
		more.Taken, more.OfSwitches = more.Taken+random.IntN(3), more.OfSwitches+random.IntN(2)
		if r.Model.Charge(r, more) < charge {
			return fmt.Errorf("%+v is charged %v, and %+v only %v", c, charge, more, r.Model.Charge(r, more))
		}
	}
	return nil
}

// scaled checks that all changes scale equally, and that a delay times 0 is zero.
func scaled(r fabric.Reconfig) error {
	c := fabric.Counts{OfPorts: 17, Set: 11, Taken: 13, OfSwitches: 2}
	thrice, none := r.Scaled(3, 1), r.Scaled(0, 1)
	if got, want := thrice.Charge(c), 3*r.Charge(c); math.Abs(float64(got-want)) > 1e-9*float64(want) {
		return fmt.Errorf("three times %v is %v", r.Charge(c), got)
	}
	if got := none.Charge(c); got != 0 {
		return fmt.Errorf("0 times %v is %v", r.Charge(c), got)
	}
	return nil
}

// counted checks the rules for changes between random circuits, which it counts independently.
func counted(r fabric.Reconfig) error {
	const nodes, ports = 9, 3
	random := rand.New(rand.NewPCG(3, 4))
	circulant := func() *topology.Graph {
		jumps := make([]int, 1+random.IntN(ports))
		for i := range jumps {
			jumps[i] = 1 + random.IntN(nodes-1)
		}
		return topology.DirectedCirculant(nodes, jumps...)
	}
	uniform, same := r.Uniform()
	remembering := r.Remembering()
	for range 200 {
		from, to := circulant(), circulant()
		d := r.Delay(from, to)
		where := fmt.Sprintf("%s to %s", from.Name(), to.Name())
		switch {
		case from.Equal(to) && d != 0:
			return fmt.Errorf("%s is no change, and takes %v", where, d)
		case from.Equal(to):
			continue
		case d < r.Least() || d > r.Most(nodes, ports):
			return fmt.Errorf("%s takes %v; said is %v to %v", where, d, r.Least(), r.Most(nodes, ports))
		case same && d != uniform:
			return fmt.Errorf("%s takes %v; said is always %v", where, d, uniform)
		case remembering.Delay(from, to) != d:
			return fmt.Errorf("%s takes %v, and %v where it is remembered", where, d, remembering.Delay(from, to))
		}
		if want := r.Base.Time() + r.Model.Charge(r, count(r, from, to)); d != want {
			return fmt.Errorf("%s takes %v, but is charged %v", where, d, want)
		}
		stays := r.Stay(from, to)
		for e := range to.Edges() {
			if stays(e.From, e.To) && from.Count(e.From, e.To) < e.Count {
				return fmt.Errorf("%s: circuit %d->%d is new, and is up all the time", where, e.From, e.To)
			}
		}
	}
	return nil
}

// count counts a change circuit by circuit, in tables of all pairs.
func count(r fabric.Reconfig, from, to *topology.Graph) fabric.Counts {
	n := from.Nodes()
	var c fabric.Counts
	for u := range n {
		most := [4]int{} // circuits gained and lost, outgoing and incoming
		for v := range n {
			for way, pair := range [][2]int{{u, v}, {v, u}} {
				gained := to.Count(pair[0], pair[1]) - from.Count(pair[0], pair[1])
				most[2*way] += max(0, gained)
				most[2*way+1] += max(0, -gained)
			}
		}
		c.OfPorts += max(most[0], most[1], most[2], most[3])
		c.Set, c.Taken = c.Set+most[0], c.Taken+most[1]
	}
	if k, whole := r.Parallel(); whole {
		if k == 0 {
			k = max(from.Degree(), to.Degree())
		}
		before := map[string]int{}
		for _, s := range fabric.SwitchSettings(from, k) {
			before[fmt.Sprint(s)]++
		}
		for _, s := range fabric.SwitchSettings(to, k) {
			if before[fmt.Sprint(s)]--; before[fmt.Sprint(s)] < 0 {
				c.OfSwitches++
			}
		}
	}
	return c
}
