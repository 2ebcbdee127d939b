package page_test

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/page"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

func planned(t testing.TB) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Reconfig.Base = 8, 2*units.Microsecond
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
		Fabric: f, Planner: "harvest", Operations: []lightpath.Operation{{Op: collective.AllReduce, Algorithm: "recursive-doubling", Size: units.MiB}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func written(t testing.TB, p *chart.Page, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// pages are one of each kind.
func pages(t testing.TB) map[string]string {
	t.Helper()
	p := planned(t)
	simulation, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{Plan: p})
	if err != nil {
		t.Fatal(err)
	}
	table, err := lightpath.Sweep(t.Context(), lightpath.SweepRequest{Fabric: p.Fabric, Axes: []sweep.Axis{
		{Name: "op", Values: []string{"allreduce"}}, {Name: "planner", Values: []string{"harvest"}},
		{Name: "size", Values: []string{"1KiB..1MiB/3"}}, {Name: "reconfig", Values: []string{"100ns..10us/3"}}}})
	if err != nil {
		t.Fatal(err)
	}
	reproduction, err := lightpath.Reproduce(t.Context(), lightpath.ReproduceRequest{ID: "harvest/table1/G1-G1-G1/congestion"})
	if err != nil {
		t.Fatal(err)
	}
	shape, err := model.Named("llama3-8b")
	if err != nil {
		t.Fatal(err)
	}
	iterated, err := lightpath.Iterate(t.Context(), lightpath.IterateRequest{Model: shape, Config: parallel.Config{TP: 2, DP: 2, GlobalBatch: 2}})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for name, answer := range map[string]any{"iteration": iterated, "plan": p, "simulation": simulation, "sweep": table, "reproduction": reproduction} {
		made, err := lightpath.Render(answer).Page()
		all[name] = written(t, made, err)
	}
	return all
}

// A page needs nothing but itself: no address is loaded, and every tag that is opened is
// closed.
func TestPagesAreSelfContainedAndWellFormed(t *testing.T) {
	loads := regexp.MustCompile(`(?i)(<link|<iframe|<img|@import|\bsrc\s*=|url\(\s*['"]?[a-z]+:)`)
	tag := regexp.MustCompile(`<(/?)([a-zA-Z][a-zA-Z0-9]*)[^>]*?(/?)>`)
	void := map[string]bool{"meta": true, "br": true, "hr": true, "input": true}
	for name, text := range pages(t) {
		if found := loads.FindString(text); found != "" {
			t.Errorf("%s: loads something: %s", name, found)
		}
		if !strings.HasPrefix(strings.ToLower(text), "<!doctype html>") {
			t.Errorf("%s: begins with %.30q", name, text)
		}
		plain := regexp.MustCompile(`(?s)<(script|style)[^>]*>.*?</(script|style)>`).ReplaceAllString(text, "")
		var open []string
		for _, m := range tag.FindAllStringSubmatch(plain, -1) {
			switch {
			case void[m[2]] || m[3] == "/":
			case m[1] == "":
				open = append(open, m[2])
			case len(open) == 0 || open[len(open)-1] != m[2]:
				t.Fatalf("%s: </%s> closes %v", name, m[2], open)
			default:
				open = open[:len(open)-1]
			}
		}
		// Of these HTML closes the last ones itself.
		if rest := strings.Trim(strings.Join(open, " "), " "); rest != "" && rest != "html body" && rest != "body" && rest != "html" {
			t.Errorf("%s: %s are left open", name, rest)
		}
	}
}

// The table of a plan's page has the parts of its time, which add up, and its stages.
func TestPageOfAPlanHasItsNumbers(t *testing.T) {
	p := planned(t)
	made, err := page.Plan(p)
	text := html.UnescapeString(written(t, made, err))
	for _, want := range []string{
		p.Cost.Total().String(), p.Cost.Startup.String(), p.Cost.Transmission.String(), p.Cost.Reconfiguration.String(),
		p.SameAlgorithm.Static.String(), p.Baselines.EveryStep.String(), "DC(8;2)", "recursive-doubling", "2 reconfigurations",
		"three different clocks",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	sum := 0.0
	for _, m := range regexp.MustCompile(`>(\d+\.\d)%<`).FindAllStringSubmatch(text, 4) {
		var part float64
		if _, err := fmt.Sscan(m[1], &part); err != nil {
			t.Fatal(err)
		}
		sum += part
	}
	if sum < 99.7 || sum > 100.3 { // four numbers with a digit each
		t.Errorf("the parts are %v%%", sum)
	}
}

// What a file names cannot become a part of the page.
func TestNamesAreText(t *testing.T) {
	p := planned(t)
	p.Collective.Algorithm, p.Planner = "<script>alert(1)</script>", `"><img src=x>`
	made, err := page.Plan(p)
	if text := written(t, made, err); strings.Contains(text, "<script>alert") || strings.Contains(text, "<img") {
		t.Error("a name is a tag")
	}
}

// Long tables end with how much there is.
func TestLongTablesSayHowLongTheyAre(t *testing.T) {
	s := &lightpath.Simulation{}
	s.Steps = make([]lightpath.SimulatedStep, 201)
	made, err := page.Simulation(s)
	if text := written(t, made, err); !strings.Contains(text, "201 steps in all") {
		t.Error("it ends without a word")
	}
}

// A stage without steps has no time in a picture: it is refused by its number.
func TestAStageWithoutStepsHasNoPage(t *testing.T) {
	for i := range planned(t).Stages {
		p := planned(t)
		p.Stages[i].Steps = nil
		if _, err := page.Plan(p); err == nil || err.Error() != fmt.Sprintf("stage %d has no step", i+1) {
			t.Errorf("stage %d: %v", i+1, err)
		}
	}
}

func TestOtherAnswersHaveNoPage(t *testing.T) {
	if _, err := lightpath.Render(42).Page(); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}
