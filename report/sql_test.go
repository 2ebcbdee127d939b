package report_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/topology"
)

// The statements have the rows of CSV: numbers as numbers, texts quoted, nothing as NULL.
func TestSQLHasTheRowsOfCSV(t *testing.T) {
	table := &sweep.Table{Spec: &sweep.Spec{}}
	for i, name := range []string{"ring", "it's; DROP TABLE cells; --", ""} {
		c := sweep.Cell{Known: true, Params: []sweep.Param{{Name: "size_bytes", Number: 1024 * math.Pow(2, float64(i))}, {Name: "op", Text: "allreduce"}}}
		c.Outcome.Algorithm, c.Outcome.Total = name, 1.5
		if i == 2 {
			c.Outcome.Total, c.Reason = 0, "none"
		}
		table.Cells = append(table.Cells, c)
	}
	var got bytes.Buffer
	if err := (report.SQL{}).Write(&got, lightpath.Render(table)); err != nil {
		t.Fatal(err)
	}
	want := `BEGIN;
CREATE TABLE cells ("size_bytes" BIGINT, "op" TEXT, "algorithm" TEXT, "planner" TEXT, "total_ns" DOUBLE PRECISION, "simulated_ns" TEXT, "reconfigurations" BIGINT, "static_ns" TEXT, "every_step_ns" TEXT, "same_static_ns" TEXT, "same_every_step_ns" TEXT, "operation_bound_ns" TEXT, "reason" TEXT);
INSERT INTO cells VALUES (1024,'allreduce','ring','',1.5,'',0,'','','','','','');
INSERT INTO cells VALUES (2048,'allreduce','it''s; DROP TABLE cells; --','',1.5,'',0,'','','','','','');
INSERT INTO cells VALUES (4096,'allreduce','','',NULL,'',NULL,'','','','','','none');
COMMIT;
`
	if got.String() != want {
		t.Errorf("%s", got.String())
	}
	traces, err := lightpath.Traces()
	if err != nil {
		t.Fatal(err)
	}
	var rows, statements bytes.Buffer
	if err := errors.Join((report.CSV{}).Write(&rows, lightpath.Render(traces)), (report.SQL{}).Write(&statements, lightpath.Render(traces))); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&rows).ReadAll()
	if err != nil || strings.Count(statements.String(), "\nINSERT INTO answer VALUES (") != len(lines)-1 {
		t.Errorf("%d rows, %v:\n%s", len(lines), err, statements.String())
	}
	if err := (report.SQL{}).Write(&got, lightpath.Render(topology.Circulant(8, 1))); !errors.Is(err, report.ErrNoFormat) {
		t.Errorf("%v", err)
	}
}
