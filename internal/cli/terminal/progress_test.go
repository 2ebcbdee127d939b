package terminal

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// Work that never says how far it is shows how long it takes.
func TestProgressIsShownAlsoWithoutReports(t *testing.T) {
	var out bytes.Buffer
	start := time.Unix(0, 0)
	p := &Progress{w: &out, what: "planning", start: start, stop: make(chan struct{})}
	after, every := make(chan time.Time), make(chan time.Time)
	ended := make(chan struct{})
	clock := start
	go func() {
		p.watch(after, every, func() time.Time { clock = clock.Add(time.Second); return clock })
		close(ended)
	}()
	after <- start
	every <- start
	p.Report(1, 4)
	p.Say("12us")
	p.Report(0, 4)
	every <- start
	p.End()
	p.End()
	<-ended
	p.show(start)
	for _, want := range []string{"\rplanning: 1s\x1b[K", "planning: ", "\r\x1b[K"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q has no %q", out.String(), want)
		}
	}
	if !strings.HasSuffix(out.String(), "\r\x1b[K") {
		t.Errorf("the line stays: %q", out.String())
	}
}

func TestProgressEndsBeforeItBegins(t *testing.T) {
	p := &Progress{w: &bytes.Buffer{}, stop: make(chan struct{})}
	p.End()
	p.watch(nil, nil, time.Now) // returns
}

// If the output is not a terminal, progress is whole lines that are never removed.
func TestProgressOffATerminalIsLines(t *testing.T) {
	var out bytes.Buffer
	start := time.Unix(0, 0)
	p := &Progress{w: &out, plain: true, what: "planning", start: start, stop: make(chan struct{})}
	p.Report(1, 4)
	p.Say("ring takes 12us")
	p.show(start.Add(5 * time.Second))
	p.show(start.Add(10 * time.Second))
	p.End()
	p.show(start.Add(15 * time.Second))
	const want = "lightpath: .. planning:  25%, 5s; ring takes 12us\nlightpath: .. planning:  25%, 10s; ring takes 12us\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestWarningsStay(t *testing.T) {
	out := &bytes.Buffer{}
	p := Start(out, "running")
	p.Warn("this will take about 3m0s")
	p.End()
	if got := out.String(); got != "lightpath: this will take about 3m0s\n" {
		t.Errorf("%q", got)
	}
}
