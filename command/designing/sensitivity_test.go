package designing_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/command/designing"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// Just before the value at which an input changes the answer, the design has the same answer;
// just beyond, it has the stated new answer.
func TestInputsChangeTheAnswerWhereTheySay(t *testing.T) {
	t.Parallel()
	tight := request()
	tight.BudgetCost, tight.BudgetPower = 120_000, 2_000
	slow := tight
	slow.Technology = []string{"polatis", "rotornet"}
	seen := map[string]int{}
	for _, r := range []lightpath.DesignRequest{request(), tight, slow} {
		a, here := design(t, r), map[string]bool{}
		for _, c := range a.Changes {
			answer := func(x float64) string { return taken(t, changed(t, r, c, x), c.Decision) }
			short, over := c.Now+(c.At-c.Now)*0.999, c.Now+(c.At-c.Now)*1.001
			if c.Input == designing.TimesOf {
				continue // whole numbers: below
			}
			kind := c.Input + " " + c.Decision
			if here[kind] && !samples.Every() {
				continue // one of each kind, of a list of dozens
			}
			here[kind] = true
			seen[kind]++
			then := "none"
			if c.Then >= 0 {
				then = name(&a.Choices[c.Then])
			}
			now := takenOf(a, c.Decision)
			if was, is := answer(short), answer(over); was != now || is != then {
				t.Errorf("%+v: %s before, %s after, want %s and %s", c, was, is, now, then)
			}
		}
	}
	for _, want := range []string{"price value", "price fastest", "power fastest", "delay fastest"} {
		if seen[want] == 0 {
			t.Errorf("no %s among %v", want, seen)
		}
	}
}

// The numbers of operations change the answer at the stated values, rounded to whole numbers.
func TestLoadsChangeTheAnswerWhereTheySay(t *testing.T) {
	t.Parallel()
	r := request()
	r.Fabric.Nodes, r.Ports, r.Technology = 9, []int{1, 2, 4}, []string{"calient", "rotornet"}
	r.Mix = []string{"allreduce/100MB:1000", "alltoall/8MB:4000"}
	a := design(t, r)
	tested := 0
	for _, c := range a.Changes {
		if c.Input != designing.TimesOf {
			continue
		}
		if tested > 1 && !samples.Every() {
			break
		}
		tested++
		short, over := c.Now+(c.At-c.Now)*0.99, c.Now+(c.At-c.Now)*1.01
		if was, is := taken(t, changed(t, r, c, short), c.Decision), taken(t, changed(t, r, c, over), c.Decision); was != takenOf(a, c.Decision) || is != name(&a.Choices[c.Then]) {
			t.Errorf("%+v: %s before, %s after", c, was, is)
		}
	}
	if tested == 0 {
		t.Errorf("no operation among %+v", a.Changes)
	}
}

func name(c *lightpath.DesignChoice) string { return fmt.Sprint(c.Name(), c.Ports, c.Island) }

// taken returns a design's answer for a decision.
func taken(t *testing.T, r lightpath.DesignRequest, decision string) string {
	t.Helper()
	return takenOf(design(t, r), decision)
}

// takenOf names the choice of an answer.
func takenOf(a *lightpath.Design, decision string) string {
	i := a.Best
	if decision == designing.Value {
		i = a.Value
	}
	if i < 0 {
		return "none"
	}
	return name(&a.Choices[i])
}

// changed returns a request with one input changed.
func changed(t *testing.T, r lightpath.DesignRequest, c designing.Change, x float64) lightpath.DesignRequest {
	t.Helper()
	if c.Input == designing.TimesOf {
		r.Mix = append([]string(nil), r.Mix...)
		for i, text := range r.Mix {
			if text == c.Of {
				r.Mix[i] = fmt.Sprintf("%s:%.0f", text[:strings.LastIndexByte(text, ':')], x)
			}
		}
		return r
	}
	kind, part := parts.Switches, c.Of
	if words := strings.Fields(c.Of); len(words) > 1 {
		kind, part = strings.Join(words[:len(words)-1], "_"), words[len(words)-1]
	}
	whole, err := parts.With(r.Parts)
	if err != nil {
		t.Fatal(err)
	}
	of, ok := whole.Find(kind, part)
	if !ok {
		t.Fatalf("no %s among %s", part, kind)
	}
	switch c.Input {
	case designing.PriceOf:
		of.Price.Range = parts.Exactly(x)
	case designing.PowerOf:
		of.Power.Range = parts.Exactly(x)
	case designing.DelayOf:
		of.Switching = units.Duration(x * 1000)
	}
	all := map[string]map[string]parts.Part{parts.Switches: maps.Clone(r.Parts.Switches)}
	if all[kind] == nil {
		all[kind] = map[string]parts.Part{}
	}
	all[kind][part] = of
	r.Parts = &parts.Catalogue{
		Switches: all[parts.Switches], Transceivers: all[parts.Transceivers], NICs: all[parts.NICs], Fibres: all[parts.Fibres],
		PacketSwitches: all[parts.PacketSwitches], Islands: all[parts.Islands],
	}
	return r
}
