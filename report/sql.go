package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/internal/each"
)

// SQL is for databases: the rows of CSV, as statements that make a table of them. SQLite, DuckDB
// and PostgreSQL read it.
type SQL struct{}

// Name of the form.
func (SQL) Name() string { return "sql" }

// About the form.
func (SQL) About() string {
	return "the same rows as statements that make a table, for sqlite3 and the like"
}

// Write writes a transaction that makes the table. Columns have the names of CSV; a column whose
// values are all numbers has a numeric type, with NULL for empty values.
func (SQL) Write(w io.Writer, answer command.Rendering) error {
	var text bytes.Buffer
	if err := answer.CSV(&text); err != nil {
		if errors.Is(err, ErrNoFormat) {
			return errNoSQL
		}
		return err
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil || len(rows) == 0 {
		return errors.Join(err, io.ErrUnexpectedEOF)
	}
	name := cmp.Or(answer.Table, "answer")
	types := each.Below(len(rows[0]), func(i int) string { return typeOf(rows[1:], i) })
	out := bufio.NewWriter(w)
	out.WriteString("BEGIN;\nCREATE TABLE " + name + " (")
	for i, column := range rows[0] {
		if i > 0 {
			out.WriteString(", ")
		}
		out.WriteString(`"` + strings.ReplaceAll(column, `"`, `""`) + `" ` + types[i])
	}
	out.WriteString(");\n")
	for _, row := range rows[1:] {
		out.WriteString("INSERT INTO " + name + " VALUES (")
		for i, value := range row {
			if i > 0 {
				out.WriteByte(',')
			}
			switch {
			case types[i] == "TEXT":
				value = "'" + strings.ReplaceAll(value, "'", "''") + "'"
			case value == "":
				value = "NULL"
			}
			out.WriteString(value)
		}
		out.WriteString(");\n")
	}
	out.WriteString("COMMIT;\n")
	return out.Flush() // returns the first error of all writes
}

// errNoSQL is the error for answers without rows.
var errNoSQL = noForm("sql: there is no such form of this answer; use json")

// noForm is an error that is ErrNoFormat.
type noForm string

func (e noForm) Error() string   { return string(e) }
func (noForm) Is(err error) bool { return err == ErrNoFormat }

// typeOf returns the type of a column: numeric if it has numbers and nothing else.
func typeOf(rows [][]string, column int) string {
	kind := ""
	for _, row := range rows {
		value := row[column]
		if value == "" {
			continue
		}
		if _, err := strconv.ParseInt(value, 10, 64); err == nil {
			kind = cmp.Or(kind, "BIGINT")
			continue
		}
		if f, err := strconv.ParseFloat(value, 64); err != nil || f-f != 0 || strings.ContainsAny(value, "xX_") {
			return "TEXT" // also for infinite numbers
		}
		kind = "DOUBLE PRECISION"
	}
	if kind == "" {
		return "TEXT"
	}
	return kind
}
