package fault_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/units"
)

func TestInjectionsAreReadAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string]fault.Injection{
		"link:3-4@step:5":   {Kind: fault.Cut, From: 3, To: 4, Step: 5},
		"link:3>4@10us":     {Kind: fault.Cut, From: 3, To: 4, OneWay: true, At: 10 * units.Microsecond},
		"gpu:5@0ns":         {Kind: fault.Died, From: 5, To: 5, At: 0},
		"stall:5@step:1":    {Kind: fault.Stalled, From: 5, To: 5, Step: 1},
		"restart:5@step:1":  {Kind: fault.Restarted, From: 5, To: 5, Step: 1},
		"garbage:5@step:1":  {Kind: fault.Garbage, From: 5, To: 5, Step: 1},
		"clock:5@step:1":    {Kind: fault.Clock, From: 5, To: 5, Step: 1},
		"secret:5@step:1":   {Kind: fault.Secret, From: 5, To: 5, Step: 1},
		"switch@step:2":     {Kind: fault.SwitchDied, From: fault.Nobody, Step: 2},
		"switch@1.5us":      {Kind: fault.SwitchDied, From: fault.Nobody, At: 1500 * units.Nanosecond},
		"link:10-11@step:7": {Kind: fault.Cut, From: 10, To: 11, Step: 7},
		"slow:3-4:2.5@1us":  {Kind: fault.Slowed, From: 3, To: 4, Factor: 2.5, At: units.Microsecond},
		"slow:3>4:8@step:2": {Kind: fault.Slowed, From: 3, To: 4, OneWay: true, Factor: 8, Step: 2},
		"corrupt:0-1@0ns":   {Kind: fault.Corrupted, From: 0, To: 1},
	} {
		got, err := fault.Parse(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
		if got.String() != text {
			t.Errorf("%s is written %s", text, got)
		}
	}
	if got, err := fault.Parse("link:3->4@step:2"); err != nil || got.String() != "link:3>4@step:2" {
		t.Errorf("the other arrow: %v, %v", got, err)
	}
	for _, text := range []string{
		"", "gpu:5", "gpu@step:1", "gpu:x@step:1", "gpu:5@step:0", "gpu:5@step:-1", "gpu:5@step:01", "gpu:5@5", "link:3@step:1",
		"link:3-3@step:1", "switch:1@step:1", "disk:1@step:1", "switch@soon", "gpu:-1@1us",
		"slow:3-4@step:1", "slow:3-4:1@step:1", "slow:3-4:NaN@step:1", "slow:3-4:-2@step:1", "slow:3-4:1e9@1us", "slow:3:2@1us", "corrupt:3@1us",
	} {
		if got, err := fault.Parse(text); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	i, err := fault.Parse("link:3-9@step:5")
	if err != nil || i.Check(9, 5) == nil || i.Check(10, 4) == nil || i.Check(10, 5) != nil {
		t.Errorf("%v: %v", i, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("link:3-4@step:5")
	f.Add("gpu:2@10us")
	f.Add("slow:3-4:2.5@1us")
	f.Fuzz(func(t *testing.T, text string) {
		i, err := fault.Parse(text)
		if err != nil {
			return
		}
		if again, err := fault.Parse(i.String()); err != nil || again != i {
			t.Errorf("%q is %v, which is %v, %v", text, i, again, err)
		}
	})
}

func TestAFaultIsOneLineThatNamesRankStepAndPeer(t *testing.T) {
	f := &fault.Fault{Kind: fault.Died, Rank: 3, Step: 5, Peer: 4, Detail: "has gone"}
	if f.Error() != "rank 3, step 5, peer 4: has gone" {
		t.Error(f)
	}
	message := f.Message()
	if back := fault.Of(&message); *back != *f {
		t.Errorf("%+v", back)
	}
	if s := (&fault.Fault{Kind: fault.SwitchDied, Rank: fault.Nobody, Peer: fault.Nobody, Detail: "has gone"}).Error(); s != "the switch, before step 1: has gone" {
		t.Error(s)
	}
	if !fault.SwitchDied.Before(fault.Died) || fault.SwitchLost.Before(fault.Stalled) || !fault.Died.Before("unknown") {
		t.Error("causes come before what follows from them")
	}
}
