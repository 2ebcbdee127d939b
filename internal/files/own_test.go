//go:build unix

package files_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/lightpath-net/lightpath/internal/files"
)

func TestAFileHasOneOwner(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	first, err := files.Own(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files.Own(name); !errors.Is(err, files.ErrInUse) {
		t.Errorf("two owners: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := files.Own(name)
	if err != nil {
		t.Fatalf("nobody has it: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
