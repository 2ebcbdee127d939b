package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/cli/bind"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/schema"
	"github.com/lightpath-net/lightpath/server"
	"github.com/lightpath-net/lightpath/server/client"
	"github.com/lightpath-net/lightpath/units"
)

// fibresRequest is the request of a command that the test adds: a type, and a line in the list.
type fibresRequest struct {
	Fabric fabric.Fabric `json:"fabric,omitzero"`
	Length units.Bytes   `json:"length_bytes,omitzero" help:"fibre of a port, in bytes under way"`
	Spare  int           `json:"spare_ports,omitempty" help:"ports without a fibre"`
	Both   bool          `json:"both,omitempty" help:"count both directions"`
	Kind   string        `json:"kind,omitempty" help:"${KIND} of fibre: single | multi (wide)" default:"single"`
}

func (r *fibresRequest) Complete() error {
	if r.Spare < 0 {
		return field.Errorf("spare_ports", "%d; want 0 or more", r.Spare)
	}
	return nil
}

type fibresAnswer struct {
	Schema string      `json:"schema"`
	Fibres int         `json:"fibres"`
	Bytes  units.Bytes `json:"bytes"`
	Ends   []fibreEnd  `json:"ends"`
}

type fibreEnd struct {
	GPU    int `json:"gpu"`
	Fibres int `json:"fibres"`
}

// fibresView is how its answer looks.
var fibresView = command.View[fibresAnswer]{
	Text:    func(w io.Writer, _ *fibresAnswer) { io.WriteString(w, "fibres\n") },
	Verbose: func(w io.Writer, a *fibresAnswer) { fmt.Fprintf(w, "%d fibres\n", a.Fibres) },
	CSV:     report.Rows(func(a *fibresAnswer) []fibreEnd { return a.Ends }),
	Table:   "ends",
	Picture: func(a *fibresAnswer) (*chart.Scene, error) {
		b := &chart.Bars{Caption: chart.Caption{Title: "Fibres of each GPU"}, Label: "fibres", Parts: []string{"fibres"}}
		for _, e := range a.Ends {
			b.Names, b.Values = append(b.Names, fmt.Sprint("GPU ", e.GPU)), append(b.Values, []float64{float64(e.Fibres)})
		}
		return b.Scene()
	},
	Page: func(a *fibresAnswer) (*chart.Page, error) {
		p := &chart.Page{Title: fmt.Sprintf("A fabric with %d fibres", a.Fibres)}
		p.Text("Fibres, one by one.")
		return p, nil
	},
	Recognise: func(head []byte) bool { return bytes.Contains(head, []byte("test.fibres/v1")) },
	Load: func(_ context.Context, file string) (*fibresAnswer, error) {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		a := &fibresAnswer{}
		return a, json.Unmarshal(data, a)
	},
}

func countFibres(_ context.Context, r fibresRequest, _ ...lightpath.Option) (*fibresAnswer, error) {
	if err := r.Complete(); err != nil {
		return nil, err
	}
	n := r.Fabric.Nodes * (r.Fabric.Ports - r.Spare)
	if r.Both {
		n *= 2
	}
	a := &fibresAnswer{Schema: "test.fibres/v1", Fibres: n, Bytes: units.Bytes(n) * r.Length}
	for i := range r.Fabric.Nodes {
		a.Ends = append(a.Ends, fibreEnd{i, n / r.Fabric.Nodes})
	}
	return a, nil
}

// A field that is added to a request is a flag of its command, unless the command line fills it
// from something else; so a field needs no second place.
func TestEveryFieldIsAFlag(t *testing.T) {
	elsewhere := map[string]string{ // by command: what arguments, files and other flags say
		"plan": "operations fabric", "compare": "operation fabric", "topology": "topology", "schedule": "topology links",
		"simulate": "schedule operation pattern fabric iteration traffic routes rewire triggers",
		"verify":   "schedule operation pattern fabric iteration", "explain": "schedule operation pattern fabric iteration", "compile": "inline iteration", "emulate": "iteration", "check": "file content fabric base", "collective": "op",
		"reproduce": "id list figures", "train": "fabric", "advise": "operation more fabric", "tune": "op least_bytes most_bytes fabric for",
		"sweep": "axes fabric", "calibrate": "samples", "frontier": "operation planner fabric", "wire": "fabric radix spares for", "design": "mix fabric ports island technology",
		"iterate": "workload fabric", "place": "operation fabric", "availability": "fabric for", "workload": "workload",
	}
	all := commands(t)
	for _, c := range lightpath.Commands() {
		line := all[" "+c.Name]
		if c.Name == "frontier" {
			line = all[" plan"]
		}
		for _, f := range reflect.VisibleFields(c.Request) {
			info := field.Describe(f)
			if info.Name == "" || f.Anonymous || slices.Contains(strings.Fields(elsewhere[c.Name]), info.Name) {
				continue
			}
			if info.Help == "" {
				t.Errorf("%s: %s has no help", c.Name, info.Name)
			}
			if line.Flags().Lookup(bind.Flag(&info)) == nil {
				t.Errorf("%s has no --%s", c.Name, bind.Flag(&info))
			}
		}
	}
}

// A command that is added to the list has a command line with flags, help and completion, a
// route, a description, schemas and limits, without a word elsewhere.
func TestACommandIsAddedInOnePlace(t *testing.T) {
	added := []lightpath.Command{lightpath.NewCommand("fibres", "Count the fibres of a fabric", `{"length":"4KiB"}`, countFibres, command.WithView(fibresView))}
	line := func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		s := &session{out: bufio.NewWriter(&out), err: &errs, more: added}
		code := s.run(t.Context(), args)
		return code, out.String(), errs.String()
	}
	has := func(what, text string, words ...string) {
		t.Helper()
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("%s has no %q: %.300s", what, w, text)
			}
		}
	}
	_, help, _ := line("--help")
	has("help", help, "Count the fibres of a fabric")
	_, help, _ = line("fibres", "--help")
	has("its help", strings.Join(strings.Fields(help), " "), "--length SIZE", "--spare-ports N", "--both", "--nodes", "count both directions", "KIND of fibre: single | multi (wide) (default single)")
	_, words, _ := line("__complete", "fib")
	has("completion", words, "fibres")
	_, words, _ = line("__complete", "fibres", "--spa")
	has("completion", words, "--spare-ports")
	_, words, _ = line("__complete", "fibres", "--kind", "mu")
	has("completion", words, "multi")
	const want = `"fibres":24,"bytes":98304`
	squeeze := func(text string) string { return strings.Join(strings.Fields(text), "") }
	code, out, errs := line("fibres", "--nodes", "4", "--ports", "4", "--spare-ports", "1", "--both", "--length", "4KiB", "--json")
	if code != 0 || errs != "" {
		t.Errorf("exit %d, %s", code, errs)
	}
	has("its answer", squeeze(out), want)
	if _, out, _ := line("fibres"); out != "fibres\n" {
		t.Errorf("for people: %q", out)
	}
	few := []string{"fibres", "--nodes", "2", "--ports", "3"}
	if _, out, _ := line(append(few, "--format", "csv")...); out != "gpu,fibres\n0,3\n1,3\n" {
		t.Errorf("for spreadsheets: %q", out)
	}
	_, out, _ = line(append(few, "--format", "sql")...)
	has("SQL", out, "CREATE TABLE ends", "VALUES (1,3)")
	contents := func(file string) string {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
		}
		return string(data)
	}
	dir := t.TempDir()
	picture, kept, page := filepath.Join(dir, "fibres.svg"), filepath.Join(dir, "fibres.json"), filepath.Join(dir, "fibres.html")
	if code, _, errs := line(append(few, "--plot", picture)...); code != 0 {
		t.Errorf("exit %d, %s", code, errs)
	}
	has("the picture", contents(picture), "<svg", "Fibres of each GPU", "GPU 1")
	_, out, _ = line(append(few, "--json")...)
	if err := os.WriteFile(kept, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := line("report", kept, "-o", page); code != 0 {
		t.Errorf("exit %d, %s", code, errs)
	}
	has("the page", contents(page), "<html", "A fabric with 6 fibres", "one by one")
	if code, _, errs := line("fibres", "--spare-ports", "-1"); code != exitUsage || errs != "lightpath: --spare-ports: -1; want 0 or more\n" {
		t.Errorf("exit %d, %q", code, errs)
	}

	service, err := server.New(t.Context(), server.Config{Commands: append(lightpath.Commands(), added...), Limits: server.Limits{Nodes: 100}})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	web := httptest.NewServer(service.Handler())
	defer web.Close()
	post := func(body string) (int, string) {
		r, err := http.Post(web.URL+"/v1/fibres", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		data, _ := io.ReadAll(r.Body)
		return r.StatusCode, string(data)
	}
	_, out = post(`{"fabric":{"nodes":4,"ports":4},"spare_ports":1,"both":true,"length":"4KiB"}`)
	has("the route", squeeze(out), want)
	if status, out := post(`{"fabric":{"nodes":101}}`); status != 422 || !strings.Contains(out, "fabric.nodes") {
		t.Errorf("above the limit: %d %s", status, out)
	}
	c := &client.Client{Base: web.URL, Commands: added}
	r := fibresRequest{Fabric: fabric.Default()}
	if a, err := client.Ask(t.Context(), c, countFibres, r); err != nil || a.Fibres != r.Fabric.Nodes*r.Fabric.Ports {
		t.Errorf("client: %+v, %v", a, err)
	}
	r2, err := http.Get(web.URL + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer r2.Body.Close()
	description, _ := io.ReadAll(r2.Body)
	has("the description", string(description), `"/v1/fibres"`, `"fibres_request"`, "Count the fibres", "count both directions", "multi (wide)")
	text, err := json.Marshal(schema.All(added...)["fibres.request"])
	if err != nil {
		t.Fatal(err)
	}
	has("the schema", string(text), "spare_ports", "length_bytes", "count both directions", "KIND of fibre: single | multi (wide) (default single)")
}

// Every command of the list has a command line, of its own or as a flag, and there is none of a
// command that is not there.
func TestEveryCommandHasACommandLine(t *testing.T) {
	lines := maps.Clone(own)
	for _, c := range lightpath.Commands() {
		if _, ok := lines[c.Name]; !ok {
			t.Logf("%s has the command line of its fields", c.Name)
		}
		delete(lines, c.Name)
	}
	for name := range lines {
		t.Errorf("%s is no command of package lightpath", name)
	}
}
