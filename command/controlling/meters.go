package controlling

import (
	"io"
	"maps"
	"slices"
	"time"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/internal/exposition"
	"github.com/lightpath-net/lightpath/units"
)

// buckets of times, in seconds.
var buckets = []float64{0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60}

// meters holds the counters of a run.
type meters struct {
	transactions map[control.Outcome]int
	disconnects  int
	connects     int
	resumed      int
	surprises    int
	bad          int
	decide       exposition.Histogram
	reach        exposition.Histogram
}

func newMeters() meters {
	m := meters{transactions: map[control.Outcome]int{}, decide: exposition.Histogram{Buckets: buckets}, reach: exposition.Histogram{Buckets: buckets}}
	for _, o := range []control.Outcome{control.Reached, control.Kept, control.Undone, control.Stuck} {
		m.transactions[o] = 0
	}
	return m
}

// apply counts a transaction.
func (m *meters) apply(r *control.Result, err error, took time.Duration) {
	m.transactions[r.Outcome]++
	m.reach.Observe(took.Seconds())
	m.surprises += len(r.Surprises)
	if r.Resumed {
		m.resumed++
	}
	if err != nil {
		return
	}
	for _, c := range r.Changes {
		m.disconnects += len(c.Disconnect)
		m.connects += len(c.Connect)
	}
}

// WriteMetrics writes metrics in the format of Prometheus; docs/control.md lists the names.
func (n *Runner) WriteMetrics(w io.Writer) {
	n.mu.Lock()
	defer n.mu.Unlock()
	seconds := func(t units.Time) float64 { return float64(t) / 1e9 }
	const prefix = "lightpath_control_"
	one := func(name, kind, help string, value float64) { exposition.One(w, prefix+name, kind, help, value) }
	s, m := &n.status, &n.meters
	one("steps_total", exposition.Counter, "Steps that have begun, of earlier runs too.", float64(s.Steps))
	one("rewired_total", exposition.Counter, "Steps that began with another plan than the one before.", float64(s.Rewired))
	one("planned_seconds_total", exposition.Counter, "Time of all steps by their plans.", seconds(s.Total))
	one("static_seconds_total", exposition.Counter, "Time of all steps with the plan for even demand.", seconds(s.Static))
	plan := 0
	if s.Last != nil {
		plan = s.Last.Plan
	}
	one("plan", exposition.Gauge, "Number of the plan that is up; 0 is that for even demand.", float64(plan))
	one("stage", exposition.Gauge, "Stage of the plan that is up.", float64(s.Stage))
	exposition.About(w, prefix+"transactions_total", exposition.Counter, "Transactions with the switches by outcome.")
	for _, o := range slices.Sorted(maps.Keys(m.transactions)) {
		exposition.Value(w, prefix+"transactions_total", float64(m.transactions[o]), "outcome", string(o))
	}
	exposition.About(w, prefix+"circuits_total", exposition.Counter, "Cross-connects that were changed.")
	exposition.Value(w, prefix+"circuits_total", float64(m.connects), "action", "connect")
	exposition.Value(w, prefix+"circuits_total", float64(m.disconnects), "action", "disconnect")
	one("resumed_total", exposition.Counter, "Transactions that found an interrupted change.", float64(m.resumed))
	one("surprises_total", exposition.Counter, "Switches that had something else than the journal says.", float64(m.surprises))
	one("bad_input_total", exposition.Counter, "Lines and requests that were not understood.", float64(m.bad))
	failing, unsaved := 0.0, 0.0
	if s.Reason != "" {
		failing = 1
	}
	if s.Unsaved != "" {
		unsaved = 1
	}
	one("failing", exposition.Gauge, "1 if the last transaction has failed.", failing)
	one("unsaved", exposition.Gauge, "1 if the last step could not be written down.", unsaved)
	exposition.About(w, prefix+"step_seconds", "histogram", "Time from a demand to its circuits.")
	m.decide.Write(w, prefix+"step_seconds")
	exposition.About(w, prefix+"transaction_seconds", "histogram", "Time of a transaction with the switches.")
	m.reach.Write(w, prefix+"transaction_seconds")
}
