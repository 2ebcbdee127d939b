package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/plan/verify"
)

// TestPolicyWithoutAPlanIsANo: circuits that do not fit are an answer, not a bad request, and a
// wrong plan of ours is neither.
func TestPolicyWithoutAPlanIsANo(t *testing.T) {
	t.Parallel()
	code, _, stderr := run(t, strings.Fields("iterate --model llama3-8b --tp 2 --dp 2 --global-batch 2 --ports 1 --policy static")...)
	if want := "lightpath: --policy: static: no plan is possible: the circuits of all kinds do not fit 1 port at once\n"; code != exitNo || stderr != want {
		t.Errorf("exit %d, %q; want %d, %q", code, stderr, exitNo, want)
	}
	s := &session{err: &bytes.Buffer{}}
	wrong := fmt.Errorf("iterate: %w", command.Refuted("best", verify.Check{Name: "ports", Detail: "two at a time"}))
	if code := s.fail(t.Context(), wrong); code != exitBug {
		t.Errorf("exit %d for a wrong plan; want %d", code, exitBug)
	}
	if code := s.fail(t.Context(), errors.New("what is that")); code != exitUsage {
		t.Errorf("exit %d for a bad request; want %d", code, exitUsage)
	}
}
