package iterations_test

import (
	"bytes"
	"container/heap"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/compile/iterations"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/chakra"
)

// machine runs traces by the rules of ASTRA-sim's congestion-aware analytical network. It knows
// only the files. A rank runs one computation, one communication and one host operation at a
// time, and starts ready operations in the order of their numbers; a custom collective has no
// such limits. A link sends one message at a time, first come, first served; a send ends when
// its message has arrived.
type machine struct {
	files     map[string][]byte
	bandwidth float64 // bytes in a nanosecond
	latency   float64
	groups    map[string][]int
	custom    map[uint64]string // by number of a node
	always    string            // custom collective of all nodes
	now       int64
	events    events
	free      map[[2]int]int64
	wanted    map[[4]int64][]func()
	came      map[[4]int64]int
	left      int // ranks that have not finished
}

type event struct {
	at, order int64
	do        func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func (m *machine) at(time int64, do func()) {
	heap.Push(&m.events, event{time, int64(len(m.events)) + m.now<<20, do})
}

// run is the execution of a trace.
type run struct {
	*machine
	rank    int
	members []int // of a custom collective
	nodes   map[uint64]*chakra.Node
	waits   map[uint64]int
	follow  map[uint64][]uint64
	ready   []uint64
	left    int
	busy    map[string]bool // slots; nil: there are none
	done    func()
}

func (m *machine) start(t *testing.T, rank int, file string, members []int, done func()) {
	nodes, err := chakra.Read(bytes.NewReader(m.files[file]))
	if err != nil || len(nodes) == 0 {
		t.Fatalf("%s: %d nodes, %v", file, len(nodes), err)
	}
	r := &run{machine: m, rank: rank, members: members, nodes: map[uint64]*chakra.Node{}, waits: map[uint64]int{}, follow: map[uint64][]uint64{}, left: len(nodes), done: done}
	if members == nil {
		r.busy = map[string]bool{}
	}
	for i := range nodes {
		n := &nodes[i]
		if r.nodes[n.ID] != nil {
			t.Fatalf("%s: two nodes %d", file, n.ID)
		}
		r.nodes[n.ID], r.waits[n.ID] = n, len(n.Deps)+len(n.Ctrl)
		for _, d := range append(slices.Clone(n.Deps), n.Ctrl...) {
			r.follow[d] = append(r.follow[d], n.ID)
		}
		if r.waits[n.ID] == 0 {
			r.ready = append(r.ready, n.ID)
		}
	}
	r.issue(t)
}

func number(n *chakra.Node, name string) int64 {
	if a := n.Attr(name); a != nil {
		return a.Int
	}
	return 0
}

func slot(n *chakra.Node) string {
	switch {
	case number(n, "is_cpu_op") == 1:
		return "host"
	case n.Type == chakra.Comp:
		return "compute"
	case n.Type == chakra.CommRecv:
		return ""
	}
	return "communicate"
}

func (r *run) issue(t *testing.T) {
	slices.Sort(r.ready)
	for _, id := range slices.Clone(r.ready) {
		n := r.nodes[id]
		if r.busy != nil && r.busy[slot(n)] {
			continue
		}
		if s := slot(n); r.busy != nil && s != "" {
			r.busy[s] = true
		}
		r.ready = slices.DeleteFunc(r.ready, func(other uint64) bool { return other == id })
		real := func(name string) int {
			rank := int(number(n, name))
			if r.members != nil {
				rank = r.members[rank]
			}
			return rank
		}
		end := func() { r.end(t, id) }
		key := [4]int64{number(n, "comm_tag"), int64(real("comm_src")), int64(real("comm_dst")), number(n, "comm_size")}
		switch n.Type {
		case chakra.Comp:
			r.at(r.now+max(1, int64(n.Micros)*1000), end)
		case chakra.CommSend:
			if int(key[1]) != r.rank {
				t.Fatalf("rank %d sends for %d", r.rank, key[1])
			}
			link := [2]int{r.rank, int(key[2])}
			begin, bytes := max(r.now, r.free[link]), float64(key[3])
			r.free[link] = begin + int64(bytes/r.bandwidth)
			r.at(begin+int64(r.latency+bytes/r.bandwidth), func() {
				end()
				if waiting := r.wanted[key]; len(waiting) > 0 {
					r.wanted[key] = waiting[1:]
					waiting[0]()
					return
				}
				r.came[key]++
			})
		case chakra.CommRecv:
			if r.came[key] > 0 {
				r.came[key]--
				r.at(r.now, end)
				continue
			}
			r.wanted[key] = append(r.wanted[key], end)
		case chakra.Collective:
			prefix, members := r.always, []int(nil)
			if prefix == "" {
				prefix = r.custom[id]
			}
			if group := n.Attr("pg_name"); group != nil {
				members = r.groups[group.Text]
			} else {
				for k := range r.machine.left {
					members = append(members, k)
				}
			}
			r.start(t, r.rank, fmt.Sprintf("%s.%d.et", prefix, slices.Index(members, r.rank)), members, end)
		default:
			t.Fatalf("a node of type %d", n.Type)
		}
	}
}

func (r *run) end(t *testing.T, id uint64) {
	if r.busy != nil {
		r.busy[slot(r.nodes[id])] = false
	}
	for _, next := range r.follow[id] {
		if r.waits[next]--; r.waits[next] == 0 {
			r.ready = append(r.ready, next)
		}
	}
	if r.left--; r.left == 0 {
		r.done()
		return
	}
	r.issue(t)
}

// perform runs files, and returns when the last rank has finished.
func perform(t *testing.T, files map[string][]byte, ranks int) units.Time {
	t.Helper()
	m := &machine{files: files, free: map[[2]int]int64{}, wanted: map[[4]int64][]func(){}, came: map[[4]int64]int{}, custom: map[uint64]string{}, left: ranks}
	for _, line := range strings.Split(string(files["network.yml"]), "\n") {
		name, rest, _ := strings.Cut(line, ": [ ")
		value, _, _ := strings.Cut(rest, " ]")
		v, _ := strconv.ParseFloat(value, 64)
		switch name {
		case "bandwidth":
			m.bandwidth = v * (1 << 30) / 1e9
		case "latency":
			m.latency = v
		case "npus_count":
			if int(v) != ranks {
				t.Errorf("%v NPUs for %d ranks", v, ranks)
			}
		}
	}
	var system map[string]any
	if err := json.Unmarshal(files["system.json"], &system); err != nil {
		t.Fatal(err)
	}
	for name, value := range system {
		if strings.HasSuffix(name, "-implementation-custom") {
			m.always = value.([]any)[0].(string)
		}
	}
	if list, ok := system["per-node-custom-implementation"].(string); ok {
		for _, line := range strings.Split(strings.TrimSpace(string(files[list])), "\n") {
			id, prefix, _ := strings.Cut(line, ": ")
			n, err := strconv.ParseUint(id, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			m.custom[n] = prefix
		}
		if err := json.Unmarshal(files["comm_group.json"], &m.groups); err != nil {
			t.Fatal(err)
		}
	}
	finished := 0
	for r := range ranks {
		m.start(t, r, fmt.Sprintf("iteration.%d.et", r), nil, func() { finished++ })
	}
	for len(m.events) > 0 {
		e := heap.Pop(&m.events).(event)
		m.now = e.at
		e.do()
	}
	if finished != ranks {
		t.Fatalf("%d of %d ranks finish", finished, ranks)
	}
	return units.Time(m.now)
}

func written(t *testing.T, r *compile.Result) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, f := range r.Files {
		out := &bytes.Buffer{}
		if err := f.Write(out); err != nil {
			t.Fatal(err)
		}
		all[f.Name] = out.Bytes()
	}
	return all
}

// TestTracesTakeTheTimeOfTheIteration: running the files takes the time that the result states,
// and the plan's time within two percent if no rank forwards and no two concurrent
// communications share a link.
func TestTracesTakeTheTimeOfTheIteration(t *testing.T) {
	t.Parallel()
	forms, refused := map[string]int{}, 0
	for i, settings := range []map[string]string{
		{"reconfig": "100us"}, {"reconfig": "1us"}, {"switches": "rails", "reconfig": "10us"},
		{"island": "2", "island-bandwidth": "3200Gbps"}, {"ports": "1", "reconfig": "10us"}, {"ports": "4"},
		{"island": "4", "island-bandwidth": "1600Gbps", "island-alpha": "2us"},
	} {
		name := fmt.Sprint(settings)
		for j, policy := range append([]string{iteration.Best}, iteration.Policies()...) {
			if (i+j)%3 > 0 && !samples.Every() {
				continue // in turn
			}
			a := agenda(t, policy, settings)
			if a == nil {
				continue
			}
			for _, form := range []string{"", compile.CollectivesForm, compile.MessagesForm} {
				made, err := iterations.Compile(t.Context(), a, compile.Known(), compile.ASTRA, &compile.ASTRAOptions{Form: form})
				if form == compile.CollectivesForm && errors.Is(err, compile.ErrRefused) && strings.Contains(err.Error(), "share circuits") {
					refused++
					continue
				}
				if err != nil {
					t.Fatalf("%s, %s, %s: %v", name, policy, form, err)
				}
				files := written(t, made)
				calls := files["collectives.yml"] != nil
				took := perform(t, files, a.Ranks)
				forwards, shares := strings.Contains(fmt.Sprint(made.Causes), "forward"), strings.Contains(fmt.Sprint(made.Causes), "share")
				within := 1e-6
				if forwards { // of two messages that are ready at the same time, either may be first
					within = 0.005
				}
				if calls && form != "" { // communications and changes of a rank may wait for one another
					within = 0.05
				}
				if d := float64(took/made.Carried) - 1; math.Abs(d) > within {
					t.Errorf("%s, %s, form %q: files take %v, not %v (%+.4f%%)", name, policy, form, took, made.Carried, 100*d)
				}
				if d := float64(took/a.Iteration) - 1; math.Abs(d) > 0.02 && !forwards && !shares && form != compile.CollectivesForm {
					t.Errorf("%s, %s, form %q: files take %v, the plan %v (%+.4f%%): %v", name, policy, form, took, a.Iteration, 100*d, made.Causes)
				}
				if form == "" {
					forms[map[bool]string{false: compile.MessagesForm, true: compile.CollectivesForm}[calls]]++
				}
			}
		}
	}
	if forms[compile.CollectivesForm] == 0 || forms[compile.MessagesForm] == 0 || refused == 0 {
		t.Errorf("forms: %v, refused %d times; want both, and some", forms, refused)
	}
}

// TestTracesAreReadAsTheWorkload: the reader of Chakra's traces finds in them the iteration's
// workload, rank by rank.
func TestTracesAreReadAsTheWorkload(t *testing.T) {
	t.Parallel()
	a := agenda(t, iteration.Phases, map[string]string{"reconfig": "10us"})
	made, err := iterations.Compile(t.Context(), a, compile.Known(), compile.ASTRA, &compile.ASTRAOptions{Form: compile.CollectivesForm})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, content := range written(t, made) {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := chakra.ReadFiles(t.Context(), filepath.Join(folder, "iteration"), chakra.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, want := contents(t, w), contents(t, a.Workload)
	for rank := range want {
		if got[rank] != want[rank] {
			t.Errorf("rank %d: %s, want %s", rank, got[rank], want[rank])
		}
	}
}

// contents describes each rank: its compute time, and its communications with their counts.
func contents(t *testing.T, w *workload.Workload) []string {
	t.Helper()
	g, err := w.Graph(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := make([]string, w.Ranks)
	for r, class := range g.Of {
		times := map[string]int{}
		compute := units.Duration(0)
		for i := range g.Classes[class].Tasks {
			switch task := &g.Classes[class].Tasks[i]; task.Type {
			case workload.Computation:
				compute += *task.Op.Compute
			case workload.Collective:
				for _, group := range w.Kinds[task.Op.Kind] {
					if len(group) > 1 && slices.Contains(group, r) {
						times[fmt.Sprint(task.Op.Op, task.Op.Size, group)]++
					}
				}
			case workload.Send:
				times[fmt.Sprint("send", task.Op.Size, task.Op.SendTo.Of(r))]++
			case workload.Receive, workload.Call:
			}
		}
		all[r] = fmt.Sprint(compute, times)
	}
	return all
}
