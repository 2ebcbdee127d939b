package calibrate

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/internal/rows"
	"github.com/lightpath-net/lightpath/units"
)

const header = "bytes,time_ns, and optionally steps and bandwidth_factor"

// Read reads samples from CSV. The first line names the columns: bytes and time_ns and, if
// they are known, steps and bandwidth_factor, in any order. An error names the line.
func Read(r io.Reader) ([]Sample, error) {
	in := rows.New(r)
	in.TrimLeadingSpace = true
	in.FieldsPerRecord = 0 // as many as the heading has
	row, err := in.Heading("columns " + header)
	if err != nil {
		return nil, err
	}
	columns, err := readHeader(row)
	if err != nil {
		return nil, err
	}
	var samples []Sample
	err = in.Each(func(row []string) error {
		s, err := readSample(row, columns)
		samples = append(samples, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	return samples, nil
}

func readHeader(row []string) (map[string]int, error) {
	columns := map[string]int{}
	for i, name := range row {
		name = strings.TrimSpace(name)
		if _, twice := columns[name]; twice {
			return nil, fmt.Errorf("line 1: column %q twice", name)
		}
		switch name {
		case "bytes", "time_ns", "steps", "bandwidth_factor":
			columns[name] = i
		default:
			return nil, fmt.Errorf("line 1: column %q; want %s", name, header)
		}
	}
	for _, name := range []string{"bytes", "time_ns"} {
		if _, there := columns[name]; !there {
			return nil, fmt.Errorf("line 1: no column %s; want %s", name, header)
		}
	}
	return columns, nil
}

func readSample(row []string, columns map[string]int) (Sample, error) {
	var s Sample
	var t float64
	for _, field := range []struct {
		name string
		into *float64
	}{{"bytes", &s.Bytes}, {"time_ns", &t}, {"steps", &s.Steps}, {"bandwidth_factor", &s.Factor}} {
		i, there := columns[field.name]
		if !there {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(row[i]), 64)
		if err != nil || !(v >= 0) || math.IsInf(v, 0) || v == 0 && field.name != "bytes" {
			return s, fmt.Errorf("%s %q; want a number above 0 (bytes may be 0)", field.name, row[i])
		}
		*field.into = v
	}
	s.Time = units.Time(t)
	return s, nil
}
