package collective

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/units"
)

// ReadDemandFile reads a demand from FILE.csv or FILE.json.
func ReadDemandFile(name string) (Demand, error) {
	read := ReadDemandCSV
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv":
	case ".json":
		read = ReadDemandJSON
	default:
		return nil, fmt.Errorf("%s: a demand is a .csv or .json file", name)
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}

// maxDemandNodes is the side of the largest demand that is read: 4096 squared numbers.
const maxDemandNodes = 4096

// ReadDemandCSV reads a demand as a row of whole bytes per sender, or as lines
// src,dst,bytes below that heading; pairs that are not listed then have none.
func ReadDemandCSV(r io.Reader) (Demand, error) {
	lines := csv.NewReader(units.SkipMark(r))
	lines.FieldsPerRecord = -1
	lines.TrimLeadingSpace = true
	lines.Comment = '#'
	lines.ReuseRecord = true
	first, err := lines.Read()
	if err == io.EOF {
		return nil, fmt.Errorf("the file is empty")
	}
	if err != nil {
		return nil, csvError(err)
	}
	if len(first) == 3 && first[0] == "src" && first[1] == "dst" && first[2] == "bytes" {
		return readPairs(lines)
	}
	var d Demand
	for row := first; err == nil; row, err = lines.Read() {
		line, _ := lines.FieldPos(0)
		numbers, err := wholeNumbers(row)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if len(numbers) > maxDemandNodes || len(d) >= maxDemandNodes {
			return nil, fmt.Errorf("line %d: more than %d nodes", line, maxDemandNodes)
		}
		d = append(d, numbers)
		if len(numbers) != len(d[0]) {
			return nil, fmt.Errorf("line %d: %d entries, the first row has %d", line, len(numbers), len(d[0]))
		}
	}
	if err != io.EOF {
		return nil, csvError(err)
	}
	return d, d.Check(len(d))
}

// csvError says what is wrong with the text, line first.
func csvError(err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("line %d: %w", parse.Line, parse.Err)
	}
	return err
}

func readPairs(lines *csv.Reader) (Demand, error) {
	entries := map[[2]int64]int64{}
	n := int64(0)
	for {
		row, err := lines.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, csvError(err)
		}
		line, _ := lines.FieldPos(0)
		numbers, err := wholeNumbers(row)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if len(numbers) != 3 {
			return nil, fmt.Errorf("line %d: want src,dst,bytes", line)
		}
		if max(numbers[0], numbers[1]) >= maxDemandNodes {
			return nil, fmt.Errorf("line %d: more than %d nodes", line, maxDemandNodes)
		}
		pair := [2]int64{numbers[0], numbers[1]}
		if _, twice := entries[pair]; twice {
			return nil, fmt.Errorf("line %d: %d to %d is there twice", line, pair[0], pair[1])
		}
		entries[pair] = numbers[2]
		n = max(n, pair[0]+1, pair[1]+1)
	}
	if n < MinNodes {
		return nil, fmt.Errorf("no pair of different nodes")
	}
	d := emptyDemand(int(n))
	for pair, bytes := range entries {
		d[pair[0]][pair[1]] = bytes
	}
	return d, d.Check(int(n))
}

func emptyDemand(n int) Demand {
	d := make(Demand, n)
	for s := range d {
		d[s] = make([]int64, n)
	}
	return d
}

func wholeNumbers(row []string) ([]int64, error) {
	numbers := make([]int64, len(row))
	for i, text := range row {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("entry %d: %.40q is not a number of bytes (whole, without a unit)", i+1, text)
		}
		numbers[i] = n
	}
	return numbers, nil
}

// ReadDemandJSON reads a demand as a list of rows, [[0,10],[20,0]], in whole bytes.
func ReadDemandJSON(r io.Reader) (Demand, error) {
	var d Demand
	if err := readJSON(r, &d, "a list of rows of whole bytes, [[0,10],[20,0]]"); err != nil {
		return nil, err
	}
	if len(d) > maxDemandNodes {
		return nil, fmt.Errorf("more than %d nodes", maxDemandNodes)
	}
	return d, d.Check(len(d))
}
