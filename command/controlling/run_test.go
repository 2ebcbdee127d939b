package controlling_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/controlling"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/compile/iterations"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/emulated"
	"github.com/lightpath-net/lightpath/control/scpi"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/gate"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// experts is a layer of experts on all ranks.
func experts(t testing.TB, ranks int, more string) *workload.Workload {
	t.Helper()
	var list []string
	for r := range ranks {
		list = append(list, fmt.Sprint(r))
	}
	group := "[[" + strings.Join(list, ",") + "]]"
	w := &workload.Workload{}
	text := fmt.Sprintf(`{"schema":"lightpath.workload/v1","ranks":%d,"kinds":{"ep":%s,"dp":%s},"programs":[{"ranks":"0-%d","ops":[{"id":"attend","compute_ns":20000},`+
		`{"id":"send","op":"alltoall","kind":"ep","size_bytes":4194304,"skew":"uniform","after":["attend"]},{"id":"expert","compute_ns":20000,"after":["send"]},`+
		`{"id":"return","op":"alltoall","kind":"ep","size_bytes":4194304,"skew":"back:uniform","after":["expert"]}%s]}]}`, ranks, group, group, ranks-1, more)
	if err := json.Unmarshal([]byte(text), w); err != nil {
		t.Fatal(err)
	}
	return w
}

// toward returns a demand in which ranks send most to the ranks at a distance.
func toward(ranks, distance int) collective.Demand {
	d := make(collective.Demand, ranks)
	for i := range d {
		d[i] = make([]int64, ranks)
		for j := range d[i] {
			switch {
			case i == j:
			case (j-i+ranks)%ranks == distance, (i-j+ranks)%ranks == distance:
				d[i][j] = 100
			default:
				d[i][j] = 1
			}
		}
	}
	return d
}

// rig is a request to run on an emulated switch that speaks SCPI.
type rig struct {
	*emulated.Switch
	controlling.RunRequest
	stop func()
}

func start(t testing.TB, w *workload.Workload, ports int) *rig {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig.Base = w.Ranks, ports, 30_000_000 // 30 us
	s := emulated.New(f.Nodes*ports, 0, nil)
	ctx, cancel := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	serving.Go(func() { scpi.Serve(ctx, listener, s) })
	stop := func() {
		cancel()
		serving.Wait()
	}
	t.Cleanup(stop)
	var m timetable.PortMap
	for u := range f.Nodes {
		for p := range ports {
			m = append(m, timetable.Plugged{GPU: u, Port: p, Switch: "a", Ingress: u*ports + p + 1, Egress: f.Nodes*ports + u*ports + p + 1})
		}
	}
	list := filepath.Join(t.TempDir(), "switches.yaml")
	if err := os.WriteFile(list, []byte("switches:\n- {name: a, driver: scpi, address: \""+listener.Addr().String()+"\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &rig{s, controlling.RunRequest{Reach: controlling.Reach{PortMap: m, SwitchesFile: list, Timeout: 10 * units.Second}, Workload: w, Fabric: f, Policy: "static"}, stop}
}

// run begins a run that does not wait between attempts.
func (r *rig) run(t testing.TB) *controlling.Runner {
	t.Helper()
	n, err := controlling.NewRunner(t.Context(), r.RunRequest)
	if err != nil {
		t.Fatal(err)
	}
	controlling.Hurry(n)
	return n
}

// want is what should be up at the beginning of the last step of a trace, by a twin that knows
// nothing of runs: the whole trace is followed, and the plan of its last step made a timetable,
// which it returns, too.
func (r *rig) want(t *testing.T, trace collective.DemandTrace) (control.State, *timetable.Table, units.Time, units.Time, units.Time) {
	t.Helper()
	q := iterating.IterateRequest{Workload: r.Workload, Fabric: r.Fabric, Policy: r.Policy, DemandTrace: collective.TraceValue{Steps: trace}}
	d, err := iterating.Iterate(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	o := d.Online
	d.Online = nil
	a, err := iterating.Agenda(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	table, err := iterations.Timetable(a)
	if err != nil {
		t.Fatal(err)
	}
	up := control.State{}
	for _, u := range table.Up { // the port map numbers ports in the order of GPUs and ports
		up[u.In.GPU*r.Fabric.Ports+u.In.Port+1] = r.Fabric.Nodes*r.Fabric.Ports + u.Out.GPU*r.Fabric.Ports + u.Out.Port + 1
	}
	return up, table, o.Total, o.Static, o.Hindsight
}

// trace is a demand that changes and comes back.
func trace(ranks int) collective.DemandTrace {
	a, b := toward(ranks, 2), toward(ranks, 1)
	return collective.DemandTrace{a, a, b, b, a, b, b}
}

// TestARunSetsWhatATraceNeeds: step by step, switches have the circuits of the plan that following
// the whole trace would have chosen, and all steps take as long: no longer than with the plan for
// even demand, and close to the best in hindsight. A run is stopped and another goes on in the
// middle.
func TestARunSetsWhatATraceNeeds(t *testing.T) {
	t.Parallel()
	r := start(t, experts(t, 5, ""), 2)
	n := r.run(t)
	steps := trace(5)
	for i, d := range steps {
		if i%3 == 2 {
			if err := n.Close(); err != nil {
				t.Fatal(err)
			}
			n = r.run(t)
		}
		step, err := n.Step(t.Context(), -1, d, nil)
		if err != nil {
			t.Fatal(err)
		}
		up, _ := r.State(t.Context())
		want, _, total, static, hindsight := r.want(t, steps[:i+1])
		slack := units.Time(1 + 1e-9)
		switch {
		case !up.Equal(want):
			t.Errorf("step %d: %v is up, not %v", i, up, want)
		case step.Total != total || step.StaticTotal != static:
			t.Errorf("step %d: %v and static %v; the trace takes %v and %v", i, step.Total, step.StaticTotal, total, static)
		case step.Total > static*slack || hindsight > step.Total*slack || step.Total > 1.2*hindsight:
			t.Errorf("step %d: %v; static %v, in hindsight %v", i, step.Total, static, hindsight)
		}
	}
	if s := n.Status(); s.Rewired == 0 || s.Total >= s.Static {
		t.Errorf("nothing is gained: %+v", s)
	}
	n.Close()
	other := r.RunRequest
	other.Policy = "best"
	if _, err := controlling.NewRunner(t.Context(), other); err == nil || !strings.Contains(err.Error(), "another workload") {
		t.Errorf("a state of another request: %v", err)
	}
}

// TestFaultsLeaveARunInAKnownState: whatever switches do, a step is either begun, with the circuits
// that the journal says, or not, and can be tried again; the time of steps is that of plans whose
// circuits are up; and without faults all goes on.
func TestFaultsLeaveARunInAKnownState(t *testing.T) {
	t.Parallel()
	steps := trace(4)
	refused, failed := 0, 0
	for _, seed := range samples.Few(6, []uint64{0, 1, 2, 3, 4, 5, 6, 7}) {
		rng := rand.New(rand.NewPCG(seed, 33))
		r := start(t, experts(t, 4, ""), 2)
		n := r.run(t)
		for i := 0; i < len(steps); {
			faults := map[int]emulated.Fault{}
			if rng.IntN(2) == 0 {
				for k := range 1 + rng.IntN(8) { // refusals take no time
					faults[k+1] = []emulated.Fault{emulated.Refuse, emulated.Break, emulated.Half, emulated.Forget}[rng.IntN(4)]
				}
			}
			r.Ail(faults)
			step, err := n.Step(t.Context(), i, steps[i], nil)
			r.Ail(nil)
			if err != nil && !errors.Is(err, controlling.ErrSwitches) {
				t.Fatal(err)
			}
			up, _ := r.State(t.Context())
			known, recalled := control.Recall(r.SwitchesFile + ".journal")
			if recalled != nil {
				t.Fatal(recalled)
			}
			if !known.Open && !up.Equal(known.After["a"]) {
				t.Errorf("seed %d, step %d: %v is up, not %v as the journal says", seed, i, up, known.After["a"])
			}
			if err != nil {
				failed++
				if s := n.Status(); s.Steps != i || s.Reason == "" {
					t.Errorf("seed %d, step %d failed: %+v", seed, i, s)
				}
				continue
			}
			if step.Refused != "" {
				refused++
			}
			if step.Time < step.Bound*(1-1e-9) || known.Open {
				t.Errorf("seed %d: %+v, open %v", seed, step, known.Open)
			}
			again, err := n.Step(t.Context(), i, steps[i], nil)
			if err != nil || again != step {
				t.Errorf("seed %d: a step again: %+v, %v", seed, again, err)
			}
			i++
			if rng.IntN(3) == 0 {
				n.Close()
				n = r.run(t)
				if s := n.Status(); s.Steps != i || s.Total != step.Total || s.Last.Step != i-1 {
					t.Errorf("seed %d: goes on from %+v", seed, s)
				}
			}
		}
		n.Close()
	}
	t.Logf("%d steps with a plan that was refused, %d failed", refused, failed)
	if refused == 0 {
		t.Error("no plan was refused")
	}
}

// TestStagesOfAStepAreSet one by one, as the timetable of its plan says.
func TestStagesOfAStepAreSet(t *testing.T) {
	t.Parallel()
	r := start(t, experts(t, 4, `,{"id":"g","op":"allreduce","kind":"dp","size_bytes":16777216,"after":["return"]}`), 1)
	r.Policy, r.Fabric.Reconfig.Base = "each", 100_000
	n := r.run(t)
	defer func() { n.Close() }()
	d := toward(4, 2)
	step, err := n.Step(t.Context(), -1, d, nil)
	if err != nil || step.Stages == 0 {
		t.Fatalf("%+v, %v", step, err)
	}
	_, table, _, _, _ := r.want(t, collective.DemandTrace{d})
	stage := 0
	err = table.Follow(func(_ int, circuits map[[2]int]int) bool {
		stage++
		if _, err := n.Stage(t.Context(), 0, stage); err != nil {
			t.Fatal(err)
		}
		up, _ := r.State(t.Context())
		got := map[[2]int]int{}
		for in, out := range up {
			got[[2]int{in - 1, out - 5}]++
		}
		want := maps.Clone(circuits)
		maps.DeleteFunc(want, func(_ [2]int, count int) bool { return count == 0 })
		if !maps.Equal(got, want) {
			t.Errorf("stage %d: %v is up, not %v", stage, got, want)
		}
		return true
	})
	if err != nil || stage != step.Stages {
		t.Fatal(stage, err)
	}
	for _, bad := range [][2]int{{-1, stage + 1}, {1, 1}} {
		if _, err := n.Stage(t.Context(), bad[0], bad[1]); !errors.Is(err, controlling.ErrOrder) {
			t.Errorf("step %d, stage %d: %v", bad[0], bad[1], err)
		}
	}
	n.Close() // in the last stage, from which another run goes on
	before, _ := r.State(t.Context())
	n = r.run(t)
	if up, _ := r.State(t.Context()); !up.Equal(before) || n.Status().Stage != stage {
		t.Errorf("%v is up, not %v; %+v", up, before, n.Status())
	}
}

// TestARunAnswersOverHTTP: demands, stages, status and metrics; an invalid request is refused in
// one line and changes nothing.
func TestARunAnswersOverHTTP(t *testing.T) {
	t.Parallel()
	r := start(t, experts(t, 5, ""), 2)
	n := r.run(t)
	defer n.Close()
	g := &gate.Gate{}
	g.SetToken("0123456789abcdef")
	face := httptest.NewServer(n.Handler(g))
	defer face.Close()
	ask := func(method, path, body string, headers ...string) (int, string) {
		t.Helper()
		q, err := http.NewRequestWithContext(t.Context(), method, face.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Authorization", "Bearer 0123456789abcdef")
		for i := 0; i < len(headers); i += 2 {
			q.Header.Set(headers[i], headers[i+1])
		}
		a, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		text, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		return a.StatusCode, string(text)
	}
	matrix, _ := json.Marshal(toward(5, 2))
	var first, again controlling.RanStep
	status, text := ask("POST", "/demand", fmt.Sprintf(`{"step":0,"demand":%s}`, matrix))
	if err := json.Unmarshal([]byte(text), &first); err != nil || status != 200 || !first.Rewired || first.Connects == 0 {
		t.Fatal(status, text, err)
	}
	up, _ := r.State(t.Context())
	// As if the answer had been lost.
	status, text = ask("POST", "/demand", fmt.Sprintf(`{"step":0,"demand":%s}`, matrix))
	if err := json.Unmarshal([]byte(text), &again); err != nil || status != 200 || fmt.Sprint(again) != fmt.Sprint(first) {
		t.Fatal(status, text, err)
	}
	swapped, _ := json.Marshal(toward(5, 1))
	for _, c := range []struct {
		path, body string
		status     int
		headers    []string
	}{
		{"/demand", `{"step":0,"demand":` + string(swapped) + "}", 409, nil},
		{"/demand", "", 400, nil}, {"/demand", "{", 400, nil}, {"/demand", "[[0,1],[1,0]]", 400, nil}, {"/demand", "[[]]", 400, nil},
		{"/demand", "[[0,-1],[1,0]]", 400, nil}, {"/demand", `{"stage":1}`, 400, nil}, {"/demand", `{"step":2,"demand":` + string(matrix) + "}", 409, nil},
		{"/stage", `{"stage":1}`, 409, nil}, {"/stage", string(matrix), 400, nil}, {"/nothing", "", 404, nil},
		{"/demand", string(matrix), 401, []string{"Authorization", "Bearer wrong"}}, {"/demand", string(matrix), 403, []string{"Origin", "https://evil.example"}},
		{"/demand", string(matrix), 403, []string{"Sec-Fetch-Site", "cross-site"}},
	} {
		if status, text := ask("POST", c.path, c.body, c.headers...); status != c.status || strings.Count(text, "\n") != 1 {
			t.Errorf("%s %.40q: %d, %q; want %d", c.path, c.body, status, text, c.status)
		}
	}
	if now, _ := r.State(t.Context()); !now.Equal(up) || n.Status().Steps != 1 {
		t.Errorf("%v, not %v: %+v", now, up, n.Status())
	}
	var s controlling.Status
	if status, text := ask("GET", "/status", ""); json.Unmarshal([]byte(text), &s) != nil || status != 200 || s.Steps != 1 || s.Members != 5 || s.Schema != controlling.RunSchema {
		t.Error(status, text)
	}
	status, text = ask("GET", "/metrics", "")
	for _, line := range []string{
		"lightpath_control_steps_total 1\n", "lightpath_control_rewired_total 1\n", `lightpath_control_transactions_total{outcome="done"} 2` + "\n",
		"lightpath_control_bad_input_total 7\n", "lightpath_control_plan 1\n", "lightpath_control_step_seconds_count 1\n", "lightpath_control_failing 0\n",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("%d: no line %q in\n%s", status, line, text)
		}
	}
	if status, _ := ask("GET", "/healthz", "", "Authorization", ""); status != 200 {
		t.Error(status)
	}
	r.Ail(map[int]emulated.Fault{0: emulated.Refuse})
	if status, text := ask("POST", "/demand", string(swapped)); status != 200 || !strings.Contains(text, "refused") {
		t.Error(status, text) // it stays where it is
	}
	if now, _ := r.State(t.Context()); !now.Equal(up) {
		t.Errorf("%v, not %v", now, up)
	}
	r.stop()
	if status, text := ask("POST", "/demand", string(swapped)); status != 503 || strings.Count(text, "\n") != 1 || n.Status().Steps != 2 {
		t.Error(status, text)
	}
}

// TestAFeedIsFollowed: lines that come in pieces, a file that comes late, and one that is replaced.
func TestAFeedIsFollowed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "feed")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	lines, told := make(chan string, 100), make(chan string, 100)
	var following sync.WaitGroup
	following.Go(func() {
		f := &controlling.Feed{Name: name, Every: time.Millisecond}
		err := f.Follow(ctx, controlling.Position{}, func(line []byte, next controlling.Position) error {
			lines <- fmt.Sprintf("%d %d %s", next.Line, next.Bytes, strings.TrimSpace(string(line)))
			return nil
		}, func(_ controlling.Position, err error) { told <- err.Error() })
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	expect := func(from chan string, want string) {
		t.Helper()
		if got := <-from; got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
	write := func(flags int, text string) {
		t.Helper()
		f, err := os.OpenFile(name, flags|os.O_WRONLY|os.O_CREATE, 0o600)
		if err == nil {
			_, err = f.WriteString(text)
		}
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	expect(told, "not there yet")
	write(os.O_APPEND, "one\n\ntwo\nthr")
	expect(lines, "1 4 one")
	expect(lines, "3 9 two")
	write(os.O_APPEND, "ee\n")
	expect(lines, "4 15 three")
	write(os.O_TRUNC, "new\n")
	expect(told, "shorter than it was: read from its beginning")
	expect(lines, "1 4 new")
	cancel()
	following.Wait()
	f := &controlling.Feed{Name: name, End: true}
	write(os.O_APPEND, "last")
	var got []string
	err := f.Follow(t.Context(), controlling.Position{Bytes: 4, Line: 1}, func(line []byte, next controlling.Position) error {
		got = append(got, string(line), fmt.Sprint(next))
		return nil
	}, nil)
	if err != nil || fmt.Sprint(got) != "[last {8 2}]" {
		t.Error(got, err)
	}
}

// FuzzParseEvent: an event is read, or one line says why not; what is read is a demand or a stage.
func FuzzParseEvent(f *testing.F) {
	for _, text := range []string{"", "[[0,1],[2,0]]", `{"step":3,"demand":[[0,1],[2,0]]}`, `{"stage":2}`, `{"step":1,"stage":0}`, `{"demand":null}`, "[[0,1e99],[1,0]]", `{"demand":[[0,1],[2,0]],"stage":1}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := controlling.ParseEvent(data)
		switch {
		case err != nil && strings.ContainsAny(err.Error(), "\n\r"):
			t.Fatalf("%q: %v", data, err)
		case err == nil && e.Demand == nil && e.Stage < 0, err == nil && e.Demand != nil && e.Demand.Check(len(e.Demand)) != nil, err == nil && e.Step < -1:
			t.Fatalf("%q: %+v", data, e)
		}
	})
}

// FuzzParseState: a saved state is read, or one line says why not.
func FuzzParseState(f *testing.F) {
	f.Add([]byte(`{"schema":"lightpath.control-state/v1","sum":"x","stream":{"step":0,"player":{"at":0,"total_ns":0,"home_ns":0,"known":[{"state":0}]}},"rewired":0}`))
	f.Add([]byte(`{"schema":"lightpath.control-state/v1","feed":{"bytes":-1,"line":0}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := controlling.CheckState(data); err != nil && strings.ContainsAny(err.Error(), "\n\r") {
			t.Fatalf("%q: %v", data, err)
		}
	})
}
