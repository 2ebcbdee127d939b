package input

import (
	"bufio"
	"bytes"
	"fmt"

	"github.com/lightpath-net/lightpath/command/workloads"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/workload"
)

// headBytes is how many bytes of a file are read to find out what it is.
const headBytes = 256

// Iteration reads the plan of an iteration; nil if the file does not begin like one.
func Iteration(name string) (*iteration.Document, error) {
	if name == "" || name == "-" {
		return nil, nil
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, nil //nolint:nilerr // reading it as a plan reports the error
	}
	defer f.Close()
	r := bufio.NewReader(f)
	head, _ := r.Peek(headBytes)
	if workloads.IsFile(head) {
		return nil, fmt.Errorf("%s: a workload, which has no plan yet; iterate %[1]s -o iteration.json makes one", name)
	}
	if !iteration.IsDocument(head) {
		return nil, nil
	}
	d, err := iteration.Decode(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}

// Workload reads a workload. If the file is a plan, the error says so and which commands take
// it.
func Workload(name string) (*workload.Workload, error) {
	if f, err := files.Open(name); err == nil {
		head, _ := bufio.NewReader(f).Peek(headBytes)
		f.Close()
		kinds := []struct{ schema, what string }{{iteration.Schema, "the plan of an iteration"}, {plan.Schema, "a plan of collectives"}}
		for _, k := range kinds {
			if !workloads.IsFile(head) && bytes.Contains(head, []byte(`"`+k.schema+`"`)) {
				return nil, fmt.Errorf("%s: %s, not a workload; verify, explain and simulate take it", name, k.what)
			}
		}
	}
	return workload.ReadFile(name)
}
