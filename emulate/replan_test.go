package emulate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

func TestReplanningGoesAroundWhatFailed(t *testing.T) {
	r := request{name: "allreduce", op: collective.AllReduce, nodes: 8, ports: 2, size: 64 * units.KiB}
	first := &r.make(t).Stages[0].Steps[0].Base[0].Routes[0] // a link that carries something
	used := fmt.Sprintf("link:%d-%d", min(first.Path[0], first.Path[1]), max(first.Path[0], first.Path[1]))
	for _, c := range []struct {
		inject []string
		avoid  string
		ranks  int
	}{
		{[]string{"gpu:3@step:1"}, "gpu:3", 7},
		{[]string{used + "@step:1"}, used, 8},
		{[]string{"gpu:3@step:1", "stall:6@step:2"}, "gpu:3,gpu:6", 6},
		{[]string{"secret:5@step:1"}, "gpu:5", 7},
	} {
		t.Run(c.avoid, func(t *testing.T) {
			t.Parallel()
			p := r.make(t)
			o := emulate.Options{Patience: 2 * time.Second}
			for _, text := range c.inject {
				injection, err := fault.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				o.Faults = append(o.Faults, injection)
			}
			last := ""
			replan := func(_ context.Context, avoid fabric.Failures) (*plan.Plan, error) {
				last = avoid.String()
				again := r
				again.settings = map[string]string{"avoid": avoid.String()}
				return again.make(t), nil
			}
			report, attempts, err := emulate.RunAround(t.Context(), p, o, replan)
			for range 4 { // a busy machine may stop the coordinator for seconds, which ends a run
				if err == nil && report.Fault != nil && report.Fault.Kind == fault.Clock {
					report, attempts, err = emulate.RunAround(t.Context(), p, o, replan)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Unused) != 0 {
				t.Errorf("%v: never took effect", report.Unused)
			}
			if !report.OK || report.Ranks != c.ranks || last != c.avoid || len(attempts) != len(c.inject) {
				t.Errorf("%v: %d ranks without %q after %v", report.Fault, report.Ranks, last, attempts)
			}
		})
	}
}

func TestAFaultThatNoPlanAvoidsEndsTheRun(t *testing.T) {
	p := request{name: "allreduce", op: collective.AllReduce, nodes: 8, ports: 2, size: 64 * units.KiB}.make(t)
	injection, err := fault.Parse("switch@step:1")
	if err != nil {
		t.Fatal(err)
	}
	report, attempts, err := emulate.RunAround(t.Context(), p, emulate.Options{Faults: []fault.Injection{injection}},
		func(context.Context, fabric.Failures) (*plan.Plan, error) {
			t.Error("planned anew without a switch")
			return p, nil
		})
	if err != nil || report.OK || report.Fault.Kind != fault.SwitchDied || len(attempts) != 0 {
		t.Errorf("%+v, %v, %v", report, attempts, err)
	}
}

func TestAFaultAfterWhichNothingCanBePlannedSaysWhy(t *testing.T) {
	p := request{name: "allreduce", op: collective.AllReduce, nodes: 2, ports: 1, size: 64 * units.KiB}.make(t)
	injection, err := fault.Parse("gpu:1@step:1")
	if err != nil {
		t.Fatal(err)
	}
	report, attempts, err := emulate.RunAround(t.Context(), p, emulate.Options{Faults: []fault.Injection{injection}},
		func(context.Context, fabric.Failures) (*plan.Plan, error) { return nil, errors.New("nobody is left") })
	if err != nil || report.OK || report.Fault.Rank != 1 || len(attempts) != 0 || !strings.HasSuffix(report.Fault.Detail, "there is no plan without gpu:1: nobody is left") {
		t.Errorf("%+v, %v, %v", report, attempts, err)
	}
}

func TestFaultsThatNeverTakeEffectAreTold(t *testing.T) {
	// In a ring of one port nothing goes from 0 to 2; and no run takes an hour.
	p := request{name: "allreduce", op: collective.AllReduce, algorithm: "ring", planner: "static", nodes: 4, ports: 1, size: 64 * units.KiB}.make(t)
	var o emulate.Options
	for _, text := range []string{"gpu:2@3600s", "link:0-2@step:1"} {
		injection, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		o.Faults = append(o.Faults, injection)
	}
	for name, run := range map[string]func() (*emulate.Report, error){
		"run": func() (*emulate.Report, error) { return emulate.Run(t.Context(), p, o) },
		"around": func() (*emulate.Report, error) {
			r, _, err := emulate.RunAround(t.Context(), p, o, func(context.Context, fabric.Failures) (*plan.Plan, error) { return p, nil })
			return r, err
		},
	} {
		report, err := run()
		if err != nil || !report.OK || !slices.Equal(report.Unused, o.Faults) {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
	}
}
