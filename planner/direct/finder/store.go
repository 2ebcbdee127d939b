package finder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Store keeps frontiers in a file, so that every search runs only once. It is safe for
// concurrent use.
type Store struct {
	path string

	mutex   sync.Mutex
	found   map[search]map[int][]Point // by nodes; no points if there is no topology
	finders map[search]*Finder
}

// search is what a frontier depends on besides the nodes.
type search struct {
	degree int
	opts   options
}

// Open reads a store. A file that does not exist is an empty store, and so is a file that
// another revision of the finder wrote, whose results may differ.
func Open(path string) (*Store, error) {
	s := &Store{path: path, found: map[search]map[int][]Point{}, finders: map[search]*Finder{}}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	found, err := read(file)
	switch {
	case errors.Is(err, errRevision):
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	default:
		s.found = found
	}
	return s, nil
}

// Path is the file of the store.
func (s *Store) Path() string { return s.path }

// Frontier returns what Finder.Frontier does, from the store if it is there. With user-defined
// families it searches anew: a file cannot describe them.
func (s *Store) Frontier(ctx context.Context, n, degree int, opts Options) ([]Point, error) {
	if opts.Families != nil {
		return New(degree, opts).Frontier(ctx, n)
	}
	k := search{degree, opts.fixed()}
	s.mutex.Lock()
	points, ok := s.found[k][n]
	f := s.finders[k]
	if f == nil {
		f = New(degree, opts)
		s.finders[k] = f
	}
	s.mutex.Unlock()
	if ok {
		if len(points) == 0 {
			return nil, noTopology(n, degree)
		}
		return points, nil
	}
	points, err := f.find(ctx, n, opts.Progress)
	if err != nil && !errors.Is(err, ErrNone) {
		return nil, err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.found[k] == nil {
		s.found[k] = map[int][]Point{}
	}
	s.found[k][n] = points
	return points, err
}

// Fill finds the frontiers of all sizes from 2 to most, and calls done, if it is not nil,
// after each. What was found before an error stays.
func (s *Store) Fill(ctx context.Context, most, degree int, opts Options, done func(n int)) error {
	for n := 2; n <= most; n++ {
		if _, err := s.Frontier(ctx, n, degree, opts); err != nil && !errors.Is(err, ErrNone) {
			return err
		}
		if done != nil {
			done(n)
		}
	}
	return nil
}

// Save rewrites the file. Concurrent readers see the old one.
func (s *Store) Save() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	file, err := os.CreateTemp(filepath.Dir(s.path), filepath.Base(s.path)+".*")
	if err != nil {
		return err
	}
	err = errors.Join(write(file, s.found, strings.HasSuffix(s.path, ".gz")), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), s.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
