package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/explain"
	"github.com/lightpath-net/lightpath/plan/verify"
)

// CSV is for spreadsheets: the rows of an answer that is a list, with the JSON names as
// headings.
type CSV struct{}

// Name of the form.
func (CSV) Name() string { return "csv" }

// About the form.
func (CSV) About() string { return "the rows of an answer that is a list" }

// Write writes the rows.
func (CSV) Write(w io.Writer, answer any) error {
	if own, ok := answer.(interface{ CSV(w io.Writer) error }); ok { // its columns are not those of a struct
		return own.CSV(w)
	}
	if t, ok := answer.(*lightpath.Tuning); ok && len(t.Others) > 0 {
		return tunings(w, t)
	}
	if a, ok := answer.(*lightpath.Advice); ok && len(a.More) > 0 {
		return advices(w, a)
	}
	rows := rowsOf(answer)
	if rows == nil {
		return fmt.Errorf("csv: %w; use json", ErrNoForm)
	}
	out := csv.NewWriter(w)
	if err := writeRows(out, reflect.ValueOf(rows), true, nil, nil); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// tunings writes the tables of several fabrics below each other; the first column names them.
func tunings(w io.Writer, t *lightpath.Tuning) error {
	out := csv.NewWriter(w)
	tables := append([]lightpath.TuneTable{{Name: "this fabric", Rows: t.Rows}}, t.Others...)
	for i, table := range tables {
		if err := writeRows(out, reflect.ValueOf(table.Rows), i == 0, []string{"fabric"}, []string{table.Name}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// advices writes what changes buy for several operations below each other, and last for all of
// them, whose size is empty.
func advices(w io.Writer, a *lightpath.Advice) error {
	out := csv.NewWriter(w)
	for i, one := range append([]lightpath.Advice{*a}, a.More...) {
		values := []string{string(one.Op), strconv.FormatInt(one.SizeBytes, 10)}
		if err := writeRows(out, reflect.ValueOf(one.Changes), i == 0, []string{"op", "size_bytes"}, values); err != nil {
			return err
		}
	}
	if err := writeRows(out, reflect.ValueOf(a.Together), false, nil, []string{"all", ""}); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// writeRows writes a list, under its names if it is to have a head. First are names and values
// of columns that all rows have in common.
func writeRows(out *csv.Writer, rows reflect.Value, head bool, names, values []string) error {
	columns := columnsOf(rows.Type().Elem())
	if head {
		record := slices.Clone(names)
		for _, c := range columns {
			record = append(record, c.name)
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	for i := range rows.Len() {
		record := slices.Clone(values)
		for _, c := range columns {
			record = append(record, cell(rows.Index(i).Field(c.index)))
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	return nil
}

// rowsOf is the list that an answer is, or nil.
func rowsOf(answer any) any {
	switch a := answer.(type) {
	case *lightpath.Comparison:
		return a.Rows
	case *lightpath.Tuning:
		return a.Rows
	case *lightpath.Advice:
		return a.Changes
	case *lightpath.Reproduction:
		return a.Rows
	case *lightpath.Frontier:
		return a.Points
	case *lightpath.TopologyFrontier:
		return a.Frontier
	case *lightpath.Simulation:
		return a.Links
	case *lightpath.Emulation:
		return a.Steps
	case *lightpath.Training:
		return a.Collectives
	case *lightpath.Layout:
		return a.Steps
	case *lightpath.TraceList:
		return a.Traces
	case *lightpath.Catalog:
		return a.Algorithms
	case *lightpath.AlgorithmList:
		return a.Algorithms
	case *explain.Explanation:
		return a.Changes
	case *verify.Report:
		return a.Checks
	}
	return nil
}

type column struct {
	name  string
	index int
}

// columnsOf lists the fields of a row.
func columnsOf(row reflect.Type) []column {
	var columns []column
	for i := range row.NumField() {
		name, _, _ := strings.Cut(row.Field(i).Tag.Get("json"), ",")
		if name != "" && name != "-" {
			columns = append(columns, column{name, i})
		}
	}
	return columns
}

// cell writes a value; what is absent is empty, and lists have spaces between their items.
func cell(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return cell(v.Elem())
	case reflect.Slice, reflect.Array:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = cell(v.Index(i))
		}
		return strings.Join(items, " ")
	case reflect.Float64, reflect.Float32:
		return fmt.Sprint(v.Float()) // a number, also where its type prints a unit
	case reflect.Int, reflect.Int64, reflect.Int32:
		return fmt.Sprint(v.Int())
	}
	return fmt.Sprint(v.Interface())
}
