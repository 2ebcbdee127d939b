package input

import (
	"bufio"
	"fmt"

	"github.com/lightpath-net/lightpath/command/modelling"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/iteration"
)

// headBytes is how much of a file is looked at to tell what it is.
const headBytes = 256

// Iteration reads the plan of an iteration; nil if the file does not begin as one.
func Iteration(name string) (*iteration.Document, error) {
	if name == "" || name == "-" {
		return nil, nil
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, nil //nolint:nilerr // whoever reads it as a plan says so
	}
	defer f.Close()
	r := bufio.NewReader(f)
	head, _ := r.Peek(headBytes)
	if modelling.IsFile(head) {
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
