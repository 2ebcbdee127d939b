package studio_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/reproduce"
	"github.com/lightpath-net/lightpath/server/studio"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

// openingMap is the map that the view Explore opens on: the answer for its initial form.
type openingMap struct {
	Sizes  []string           `json:"size"`
	Delays []string           `json:"reconfig"`
	Cells  []sweep.AnswerCell `json:"cells"`
}

func exploreAtStart() lightpath.SweepRequest {
	return lightpath.SweepRequest{Axes: []sweep.Axis{
		{Name: sweep.AxisOp, Values: []string{string(collective.AllToAll)}},
		{Name: sweep.AxisSize, Values: []string{"64KiB..1GiB"}},
		{Name: sweep.AxisReconfig, Values: []string{"100ns..10ms"}},
		{Name: "nodes", Values: []string{"16"}},
	}}
}

func TestExploreOpensOnWhatPlannersFind(t *testing.T) {
	const name = "explore.json"
	request := exploreAtStart()
	if err := request.Complete(); err != nil {
		t.Fatal(err)
	}
	values := map[string][]string{}
	for _, a := range request.Axes {
		values[a.Name] = a.Values
	}
	if *rewrite {
		table, err := lightpath.Sweep(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		made := openingMap{Sizes: values[sweep.AxisSize], Delays: values[sweep.AxisReconfig]}
		for _, c := range table.Answer().Cells {
			made.Cells = append(made.Cells, sweep.AnswerCell{
				Params:    map[string]sweep.Param{"size_bytes": c.Params["size_bytes"], "reconfig_ns": c.Params["reconfig_ns"]},
				Algorithm: c.Algorithm, Planner: c.Planner, TotalNs: c.TotalNs, Reconfigurations: c.Reconfigurations,
				BaselinesNs: c.BaselinesNs, OperationBoundNs: c.OperationBoundNs,
			})
		}
		writeStored(t, name, made)
		return
	}
	t.Parallel()
	var got struct {
		Sizes  []string `json:"size"`
		Delays []string `json:"reconfig"`
		Cells  []struct {
			Params struct {
				SizeBytes  float64 `json:"size_bytes"`
				ReconfigNs float64 `json:"reconfig_ns"`
			} `json:"params"`
			TotalNs float64 `json:"total_ns"`
		} `json:"cells"`
	}
	readStored(t, name, &got)
	if len(got.Sizes) != len(values[sweep.AxisSize]) || len(got.Cells) != len(got.Sizes)*len(got.Delays) || len(got.Cells) < 100 {
		t.Fatalf("%d sizes, %d delays, %d cells", len(got.Sizes), len(got.Delays), len(got.Cells))
	}
	for i := 7; i < len(got.Cells); i += 61 {
		c := got.Cells[i]
		p := makeRacer(t, collective.AllToAll, 16, int64(c.Params.SizeBytes), lightpath.Auto, units.Duration(math.Round(c.Params.ReconfigNs*float64(units.Nanosecond))))
		if math.Abs(c.TotalNs/float64(p.Cost.Total())-1) > 1e-9 {
			t.Errorf("cell %d takes %v and not %v; go test ./server/studio -rewrite", i, p.Cost.Total(), c.TotalNs)
		}
	}
}

// recording is the recorded run that the view Run opens on.
type recording struct {
	Summary json.RawMessage      `json:"summary"`
	Slow    float64              `json:"slow"`
	Answer  *lightpath.Emulation `json:"answer"`
}

// The recorded run is of the plan that the current code makes, and it succeeded.
func TestRunOpensOnARunOfTodaysPlan(t *testing.T) {
	const name = "run.json"
	f := fabric.Default()
	f.Nodes, f.Reconfig.Base = 8, 2*units.Microsecond
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{{Op: collective.AllToAll, Size: units.MiB}}})
	if err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		var summary bytes.Buffer
		if err := p.EncodeSummary(&summary); err != nil {
			t.Fatal(err)
		}
		made := recording{Summary: summary.Bytes(), Slow: 3e9 / float64(p.Cost.Total())}
		if made.Answer, err = lightpath.Emulate(t.Context(), lightpath.EmulateRequest{Plan: p, Slow: made.Slow}); err != nil {
			t.Fatal(err)
		}
		writeStored(t, name, made)
		return
	}
	t.Parallel()
	var got struct {
		Slow   float64
		Answer struct {
			OK          bool    `json:"ok"`
			Ranks       int     `json:"ranks"`
			PredictedNs float64 `json:"predicted_ns"`
			MeasuredNs  float64 `json:"measured_ns"`
		}
	}
	readStored(t, name, &got)
	if a := got.Answer; !a.OK || a.Ranks != 8 || math.Abs(a.PredictedNs/float64(p.Cost.Total())-1) > 1e-9 || math.Abs(a.MeasuredNs/a.PredictedNs-1) > 0.5 {
		t.Errorf("the recorded run is %+v; the plan takes %v; go test ./server/studio -rewrite", a, p.Cost.Total())
	}
}

// drawnPapers are those whose figures the studio has.
var drawnPapers = []string{"harvest", "light-bends", "retri", "direct-connect", "reconfigure-or-not"}

func figuresFile(paper string) string { return "figures-" + paper + ".json.gz" }

// The figures of papers have the same names as the figures that the current code draws; their
// style may differ. The tests of package cli compare the claims.
func TestPapersOpenOnFiguresOfToday(t *testing.T) {
	for _, paper := range drawnPapers {
		t.Run(paper, func(t *testing.T) {
			if *rewrite {
				writeFigures(t, paper)
				return
			}
			t.Parallel()
			var got []reproduce.Picture
			data, err := fs.ReadFile(studio.Files(), figuresFile(paper))
			if err != nil {
				t.Fatal(err)
			}
			unzip, err := gzip.NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.NewDecoder(unzip).Decode(&got); err != nil || len(got) < 5 {
				t.Fatal(len(got), err)
			}
			listed, err := lightpath.Reproduce(t.Context(), lightpath.ReproduceRequest{ID: paper, List: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range got {
				named := slices.ContainsFunc(listed.Figures, func(l reproduce.Picture) bool { return p.ID == l.ID || strings.HasPrefix(p.ID, l.ID+"/") })
				if !named || !strings.HasPrefix(p.SVG, "<svg") {
					t.Errorf("there is no figure %s any more; go test ./server/studio -rewrite", p.ID)
				}
			}
		})
	}
}

func writeFigures(t *testing.T, paper string) {
	t.Helper()
	answer, err := lightpath.Reproduce(t.Context(), lightpath.ReproduceRequest{ID: paper, Figures: true})
	if err != nil {
		t.Fatal(err)
	}
	var zipped bytes.Buffer
	z, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err == nil {
		err = cmp.Or(json.NewEncoder(z).Encode(answer.Figures), z.Close(), os.WriteFile(figuresFile(paper), zipped.Bytes(), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
}
