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

// TestFabricsOfNoIterationAreNamed: what iterations are not planned on is refused by its own flag,
// in one line that says why.
func TestFabricsOfNoIterationAreNamed(t *testing.T) {
	t.Parallel()
	for flags, want := range map[string]string{
		"--avoid port:1":               "--avoid: iterations are not planned on such a fabric: ranks need all ports",
		"--held 0.1":                   "--held: iterations are not planned on such a fabric: ranks need all ports of their GPUs, and other jobs hold",
		"--overlap ports":              "--overlap: iterations are not planned on such a fabric: within a collective, all ports wait",
		"--reconfig per-port:1us+10ns": "--reconfig: iterations are not planned on such a fabric: all changes must take the same time",
		"--spares 1":                   "--spares: iterations are not planned on such a fabric",
	} {
		code, _, stderr := run(t, append(strings.Fields("iterate --model llama3-8b --tp 2 --dp 2 --global-batch 2 --ports 2"), strings.Fields(flags)...)...)
		if code != exitUsage || !strings.HasPrefix(stderr, "lightpath: "+want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %q; want %q", flags, code, stderr, want)
		}
	}
}
