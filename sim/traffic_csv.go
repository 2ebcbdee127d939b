package sim

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/lightpath-net/lightpath/units"
)

// trafficHeader is the first line of a traffic file.
var trafficHeader = []string{"src", "dst", "bytes", "start_ns"}

// ReadTraffic reads flows between nodes 0 to nodes-1 from CSV. The first line must be
// src,dst,bytes,start_ns; a start may have decimals, down to a picosecond. An error
// names the line.
func ReadTraffic(r io.Reader, nodes int) ([]Flow, error) {
	in := csv.NewReader(units.SkipMark(r))
	in.ReuseRecord = true
	in.FieldsPerRecord = -1
	row, err := in.Read()
	if err == io.EOF {
		return nil, fmt.Errorf("line 1: empty; want the header src,dst,bytes,start_ns")
	}
	if err != nil {
		return nil, atLine(err)
	}
	if !slices.Equal(row, trafficHeader) {
		return nil, fmt.Errorf("line 1: header %q; want src,dst,bytes,start_ns", row)
	}
	var flows []Flow
	for {
		row, err := in.Read()
		if err == io.EOF {
			return flows, nil
		}
		if err != nil {
			return nil, atLine(err)
		}
		f, err := parseFlow(row, nodes)
		if err != nil {
			line, _ := in.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		flows = append(flows, f)
	}
}

// atLine says where the reading of CSV has failed.
func atLine(err error) error {
	var syntax *csv.ParseError
	if errors.As(err, &syntax) {
		return fmt.Errorf("line %d: %w", syntax.Line, syntax.Err)
	}
	return err
}

func parseFlow(row []string, nodes int) (Flow, error) {
	if len(row) != len(trafficHeader) {
		return Flow{}, fmt.Errorf("%d fields; want src,dst,bytes,start_ns", len(row))
	}
	var numbers [3]int64
	for i := range numbers {
		bits := 32
		if i == 2 {
			bits = 64
		}
		n, err := strconv.ParseInt(row[i], 10, bits)
		if err != nil || n < 0 {
			return Flow{}, fmt.Errorf("%s %q; want a whole number from 0 on", trafficHeader[i], row[i])
		}
		numbers[i] = n
	}
	start, err := units.ParseDuration(row[3] + "ns")
	if err != nil {
		return Flow{}, fmt.Errorf("start_ns %q; want nanoseconds from 0 on with at most three decimals", row[3])
	}
	f := Flow{Src: int32(numbers[0]), Dst: int32(numbers[1]), Bytes: units.Bytes(numbers[2]), Start: start}
	return f, f.validate(nodes)
}

// WriteTraffic writes flows as ReadTraffic reads them.
func WriteTraffic(w io.Writer, flows []Flow) error {
	out := csv.NewWriter(w)
	row := slices.Clone(trafficHeader)
	err := out.Write(row)
	for i := 0; i < len(flows) && err == nil; i++ {
		f := &flows[i]
		row[0], row[1] = strconv.Itoa(int(f.Src)), strconv.Itoa(int(f.Dst))
		row[2], row[3] = strconv.FormatInt(int64(f.Bytes), 10), decimals(int64(f.Start), 3)
		err = out.Write(row)
	}
	out.Flush()
	if err == nil {
		err = out.Error()
	}
	return err
}

// decimals writes n / 10^places, exactly and without trailing zeros.
func decimals(n int64, places int) string {
	text := strconv.FormatInt(n, 10)
	for len(text) <= places {
		text = "0" + text
	}
	end := len(text)
	point := end - places
	for end > point && text[end-1] == '0' {
		end--
	}
	if end == point {
		return text[:point]
	}
	return text[:point] + "." + text[point:end]
}
