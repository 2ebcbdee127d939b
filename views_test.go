package lightpath_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
)

// Every answer has text, rows, a picture and a page, or here is why not; no answer is shown in two
// ways, and every command shows what it answers.
func TestEveryAnswerHasItsViews(t *testing.T) {
	const (
		single = "it is no list"
		names  = "names to choose from have no picture"
		small  = "one picture or table, with nothing to put beside it"
	)
	without := map[string]map[string]string{
		"plan.Plan":                  {"CSV": "its stages hold steps, and those transfers: JSON has them"},
		"explain.Explanation":        {"Page": small},
		"verify.Report":              {"Page": small},
		"topology.Metrics":           {"CSV": single, "Page": small},
		"comparing.Comparison":       {"Page": small},
		"comparing.Frontier":         {"Page": small},
		"exploring.Schedule":         {"CSV": single, "Page": small},
		"exploring.AlgorithmSteps":   {"Page": small},
		"exploring.Catalog":          {"Picture": names, "Page": small},
		"exploring.AlgorithmList":    {"Picture": names, "Page": small},
		"exploring.StoreContent":     {"CSV": single, "Picture": "a count", "Page": small},
		"exploring.TopologyFrontier": {"Page": small},
		"compiling.Compilation":      {"CSV": "it is files", "Page": small},
		"compiling.Checked":          {"CSV": "its checks are of several files at a time", "Page": small},
		"training.Training":          {"Page": small},
		"training.TraceList":         {"Picture": names, "Page": small},
		"workloads.ModelList":        {"Picture": names, "Page": small},
		"advising.Advice":            {"Page": small},
		"tuning.Tuning":              {"Page": small},
		"emulating.Calibration":      {"CSV": single, "Page": small},
		"emulating.Emulation":        {"Page": small},
		"placing.Placement":          {"Page": small},
		"available.Availability":     {"Picture": "shares of time differ in the fourth digit: no picture shows that", "Page": small},
		"wiring.LayoutTable":         {"Picture": "a table of pluggings: which is best is one word", "Page": small},
		"sweep.Comparison":           {"CSV": "each of its two tables has rows", "Picture": "each of its two tables has one", "Page": small},
	}
	seen := map[string]string{}
	for _, c := range lightpath.Commands() {
		if len(c.Views) == 0 {
			t.Errorf("%s shows nothing", c.Name)
			continue
		}
		// The answers of these are of another type than their JSON, which is Answer.
		if first := c.Views[0].Of(); first != c.Answer && !slices.Contains([]string{"plan", "sweep", "workload"}, c.Name) {
			t.Errorf("%s answers %v and shows %v first", c.Name, c.Answer, first)
		}
		for _, look := range c.Views {
			name := look.Of().String()
			if other, twice := seen[name]; twice {
				t.Errorf("%s is shown by %s and by %s", name, other, c.Name)
			}
			seen[name] = c.Name
			v := reflect.ValueOf(look)
			has := func(way string) bool { return !v.FieldByName(way).IsNil() }
			for way, ok := range map[string]bool{
				"Text": has("Text"), "CSV": has("CSV"), "Picture": has("Picture") || has("PlanPicture"), "Page": has("Page"),
			} {
				if why := without[name][way]; ok == (why != "") {
					t.Errorf("%s of %s: %v, and why not: %q", way, name, ok, why)
				}
			}
			if has("Recognise") != has("Load") {
				t.Errorf("%s is recognised and not loaded, or the other way round", name)
			}
		}
	}
	for name := range without {
		if seen[name] == "" {
			t.Errorf("%s is the answer of no command", name)
		}
	}
}

// The text of an answer has hints in the words of the library: a program has no flags.
func TestTextsOfTheLibraryNameNoFlags(t *testing.T) {
	var text strings.Builder
	if err := lightpath.Render(lightpath.List()).Text(&text, true); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "(preset NAME; sources with json)") || strings.ContainsAny(text.String(), "`") {
		t.Error(text.String())
	}
	if strings.Contains(text.String(), "--") {
		t.Error("names a flag")
	}
}
