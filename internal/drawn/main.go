// Command drawn finds the topologies that Zhao et al., Efficient Direct-Connect
// Topologies for Collective Communications, only draw: the Diamond and the modified de
// Bruijn graphs. It prints what it finds as Go source, the graphs as they stand in
// topology/found.go and the times of arrival that prove them bandwidth-optimal as in
// planner/direct/arrival/found.go; with -o it writes these files.
//
//	go run ./internal/drawn [-family diamond|dbjmod|all] [-o .]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "drawn:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("drawn", flag.ContinueOnError)
	family := flags.String("family", "all", "what to look for: diamond, dbjmod or all")
	directory := flags.String("o", "", "write topology/found.go and planner/direct/arrival/found.go below this `directory`; needs -family all")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if flags.NArg() > 0 || *directory != "" && *family != "all" {
		return fmt.Errorf("unexpected arguments; -o needs -family all")
	}
	rows, err := rowsOf(*family)
	if err != nil {
		return err
	}
	var all []found
	for _, w := range rows {
		begin := time.Now()
		f, err := find(ctx, w)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s after %v\n", w.expr, time.Since(begin).Round(time.Millisecond))
		all = append(all, f)
	}
	graphs, times, err := source(all)
	if err != nil {
		return err
	}
	if *directory == "" {
		_, err = fmt.Printf("%s\n%s", graphs, times)
		return err
	}
	if err := os.WriteFile(filepath.Join(*directory, "topology", "found.go"), graphs, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(*directory, "planner", "direct", "arrival", "found.go"), times, 0o644)
}

// rowsOf selects the rows of Table 9 that belong to a family.
func rowsOf(family string) ([]wanted, error) {
	var rows []wanted
	for _, w := range table9 {
		if name, _, _ := strings.Cut(strings.ToLower(w.expr), "("); family == "all" || family == name {
			rows = append(rows, w)
		}
	}
	if rows == nil {
		return nil, fmt.Errorf("unknown family %q; known: diamond, dbjmod, all", family)
	}
	return rows, nil
}

// find searches for the graph of one row.
func find(ctx context.Context, w wanted) (found, error) {
	var d, n int
	if _, err := fmt.Sscanf(w.expr, "DBJMod(%d,%d)", &d, &n); err != nil {
		return diamond(ctx, w)
	}
	return modifiedDeBruijn(ctx, w, d, n)
}
