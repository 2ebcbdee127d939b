package input

import (
	"errors"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/internal/cli/bind"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/model"
)

// Binder makes flags of fields. Its spellings add to the fields' tags and types: known names,
// and files.
var Binder = &bind.Binder{Spellings: []bind.Spelling{
	{Name: "planner", Words: PlannerNames},
	{Name: "algorithm", Words: AlgorithmNames},
	{Name: "to", Type: reflect.TypeFor[compile.Format](), Words: TargetNames, Listed: true},
	{Name: "topology", Type: reflect.TypeFor[string](), Read: form(Expression)},
	{Type: reflect.TypeFor[*train.Trace](), Words: train.Names, Also: "a FILE.csv", Read: form(train.Load)},
	{Type: reflect.TypeFor[*model.Model](), Words: model.Names, Also: "a FILE.yaml", Read: form(model.Load)},
	{Type: reflect.TypeFor[*collective.PatternFile](), Read: form(readPatternFile)},
	{Type: reflect.TypeFor[*workload.Workload](), Read: form(Workload)},
	{Type: reflect.TypeFor[collective.DemandValue](), Also: "a FILE.csv or FILE.json", Read: form(readDemand)},
	{Type: reflect.TypeFor[collective.TraceValue](), Also: "a FILE.csv or FILE.json", Read: form(readDemandTrace)},
	{Name: "technology", Words: technologyNames},
	{Type: reflect.TypeFor[*parts.Catalogue](), Read: form(parts.ReadFile)},
	{Type: reflect.TypeFor[timetable.PortMap](), Read: form(timetable.ReadPortMapFile)},
	{Type: reflect.TypeFor[collective.Members](), Read: form(readMembers)},
	{Type: reflect.TypeFor[*collective.Operation](), Read: form(readOperation)},
}}

// form is a function that reads a type, for a bind.Spelling.
func form[T any](read func(string) (T, error)) func(string) (any, error) {
	return func(text string) (any, error) { return read(text) }
}

func readPatternFile(name string) (*collective.PatternFile, error) {
	if name == "" {
		return nil, errors.New("the file name is empty")
	}
	return collective.ReadPatternFile(name)
}

// readDemand reads the demand in a file, or the word of a generator.
func readDemand(text string) (d collective.DemandValue, err error) {
	if !isDemandFile(text) {
		d.Generator = text
		return d, nil
	}
	d.Bytes, err = collective.ReadDemandFile(text)
	return d, err
}

// readDemandTrace reads the demands in a file, or the word of a generator.
func readDemandTrace(text string) (t collective.TraceValue, err error) {
	if !isDemandFile(text) {
		t.Generator = text
		return t, nil
	}
	t.Steps, err = collective.ReadDemandTraceFile(text)
	return t, err
}

// isDemandFile reports whether a demand is in a file, which then gives the bytes.
func isDemandFile(text string) bool {
	lower := strings.ToLower(text)
	return strings.HasSuffix(lower, ".csv") || strings.HasSuffix(lower, ".json")
}

func readMembers(text string) (collective.Members, error) { return collective.ParseMembers(text) }

func readOperation(text string) (*collective.Operation, error) {
	o, err := collective.ParseOperation(text)
	return &o, err
}

// OfferOperations makes the shell complete an operation.
func OfferOperations(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	names := each.Of(collective.Ops(), func(op collective.Op) string { return string(op) })
	return bind.Beginning(names, typed), cobra.ShellCompDirectiveNoFileComp
}

// AlgorithmNames returns the words of --algorithm.
func AlgorithmNames() []string {
	names := []string{lightpath.Auto}
	for _, a := range lightpath.List().Algorithms {
		names = append(names, a.Name)
	}
	return names
}

// PlannerNames returns the words of --planner.
func PlannerNames() []string { return lightpath.Planners().Names() }

// technologyNames returns the words of --technology; files of parts add more.
func technologyNames() []string { return parts.Standard().Technologies() }

func presetNames() []string {
	var names []string
	for _, p := range lightpath.List().Presets {
		names = append(names, p.Name)
	}
	return names
}

// TargetNames returns the formats of compile.
func TargetNames() []string { return Targets{compile.Known()}.Names() }
