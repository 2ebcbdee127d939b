package rehearsal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/iteration/rehearsal"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// drawn is a workload of two stages of a pipeline with groups of tp and dp, drawn at random.
func drawn(t *testing.T, r *rand.Rand) *workload.Workload {
	t.Helper()
	tp, dp := 2+r.IntN(2), 1+r.IntN(2)
	stage := tp * dp
	groups := func(count, step, across, of int) string {
		var list []string
		for s := 0; s < 2*stage; s += stage {
			for g := range count {
				var ranks []string
				for i := range of {
					ranks = append(ranks, fmt.Sprint(s+g*across+i*step))
				}
				list = append(list, "["+strings.Join(ranks, ",")+"]")
			}
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	var pp []string
	for i := range stage {
		pp = append(pp, fmt.Sprintf("[%d,%d]", i, i+stage))
	}
	programs := make([]string, 2)
	for s := range programs {
		var ops []string
		last := ""
		after := func() string {
			if last == "" {
				return ""
			}
			return fmt.Sprintf(`,"after":[%q]`, last)
		}
		if s == 1 {
			ops = append(ops, fmt.Sprintf(`{"id":"in","receive":"out","from":"-%d","kind":"pp"}`, stage))
			last = "in"
		}
		for k := range 2 + r.IntN(4) {
			id := fmt.Sprintf("x%d", k)
			switch kind := []string{"tp", "dp"}[r.IntN(2)]; r.IntN(2) {
			case 0:
				ops = append(ops, fmt.Sprintf(`{"id":%q,"compute_ns":%d%s}`, id, 1000*(1+r.IntN(40)), after()))
			default:
				op := []string{"allreduce", "allgather", "reducescatter", "alltoall"}[r.IntN(4)]
				ops = append(ops, fmt.Sprintf(`{"id":%q,"op":%q,"size_bytes":%d,"kind":%q%s}`, id, op, 1<<(12+r.IntN(10)), kind, after()))
			}
			if r.IntN(4) > 0 {
				last = id
			}
		}
		if s == 0 {
			ops = append(ops, fmt.Sprintf(`{"id":"out","send_to":"+%d","kind":"pp","size_bytes":%d%s}`, stage, 1<<(12+r.IntN(10)), after()))
			ops = append(ops, `{"id":"tail","compute_ns":30000}`)
		}
		programs[s] = fmt.Sprintf(`{"ranks":"%d-%d","ops":[%s]}`, s*stage, (s+1)*stage-1, strings.Join(ops, ","))
	}
	text := fmt.Sprintf(`{"schema":"lightpath.workload/v1","ranks":%d,"kinds":{"tp":%s,"dp":%s,"pp":[%s]},"programs":[%s]}`,
		2*stage, groups(dp, 1, tp, tp), groups(tp, tp, 1, dp), strings.Join(pp, ","), strings.Join(programs, ","))
	w := &workload.Workload{}
	if err := json.Unmarshal([]byte(text), w); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return w
}

// machine is a fabric drawn at random.
func machine(r *rand.Rand) fabric.Fabric {
	f := fabric.Default()
	f.Ports, f.Reconfig.Base = 1+r.IntN(3), []units.Duration{0, units.Microsecond, 20 * units.Microsecond, units.Millisecond}[r.IntN(4)]
	f.Sync = units.Duration(r.IntN(2)) * units.Microsecond
	if r.IntN(3) == 0 {
		f.Island = fabric.Island{Size: 2, Bandwidth: 3200 * units.Gbps}
	}
	if r.IntN(4) == 0 {
		f.Initial = fabric.InitialDark
	}
	return f
}

// agendas calls do for plans of every policy of workloads drawn at random.
func agendas(t *testing.T, seed uint64, count int, do func(a *iteration.Agenda, r *rand.Rand)) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 32))
	for range samples.Draws((count+1)/2, count) {
		w, f := drawn(t, r), machine(r)
		if f.Nodes = w.Ranks; f.Nodes%max(1, f.Island.Size) > 0 {
			f.Island = fabric.Island{}
		}
		for _, policy := range append([]string{iteration.Best}, iteration.Policies()...) {
			d, err := iterating.Iterate(t.Context(), iterating.IterateRequest{Workload: w, Fabric: f, Policy: policy})
			if bad := (*field.Error)(nil); errors.As(err, &bad) {
				continue // the policy has no plan
			}
			if err != nil {
				continue
			}
			a, report, err := iteration.NewAgenda(t.Context(), d)
			if err != nil || a == nil {
				t.Fatal(err, report)
			}
			do(a, r)
		}
	}
}

func near(a, b units.Time) bool { return math.Abs(float64(a-b)) <= 1e-6*math.Abs(float64(b))+1e-3 }

// TestThePlanIsCarriedOut: if communications take as long as the plan says, so does an
// iteration, whether one rank represents its class or every rank has its own times. It shares
// no code with the timing of the plan.
func TestThePlanIsCarriedOut(t *testing.T) {
	t.Parallel()
	seen := 0
	agendas(t, 1, 12, func(a *iteration.Agenda, _ *rand.Rand) {
		seen++
		for _, slow := range []map[int]float64{nil, {0: 1}} {
			r, err := rehearsal.RunByModel(t.Context(), a, rehearsal.Options{Slow: slow})
			if err != nil {
				t.Fatal(err)
			}
			if !near(r.Iteration, a.Iteration) {
				t.Errorf("%s on %d ranks, %d ports: %v, carried out %v (single ranks: %v)", a.Policy, a.Ranks, a.Fabric.Ports, a.Iteration, r.Iterations, slow != nil)
			}
		}
	})
	if seen < samples.Draws(15, 30) {
		t.Errorf("%d plans", seen)
	}
}

// TestRanksThatAreAlikeActAlike: packet by packet, simulating one rank per class or all ranks
// makes no difference, and packets take about as long as the model says.
func TestRanksThatAreAlikeActAlike(t *testing.T) {
	t.Parallel()
	agendas(t, 2, 8, func(a *iteration.Agenda, _ *rand.Rand) {
		classes, err := rehearsal.Run(t.Context(), a, rehearsal.Options{Level: sim.PacketLevel, Packet: 512})
		if err != nil {
			t.Fatal(err)
		}
		ranks, err := rehearsal.Run(t.Context(), a, rehearsal.Options{Level: sim.PacketLevel, Packet: 512, Slow: map[int]float64{1: 1}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range classes.Iterations {
			if !near(classes.Iterations[i], ranks.Iterations[i]) {
				t.Errorf("%s: classes %v, ranks %v", a.Policy, classes.Iterations, ranks.Iterations)
				break
			}
		}
		for _, c := range classes.Communications {
			if c.Took > c.Model*1.05+100 || c.Took < c.Model*0.5 {
				t.Errorf("%s: %s %s of %v on %d ranks: %v, by the model %v", a.Policy, c.Kind, c.Op, c.Size, c.Ranks, c.Took, c.Model)
			}
		}
	})
}

// TestStragglersCost: a slow GPU or jitter never makes an iteration faster; if all GPUs are
// slow by the same factor, that costs at most what it adds to the computation of the longest
// chain; and the same seed gives the same result.
func TestStragglersCost(t *testing.T) {
	t.Parallel()
	agendas(t, 3, 6, func(a *iteration.Agenda, random *rand.Rand) {
		run := func(o rehearsal.Options) *rehearsal.Result {
			o.Level = sim.FlowLevel
			r, err := rehearsal.Run(t.Context(), a, o)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		calm := run(rehearsal.Options{})
		one := map[int]float64{random.IntN(a.Ranks): 1.5}
		all := map[int]float64{}
		for r := range a.Ranks {
			all[r] = 1.5
		}
		slow, slower := run(rehearsal.Options{Slow: one}), run(rehearsal.Options{Slow: all})
		if slow.Iteration < calm.Iteration*(1-1e-9) || slower.Iteration < slow.Iteration*(1-1e-9) || slower.Iteration > 1.5*calm.Iteration*(1+1e-9) {
			t.Errorf("%s: calm %v, one slow %v, all slow %v", a.Policy, calm.Iteration, slow.Iteration, slower.Iteration)
		}
		o := rehearsal.Options{Jitter: 3 * units.Microsecond, Seed: 5, Iterations: 6}
		once, again := run(o), run(o)
		if !slices.Equal(once.Iterations, again.Iterations) || once.Iteration < calm.Iteration*(1-1e-9) {
			t.Errorf("%s: calm %v, jitter %v and %v", a.Policy, calm.Iteration, once.Iterations, again.Iterations)
		}
	})
}

// TestFailuresHoldUpWhatNeedsThem: if a GPU fails at the beginning, nothing of it ends; if it
// fails after the end, nothing stops; and a later failure never stops more.
func TestFailuresHoldUpWhatNeedsThem(t *testing.T) {
	t.Parallel()
	agendas(t, 4, 4, func(a *iteration.Agenda, random *rand.Rand) {
		gpu := random.IntN(a.Ranks)
		own := 0 // operations of the GPU
		for i := range a.Items {
			if x := &a.Items[i]; x.Change == nil && slices.ContainsFunc(x.Groups, func(g []int) bool { return slices.Contains(g, gpu) }) {
				own++
			}
		}
		o := rehearsal.Options{Level: sim.FlowLevel}
		for k := range 4 {
			at := units.Duration(float64(a.Iteration) * 1000 * float64(k) / 2)
			o.Failures = append(o.Failures, replay.Failure{GPU: true, From: gpu, To: gpu, At: at - 1})
		}
		r, err := rehearsal.Run(t.Context(), a, o)
		if err != nil {
			t.Fatal(err)
		}
		if first := r.Stalls[0]; first.First == "" || first.Unfinished < own || first.Rank != gpu {
			t.Errorf("%s: GPU %d fails at the start: %+v, %d operations of its own", a.Policy, gpu, first, own)
		}
		if last := r.Stalls[3]; last.First != "" || last.Unfinished > 0 {
			t.Errorf("%s: GPU %d fails after the end: %+v", a.Policy, gpu, last)
		}
		for k := 1; k < 4; k++ {
			if r.Stalls[k].Unfinished > r.Stalls[k-1].Unfinished {
				t.Errorf("%s: %+v", a.Policy, r.Stalls)
			}
		}
	})
}

// TestTracesShowEveryPortOnce: a trace is what viewers of Chrome's format read. Every event has a
// process and a track with names, times are whole nanoseconds and not negative, and no track has
// two things at a time.
func TestTracesShowEveryPortOnce(t *testing.T) {
	t.Parallel()
	agendas(t, 5, 3, func(a *iteration.Agenda, _ *rand.Rand) {
		r, err := rehearsal.Run(t.Context(), a, rehearsal.Options{Level: sim.PacketLevel})
		if err != nil {
			t.Fatal(err)
		}
		out := &bytes.Buffer{}
		if err := r.WriteTrace(out, a); err != nil {
			t.Fatal(err)
		}
		var trace struct {
			Events []struct {
				Phase    string `json:"ph"`
				Name     string
				PID, TID int
				Start    float64 `json:"ts"`
				Takes    float64 `json:"dur"`
			} `json:"traceEvents"`
		}
		if err := json.Unmarshal(out.Bytes(), &trace); err != nil {
			t.Fatal(err)
		}
		named, ends := map[[2]int]string{}, map[[2]int]float64{}
		processes := map[int]bool{}
		broken := func(us float64) bool { return math.Abs(us*1000-math.Round(us*1000)) > 1e-4 }
		for _, e := range trace.Events {
			track := [2]int{e.PID, e.TID}
			switch {
			case e.Phase == "M" && e.Name == "process_name":
				processes[e.PID] = true
			case e.Phase != "M" && e.Phase != "X" || !processes[e.PID]:
				t.Errorf("%s: %s of process %d, which has no name, in phase %s", a.Policy, e.Name, e.PID, e.Phase)
			case e.Phase == "M" && e.Name == "thread_name":
				named[track] = e.Name
			case e.Phase == "X" && named[track] == "":
				t.Errorf("%s: %s is on track %v, which has no name", a.Policy, e.Name, track)
			case e.Phase == "X":
				if e.Start < 0 || e.Takes < 0 || broken(e.Start) {
					t.Errorf("%s: %s begins at %vus and takes %vus", a.Policy, e.Name, e.Start, e.Takes)
				}
				if e.Start < ends[track]+5e-5 && ends[track] > 0 { // half of what keeps them apart
					t.Errorf("%s: %s begins at %vus on track %v, which is busy until %vus", a.Policy, e.Name, e.Start, track, ends[track])
				}
				ends[track] = e.Start + e.Takes
			}
		}
		if len(ends) == 0 && a.Reconfigurations > 0 {
			t.Errorf("%s: no port is in the trace", a.Policy)
		}
	})
}
