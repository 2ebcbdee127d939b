package train

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/internal/rows"
	"github.com/lightpath-net/lightpath/units"
)

// traceHeader names the columns; the last is optional.
var traceHeader = []string{"name", "bytes", "forward_ns", "backward_ns", "alltoall_bytes"}

const traceColumns = "name,bytes,forward_ns,backward_ns with or without alltoall_bytes"

// ReadTrace reads a trace from CSV: one line per layer in the order of the forward pass under
// the heading name,bytes,forward_ns,backward_ns,alltoall_bytes, whose last column is optional.
// Lines that begin with # are comments; those before the heading become Trace.About. Times are
// in nanoseconds with up to three decimals. An error names the line.
func ReadTrace(r io.Reader) (*Trace, error) {
	data, err := io.ReadAll(units.SkipMark(r))
	if err != nil {
		return nil, err
	}
	in := rows.New(bytes.NewReader(data))
	in.Comment = '#'
	heading, err := in.Heading("the heading " + traceColumns)
	if err != nil {
		return nil, err
	}
	columns := len(heading)
	if columns < len(traceHeader)-1 || columns > len(traceHeader) || !slices.Equal(heading, traceHeader[:columns]) {
		return nil, fmt.Errorf("line %d: heading %q; want %s", in.Line(), strings.Join(heading, ","), traceColumns)
	}
	t := &Trace{About: leadingComments(data)}
	under := in.Line()
	var sum Totals
	err = in.Each(func(row []string) error {
		l, err := parseLayer(row, columns)
		if err == nil {
			err = sum.room(&l)
		}
		sum.add(&l)
		t.Layers = append(t.Layers, l)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(t.Layers) == 0 {
		return nil, fmt.Errorf("line %d: no layer under the heading", under)
	}
	return t, nil
}

func parseLayer(row []string, columns int) (Layer, error) {
	if len(row) != columns {
		return Layer{}, fmt.Errorf("%d fields; want %s", len(row), strings.Join(traceHeader[:columns], ","))
	}
	l := Layer{Name: row[0]}
	if err := checkName(l.Name); err != nil {
		return l, err
	}
	var err error
	if l.Bytes, err = parseSize(row, 1); err != nil {
		return l, err
	}
	if l.Forward, err = parseTime(row, 2); err != nil {
		return l, err
	}
	if l.Backward, err = parseTime(row, 3); err != nil {
		return l, err
	}
	if columns == len(traceHeader) {
		l.Exchange, err = parseSize(row, 4)
	}
	return l, err
}

func parseSize(row []string, column int) (units.Bytes, error) {
	n, err := strconv.ParseInt(row[column], 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s %q; want a whole number from 0 on", traceHeader[column], row[column])
	}
	return units.Bytes(n), nil
}

func parseTime(row []string, column int) (units.Duration, error) {
	d, err := units.ParseDuration(row[column] + "ns")
	if err != nil {
		return 0, fmt.Errorf("%s %q; want nanoseconds from 0 on with at most three decimals", traceHeader[column], row[column])
	}
	return d, nil
}

// leadingComments returns the comment lines before the first line that is neither empty nor a
// comment.
func leadingComments(data []byte) []string {
	var about []string
	for text := range strings.Lines(string(data)) {
		text = strings.TrimSpace(text)
		comment, ok := strings.CutPrefix(text, "#")
		if !ok && text != "" {
			break
		}
		if comment = strings.TrimSpace(comment); comment != "" {
			about = append(about, comment)
		}
	}
	return about
}

// WriteTrace writes a trace for ReadTrace.
func WriteTrace(w io.Writer, t *Trace) error {
	columns := len(traceHeader) - 1
	if slices.ContainsFunc(t.Layers, func(l Layer) bool { return l.Exchange > 0 }) {
		columns++
	}
	for _, text := range t.About {
		if _, err := fmt.Fprintf(w, "# %s\n", text); err != nil {
			return err
		}
	}
	out := csv.NewWriter(w)
	row := slices.Clone(traceHeader[:columns])
	err := out.Write(row)
	for i := 0; i < len(t.Layers) && err == nil; i++ {
		l := &t.Layers[i]
		row = append(row[:0], l.Name, strconv.FormatInt(int64(l.Bytes), 10), nanoseconds(l.Forward), nanoseconds(l.Backward))
		if columns == len(traceHeader) {
			row = append(row, strconv.FormatInt(int64(l.Exchange), 10))
		}
		err = out.Write(row)
	}
	out.Flush()
	if err == nil {
		err = out.Error()
	}
	return err
}

// nanoseconds writes a duration exactly, without its unit.
func nanoseconds(d units.Duration) string {
	whole, rest := int64(d)/1000, int64(d)%1000
	if rest == 0 {
		return strconv.FormatInt(whole, 10)
	}
	return strings.TrimRight(fmt.Sprintf("%d.%03d", whole, rest), "0")
}

// ReadTraceFile reads a trace, which is named after its file.
func ReadTraceFile(name string) (*Trace, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := ReadTrace(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t.Name = strings.TrimSuffix(filepath.Base(name), ".csv")
	return t, nil
}
