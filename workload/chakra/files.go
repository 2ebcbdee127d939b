package chakra

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/model"
)

// Options have what a trace does not say.
type Options struct {
	// SPMD makes all ranks do what the only rank with a trace does.
	SPMD bool
	// Ranks is the number of ranks; 0: as many as there are traces, or as groups mention.
	Ranks int
	// Groups is the file of groups; "": PREFIX.comm_group.json or comm_group.json next to the
	// traces, if there is one.
	Groups string
	// Speed is the speed of a GPU, for computations that give a number of operations but no
	// duration.
	Speed model.Speed
}

// trace is the program of one rank.
type trace struct {
	rank  int
	file  string
	nodes []Node
}

// ReadFiles reads the traces PREFIX.0.et, PREFIX.1.et, .. as a workload.
func ReadFiles(ctx context.Context, prefix string, o Options) (*workload.Workload, error) {
	names, err := traceFiles(prefix)
	if err != nil {
		return nil, err
	}
	var traces []trace
	for _, n := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t, err := readTrace(n)
		if err != nil {
			return nil, err
		}
		traces = append(traces, t)
	}
	groups, err := findGroups(prefix, o.Groups)
	if err != nil {
		return nil, err
	}
	w, err := load(ctx, traces, groups, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", prefix, err)
	}
	w.Name = filepath.Base(prefix)
	return w, nil
}

// traceFiles lists the traces of a prefix by rank.
func traceFiles(prefix string) ([]trace, error) {
	folder, base := filepath.Split(prefix)
	entries, err := os.ReadDir(cmp.Or(folder, "."))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", prefix, errors.Unwrap(err))
	}
	var found []trace
	for _, e := range entries {
		middle, ok := strings.CutPrefix(e.Name(), base+".")
		digits, et := strings.CutSuffix(middle, ".et")
		rank, err := strconv.Atoi(digits)
		if ok && et && err == nil && rank >= 0 && strconv.Itoa(rank) == digits {
			found = append(found, trace{rank: rank, file: filepath.Join(folder, e.Name())})
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: no file %s.0.et; want a trace for every rank", prefix, base)
	}
	slices.SortFunc(found, func(a, b trace) int { return a.rank - b.rank })
	return found, nil
}

func readTrace(t trace) (trace, error) {
	f, err := files.Open(t.file)
	if err != nil {
		return t, err
	}
	defer f.Close()
	if t.nodes, err = Read(f); err != nil {
		return t, fmt.Errorf("%s: %w", t.file, err)
	}
	return t, nil
}

// findGroups reads the file of groups, if there is one.
func findGroups(prefix, name string) ([]Group, error) {
	for _, candidate := range []string{prefix + ".comm_group.json", filepath.Join(filepath.Dir(prefix), "comm_group.json")} {
		if _, err := os.Stat(candidate); name == "" && !errors.Is(err, fs.ErrNotExist) {
			name = candidate
		}
	}
	if name == "" {
		return nil, nil
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err == nil {
		groups, wrong := ReadGroups(data)
		if wrong == nil {
			return groups, nil
		}
		err = wrong
	}
	return nil, fmt.Errorf("%s: %w", name, err)
}
