package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/internal/each"
)

// CSV is for spreadsheets: the rows of an answer that is a list, with the JSON names as
// headings.
type CSV struct{}

// Name of the form.
func (CSV) Name() string { return "csv" }

// About the form.
func (CSV) About() string { return "the rows of an answer that is a list" }

// Write writes the rows.
func (CSV) Write(w io.Writer, answer command.Rendering) error { return answer.CSV(w) }

// Rows writes a list of structs as CSV, with the names of their fields in JSON as headings.
func Rows[A, R any](list func(answer *A) []R) func(w io.Writer, answer *A) error {
	return func(w io.Writer, answer *A) error { return block[R]{rows: list(answer)}.write(w) }
}

// block is rows of a table, with what they have in common in the first columns.
type block[R any] struct {
	names, values []string
	rows          []R
}

// write writes the block under its headings, and other blocks below it.
func (b block[R]) write(w io.Writer, others ...block[R]) error {
	out := csv.NewWriter(w)
	columns := columnsOf(reflect.TypeFor[R]())
	head := slices.Clone(b.names)
	head = append(head, each.Of(columns, func(c column) string { return c.name })...)
	if err := out.Write(head); err != nil {
		return err
	}
	for _, part := range append([]block[R]{b}, others...) {
		for i := range part.rows {
			record := slices.Clone(part.values)
			for _, c := range columns {
				record = append(record, cell(reflect.ValueOf(&part.rows[i]).Elem().Field(c.index)))
			}
			if err := out.Write(record); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

type column struct {
	name  string
	index int
}

// columnsOf lists the fields of a row.
func columnsOf(row reflect.Type) []column {
	var columns []column
	for i := range row.NumField() {
		if name, _, _ := strings.Cut(row.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			columns = append(columns, column{name, i})
		}
	}
	return columns
}

// cell writes a value; a missing value is empty, and list items are separated by spaces.
func cell(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return cell(v.Elem())
	case reflect.Slice, reflect.Array:
		items := each.Below(v.Len(), func(i int) string { return cell(v.Index(i)) })
		return strings.Join(items, " ")
	case reflect.Float64, reflect.Float32:
		return fmt.Sprint(v.Float()) // a number, even if its type prints a unit
	case reflect.Int, reflect.Int64, reflect.Int32:
		return fmt.Sprint(v.Int())
	}
	return fmt.Sprint(v.Interface())
}
