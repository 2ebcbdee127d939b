package cli

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
	p := &progress{w: &out, what: "planning", start: start, stop: make(chan struct{})}
	after, every := make(chan time.Time), make(chan time.Time)
	ended := make(chan struct{})
	clock := start
	go func() {
		p.watch(after, every, func() time.Time { clock = clock.Add(time.Second); return clock })
		close(ended)
	}()
	after <- start
	every <- start
	p.report(1, 4)
	p.say("12us")
	p.report(0, 4)
	every <- start
	p.end()
	p.end()
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
	p := &progress{w: &bytes.Buffer{}, stop: make(chan struct{})}
	p.end()
	p.watch(nil, nil, time.Now) // returns
}
