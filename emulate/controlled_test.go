package emulate_test

import (
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/control/inventory"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// TestIterationsRunOverCircuitsThatControlSets: iterations whose circuits are set by package
// control through the protocol of a real switch, one transaction a change; every result is right.
func TestIterationsRunOverCircuitsThatControlSets(t *testing.T) {
	a := agendaOf(t, small(2), parallel.Config{TP: 2, DP: 2, PP: 2, GlobalBatch: 4}, iteration.Phases, map[string]string{"ports": "1"})
	for _, protocol := range inventory.Drivers() {
		t.Run(protocol, func(t *testing.T) {
			r, err := emulate.Iterate(t.Context(), a, 2, false, emulate.Options{Type: number.Int32, Patience: time.Minute, Control: protocol})
			if err != nil {
				t.Fatal(err)
			}
			if !r.OK || r.Fault != nil || r.Results != 2*results(a) || r.Moved == 0 {
				t.Errorf("%+v; want %d results", r, 2*results(a))
			}
		})
	}
}

// TestPlansRunOverCircuitsThatControlSets, stage by stage and without barriers.
func TestPlansRunOverCircuitsThatControlSets(t *testing.T) {
	for i, r := range shown() {
		if i%9 != 0 {
			continue
		}
		p := r.make(t)
		report, err := emulate.Run(t.Context(), p, emulate.Options{Type: number.Int32, Patience: time.Minute, Asynchronous: i%2 == 1, Control: inventory.Drivers()[0]})
		if err != nil {
			t.Fatal(err)
		}
		if !report.OK || report.Fault != nil {
			t.Errorf("request %d: %v", i, report.Fault)
		}
		checkLoads(t, p, report)
	}
}
