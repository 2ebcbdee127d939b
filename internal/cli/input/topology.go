package input

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/topology/wiring"
)

// ExpressionHelp explains how to write a topology.
func ExpressionHelp() string {
	var text strings.Builder
	part := func(name string, usages []string) {
		const indent, columns = 12, 80
		fmt.Fprintf(&text, "\n  %-*s", indent-3, name)
		at := indent - 1
		for _, usage := range usages {
			usage = strings.ReplaceAll(usage, " or ", " ")
			if at+1+len(usage) > columns {
				fmt.Fprintf(&text, "\n%*s", indent-1, "")
				at = indent - 1
			}
			text.WriteString(" " + usage)
			at += 1 + len(usage)
		}
	}
	members, derived := topology.Usages()
	part("families", members)
	part("operators", derived)
	text.WriteString(`
  circulant C has two-way circuits, DC directed ones
  from file @FILE.csv (u,v[,count[,bandwidth[,delay]]]), @FILE.dot,
            @FILE.graphml; - is an edge list on standard input`)
	return text.String()
}

// Topology reads a user-defined topology if the text names a file, @FILE, or standard input, -;
// for any other text it returns nil.
func Topology(text string) (*wiring.Wiring, error) {
	if text == "-" {
		w, err := wiring.Read(os.Stdin, wiring.CSV)
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return w, nil
	}
	name, named := strings.CutPrefix(text, "@")
	if !named {
		return nil, nil
	}
	format, err := wiring.FormatOf(name)
	if err != nil {
		return nil, err
	}
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	w, err := wiring.Read(file, format)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return w, nil
}

// errUneven means that circuits of a file differ although only their number counts.
var errUneven = errors.New("the file gives circuits different bandwidths or delays, which only schedule and --base support; remove these columns")

// Base returns the expression for which a text stands, and the circuits in a file with a
// bandwidth or a delay of their own.
func Base(text string) (expr string, links fabric.Links, err error) {
	w, err := Topology(text)
	if err != nil || w == nil {
		return text, fabric.Links{}, err
	}
	var differ []fabric.Link
	for _, l := range w.Links {
		if l.From != l.To && (l.Bandwidth > 0 || l.Delay > 0) {
			differ = append(differ, fabric.Link{From: l.From, To: l.To, Bandwidth: l.Bandwidth, Delay: l.Delay, Delayed: l.Delay > 0})
		}
	}
	return w.Expr().String(), fabric.LinksOf(differ...), nil
}

// WithLinks adds the links of --links to those of the file that --base names.
func WithLinks(inFile fabric.Links, text string) (string, error) {
	if inFile.IsZero() || text == "none" {
		return text, nil
	}
	over, err := fabric.ParseLinks(text)
	return inFile.And(over).String(), err
}

// Layout returns the layout for which a text stands: the text itself, or the plugging in a file
// @FILE.csv.
func Layout(text string) (string, error) {
	name, named := strings.CutPrefix(text, "@")
	if !named {
		return text, nil
	}
	file, err := files.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	l, err := layout.ReadCSV(name, file)
	return l.String(), err
}

// Held returns what other jobs hold: the text itself, or the content of a file @FILE, which is a
// list gpu,port or a plan of a job.
func Held(ctx context.Context, text string) (string, error) {
	name, named := strings.CutPrefix(text, "@")
	if !named {
		return text, nil
	}
	file, err := files.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	read := bufio.NewReader(file)
	// A plan is JSON, possibly compressed.
	if begins, _ := read.Peek(1); len(begins) == 0 || !strings.Contains("{ \n\t\x1f", string(begins)) {
		return fabric.ReadHeldCSV(name, read)
	}
	p, err := plan.ReadFile(ctx, name)
	if err != nil {
		return "", err
	}
	return p.Holds()
}

// Expression returns the expression for which a text stands: the text itself, or the circuits in
// a file, which must all be equal.
func Expression(text string) (string, error) {
	w, err := Topology(text)
	switch {
	case err != nil:
		return "", err
	case w == nil:
		return text, nil
	case !w.Uniform():
		return "", errUneven
	}
	return w.Expr().String(), nil
}
