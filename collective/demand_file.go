package collective

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/internal/rows"
)

// ReadDemandFile reads a demand from FILE.csv or FILE.json.
func ReadDemandFile(name string) (Demand, error) {
	return readByName(name, "a demand", ReadDemandCSV, ReadDemandJSON)
}

// readByName reads a file in the format given by its name; what names its content in errors.
func readByName[T any](name, what string, csv, json func(io.Reader) (T, error)) (made T, err error) {
	read := csv
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv":
	case ".json":
		read = json
	default:
		return made, fmt.Errorf("%s: %s is a .csv or .json file", name, what)
	}
	f, err := files.Open(name)
	if err != nil {
		return made, err
	}
	defer f.Close()
	if made, err = read(f); err != nil {
		return made, fmt.Errorf("%s: %w", name, err)
	}
	return made, nil
}

// maxDemandNodes is the most nodes of a demand that is read: 4096 squared numbers.
const maxDemandNodes = 4096

// ReadDemandCSV reads a demand as one row of integer bytes per sender, or as lines
// src,dst,bytes below that heading, in which case unlisted pairs have no bytes.
func ReadDemandCSV(r io.Reader) (Demand, error) {
	lines := rows.New(r)
	lines.TrimLeadingSpace = true
	lines.Comment = '#'
	var d Demand
	var pairs *pairList
	err := lines.Each(func(row []string) error {
		if d == nil && pairs == nil && slices.Equal(row, []string{"src", "dst", "bytes"}) {
			pairs = &pairList{bytes: map[[2]int64]int64{}}
			return nil
		}
		numbers, err := wholeNumbers(row)
		switch {
		case err != nil:
			return err
		case pairs != nil:
			return pairs.add(numbers)
		case len(numbers) > maxDemandNodes || len(d) >= maxDemandNodes:
			return fmt.Errorf("more than %d nodes", maxDemandNodes)
		case len(d) > 0 && len(numbers) != len(d[0]):
			return fmt.Errorf("%d entries, the first row has %d", len(numbers), len(d[0]))
		}
		d = append(d, numbers)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case pairs != nil:
		return pairs.demand()
	case d == nil:
		return nil, fmt.Errorf("the file is empty")
	}
	return d, d.Check(len(d))
}

// pairList is a demand given pair by pair.
type pairList struct {
	bytes map[[2]int64]int64
	nodes int64
}

func (l *pairList) add(numbers []int64) error {
	if len(numbers) != 3 {
		return fmt.Errorf("want src,dst,bytes")
	}
	if max(numbers[0], numbers[1]) >= maxDemandNodes {
		return fmt.Errorf("more than %d nodes", maxDemandNodes)
	}
	pair := [2]int64{numbers[0], numbers[1]}
	if _, twice := l.bytes[pair]; twice {
		return fmt.Errorf("%d to %d is listed twice", pair[0], pair[1])
	}
	l.bytes[pair] = numbers[2]
	l.nodes = max(l.nodes, pair[0]+1, pair[1]+1)
	return nil
}

func (l *pairList) demand() (Demand, error) {
	if l.nodes < MinNodes {
		return nil, fmt.Errorf("no pair of different nodes")
	}
	d := emptyDemand(int(l.nodes))
	for pair, bytes := range l.bytes {
		d[pair[0]][pair[1]] = bytes
	}
	return d, d.Check(len(d))
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

// ReadDemandJSON reads a demand as a list of rows, [[0,10],[20,0]], in integer bytes.
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
