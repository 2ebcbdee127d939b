package studio_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/server"
	"github.com/lightpath-net/lightpath/server/studio"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/model"
)

var anew = flag.Bool("stored", false, "compute the answers anew that views open with, and write them")

var designAnew = flag.Bool("stored-design", false, "compute the design anew that a view opens with, which takes minutes, and write it")

// The requests of the views' initial forms, with fields in the order in which the scripts write
// them.
const (
	openIteration = `{"model":"mixtral-8x7b","tp":2,"pp":2,"dp":4,"ep":2,"global_batch":8,"fabric":{"ports":2,"reconfig":"1ms","bandwidth":"800Gbps"}}`
	openWire      = `{"radix":8,"for":[{"op":"allreduce","size":"16MiB"}],"fabric":{"nodes":32,"ports":2,"reconfig":"10us","bandwidth":"800Gbps","island":"8","island_bandwidth":"7200Gbps"}}`
	openPlan      = `{"operations":[{"op":"allreduce","size":"16MiB"}],"fabric":{"nodes":32,"ports":2,"reconfig":"10us","bandwidth":"800Gbps","island":"8","island_bandwidth":"7200Gbps","switches":"%s"}}`
	openDesign    = `{"mix":["allreduce/100MB:1","alltoall/8MB:4","allgather/50MB:2","reducescatter/50MB:1"],"technology":["s15ms","s1ms","s10us","s100ns"],"ports":[1,2,4,8],"island":[1,8],"fabric":{"nodes":512,"bandwidth":"800Gbps","island":"8","island_bandwidth":"7200Gbps"},` +
		`"parts":{"switches":{"s15ms":{"like":"calient","ports":512,"switching":15000000},"s1ms":{"like":"palomar","ports":512,"switching":1000000},"s10us":{"like":"rotornet","ports":512,"switching":10000},"s100ns":{"like":"plzt","ports":512,"switching":100,"loss":"1..2..3 dB"}}}}`
)

// answer runs a command like the service does, and returns the answer and the bytes that the
// service writes.
func answer(t *testing.T, name, request string) (value any, written []byte) {
	t.Helper()
	commands := lightpath.Commands()
	i := slices.IndexFunc(commands, func(c lightpath.Command) bool { return c.Name == name })
	read, err := commands[i].Read([]byte(request))
	if err != nil {
		t.Fatal(name, err)
	}
	if value, err = commands[i].Ask(t.Context(), read); err != nil {
		t.Fatal(name, err)
	}
	var out bytes.Buffer
	if err := lightpath.Render(value).JSON(&out); err != nil {
		t.Fatal(name, err)
	}
	return value, out.Bytes()
}

// object reads JSON with its numbers as they are.
func object(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var o map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		t.Fatal(err)
	}
	return o
}

// rounded returns a document with its times rounded to whole nanoseconds, which no picture can
// show.
func rounded(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = rounded(x)
			if n, ok := x.(json.Number); ok && strings.HasSuffix(k, "_ns") {
				f, _ := n.Float64()
				v[k] = math.Round(f)
			}
		}
	case []any:
		for i, x := range v {
			v[i] = rounded(x)
		}
	}
	return v
}

// iterationStored returns the plan of the iteration without the plans of its collectives, and the
// breakdown of its time.
func iterationStored(t *testing.T) map[string]any {
	value, _ := answer(t, "iterate", openIteration)
	var whole bytes.Buffer
	if err := value.(*lightpath.Iteration).Encode(&whole); err != nil {
		t.Fatal(err)
	}
	_, budget := answer(t, "explain", `{"budget_only":true,"iteration":`+whole.String()+`}`)
	document := object(t, whole.Bytes())
	delete(document, "plans")
	return map[string]any{"models": model.Names(), "request": json.RawMessage(openIteration), "document": rounded(document), "budget": rounded(object(t, budget))}
}

// fabricStored returns the plugging of a fabric, its bill, and the plan on it.
func fabricStored(t *testing.T) map[string]any {
	_, wire := answer(t, "wire", openWire)
	table := object(t, wire)
	best := table["best"].(string)
	request := fmt.Sprintf(openPlan, best)
	value, summary := answer(t, "plan", request)
	var whole bytes.Buffer
	if err := value.(*plan.Plan).Encode(&whole); err != nil {
		t.Fatal(err)
	}
	var stages []any
	for _, s := range object(t, whole.Bytes())["stages"].([]any) {
		s := s.(map[string]any)
		stages = append(stages, map[string]any{"topology": s["topology"], "links": s["links"], "circuits": s["circuits"]})
	}
	short := object(t, summary)
	delete(short, "stages")
	return map[string]any{"request": json.RawMessage(openWire), "wire": table, "plugging": plugging(t, best, 32, 2),
		"technologies": slices.Sorted(maps.Keys(parts.Standard().Switches)),
		"planned":      json.RawMessage(request), "plan": map[string]any{"summary": short, "stages": stages}}
}

// plugging returns the service's answer on where ports are plugged in.
func plugging(t *testing.T, layout string, nodes, ports int) any {
	t.Helper()
	s, err := server.New(t.Context(), server.Config{Data: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, fmt.Sprintf("http://127.0.0.1/v1/plugging?nodes=%d&ports=%d&switches=%s", nodes, ports, layout), nil))
	return object(t, w.Body.Bytes())
}

// storedScript writes values as a module that exports each.
func storedScript(t *testing.T, about string, values map[string]any) string {
	t.Helper()
	text := "// " + about + " Written by go test ./server/studio -stored.\n"
	for _, k := range slices.Sorted(maps.Keys(values)) {
		data, err := json.Marshal(values[k])
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("export const %s = %s;\n", k, data)
	}
	return text
}

// checkStored compares a module with its expected text, and writes it if requested.
func checkStored(t *testing.T, name, want string) {
	t.Helper()
	if *anew {
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := fs.ReadFile(studio.Files(), name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what is computed today; go test ./server/studio -stored", name)
	}
}

// Views open with the service's current answers.
func TestStoredAnswersAreTodays(t *testing.T) {
	checkStored(t, "stored-iteration.js", storedScript(t, "What Iteration opens with.", iterationStored(t)))
	checkStored(t, "stored-fabric.js", storedScript(t, "What Fabric opens with.", fabricStored(t)))
}

// The design takes minutes, so its answer is computed on demand. This test checks that it is
// consistent: times are those of the operations, no choice dominates one on the frontier, every
// other choice is dominated, and the chosen one is the fastest.
func TestTheStoredDesignAddsUp(t *testing.T) {
	const name = "stored-design.js"
	if *designAnew {
		_, data := answer(t, "design", openDesign)
		*anew = true
		checkStored(t, name, storedScript(t, "What Design opens with.", map[string]any{"request": json.RawMessage(openDesign), "answer": object(t, data)}))
		return
	}
	script, err := fs.ReadFile(studio.Files(), name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(script), "export const request = "+openDesign+";\n") {
		t.Error("the stored design answers another request; go test ./server/studio -run Design -stored-design")
	}
	var d lightpath.Design
	if err := json.Unmarshal(regexp.MustCompile(`export const answer = (.*);\n`).FindSubmatch(script)[1], &d); err != nil {
		t.Fatal(err)
	}
	for i, c := range d.Choices {
		sum := units.Time(0)
		for k, m := range d.Mix {
			sum += units.Time(m.Times) * c.TimesNs[k]
		}
		if math.Abs(float64(sum/c.IterationNs)-1) > 1e-9 {
			t.Errorf("choice %d: operations take %v, all together %v", i, sum, c.IterationNs)
		}
		beaten := slices.ContainsFunc(d.Choices, func(o lightpath.DesignChoice) bool {
			no := o.IterationNs > c.IterationNs || o.CostUSD.Likely > c.CostUSD.Likely || o.PowerW.Likely > c.PowerW.Likely
			return !no && (o.IterationNs < c.IterationNs || o.CostUSD.Likely < c.CostUSD.Likely || o.PowerW.Likely < c.PowerW.Likely)
		})
		if beaten == c.OnFrontier {
			t.Errorf("choice %d: beaten %v, on the frontier %v", i, beaten, c.OnFrontier)
		}
		if c.IterationNs < d.Choices[d.Best].IterationNs {
			t.Errorf("choice %d is faster than the best", i)
		}
	}
}

// The records of the studio are those of docs/records.md.
func TestRecordsAreThoseOfTheDocument(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "records.md"))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]any
	op := ""
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			op = strings.TrimSpace(name)
		}
		cells := strings.Split(line, "|")
		if len(cells) != 10 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		nodes, err := strconv.Atoi(cells[1])
		if err != nil {
			continue // a head
		}
		ports, _ := strconv.Atoi(cells[2])
		changes, _ := strconv.Atoi(cells[6])
		size, err1 := units.ParseBytes(cells[3])
		took, err2 := units.ParseDuration(cells[4])
		least, err3 := units.ParseDuration(cells[7])
		if err1 != nil || err2 != nil || err3 != nil {
			t.Fatal(line, err1, err2, err3)
		}
		algorithm, planner, found := strings.Cut(cells[5], ", ")
		if !found || strings.Contains(planner, ", ") {
			t.Fatalf("%q is not an algorithm and a planner", cells[5])
		}
		rows = append(rows, []any{op, nodes, ports, int64(size), float64(took.Time()), algorithm, planner, changes, float64(least.Time())})
	}
	if len(rows) < 300 {
		t.Fatalf("%d records", len(rows))
	}
	checkStored(t, "stored-records.js", storedScript(t, "The records of docs/records.md: operation, GPUs, ports, bytes, ns, algorithm, planner, changes, bound in ns.", map[string]any{"rows": rows}))
}
