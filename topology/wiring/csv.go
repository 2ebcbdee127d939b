package wiring

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// columns are the columns of an edge list, in order.
var columns = [...]string{"u", "v", "count", "bandwidth", "delay"}

// isHeader reports whether the first line names the columns.
func isHeader(cells []string) bool {
	switch strings.ToLower(cells[0]) {
	case "u", "src", "source", "from":
		return true
	}
	return false
}

// readCSV reads an edge list: u,v[,count[,bandwidth[,delay]]], a line per bundle, under an
// optional header. It ignores empty lines, and what follows a #.
func readCSV(text string, b *builder) error {
	first := true
	for number, line := range lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		cells := strings.Split(line, ",")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if first && isHeader(cells) {
			first = false
			continue
		}
		first = false
		if err := readRow(cells, b); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	return nil
}

func readRow(cells []string, b *builder) error {
	if len(cells) < 2 || len(cells) > len(columns) {
		return fmt.Errorf("%d values; want u,v[,count[,bandwidth[,delay]]]", len(cells))
	}
	for _, cell := range cells[:2] {
		if _, err := nodeNumber(cell); err != nil {
			return err
		}
	}
	l := Link{From: b.node(cells[0]), To: b.node(cells[1]), Count: 1}
	for i, cell := range cells[2:] {
		if cell == "" {
			continue
		}
		if err := l.attribute(columns[i+2], cell); err != nil {
			return err
		}
	}
	b.links = append(b.links, l)
	return nil
}

// lines yields the lines of a text with their numbers, without their ends.
func lines(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		number := 0
		for line := range strings.Lines(text) {
			number++
			if !yield(number, strings.TrimRight(line, "\r\n")) {
				return
			}
		}
	}
}

// writeCSV writes as many columns as are needed. Nodes are numbers.
func (w *Wiring) writeCSV(out io.Writer) error {
	width := 2
	for _, l := range w.Links {
		switch {
		case l.Delay != 0:
			width = 5
		case l.Bandwidth != 0:
			width = max(width, 4)
		case l.Count != 1:
			width = max(width, 3)
		}
	}
	buffered := bufio.NewWriter(out)
	fmt.Fprintln(buffered, strings.Join(columns[:width], ","))
	for _, l := range w.Links {
		cells := []string{fmt.Sprint(l.From), fmt.Sprint(l.To), fmt.Sprint(l.Count), "", ""}
		if l.Bandwidth != 0 {
			cells[3] = l.Bandwidth.String()
		}
		if l.Delay != 0 {
			cells[4] = l.Delay.String()
		}
		fmt.Fprintln(buffered, strings.Join(cells[:width], ","))
	}
	return buffered.Flush()
}
