package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/lightpath-net/lightpath"
)

// progressAfter is how long work may take before it is worth a word, and
// progressEvery how often the word changes.
const (
	progressAfter = 700 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

// progress shows how far long work is, on a terminal only.
type progress struct {
	w     io.Writer
	what  string
	start time.Time
	next  time.Time
	parts bool // also say how fast and how long yet
	most  int  // percent shown so far: work that turns out to be more does not go back
	found string
	shown bool
}

func (s *session) progress(what string) *progress {
	p := &progress{what: what, start: time.Now()}
	p.next = p.start.Add(progressAfter)
	if isTerminal(s.err) {
		p.w = s.err
	}
	return p
}

// isTerminal reports whether somebody looks at what is written.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// options has the work that is done shown.
func (p *progress) options() []lightpath.Option {
	return []lightpath.Option{lightpath.WithProgress(p.report), lightpath.WithStatus(p.say)}
}

// report is called as work goes on; it is cheap.
func (p *progress) report(done, total int) {
	if p.w == nil || total == 0 {
		return
	}
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(progressEvery)
	p.most = max(p.most, 100*done/total)
	if spent := now.Sub(p.start); p.parts && done > 0 {
		left := time.Duration(float64(spent) * float64(total-done) / float64(done))
		p.found = fmt.Sprintf("%d of %d, %.0f a second, %v left", done, total, float64(done)/spent.Seconds(), left.Round(time.Second))
	}
	p.show(now)
}

// say is called with what was found so far.
func (p *progress) say(text string) {
	p.found = text
	if now := time.Now(); p.w != nil && !now.Before(p.next) {
		p.next = now.Add(progressEvery)
		p.show(now)
	}
}

func (p *progress) show(now time.Time) {
	p.shown = true
	line := fmt.Sprintf("%s: %3d%%, %v", p.what, p.most, now.Sub(p.start).Round(time.Second))
	if p.found != "" {
		line += "; " + p.found
	}
	fmt.Fprintf(p.w, "\r%s\x1b[K", line)
}

// end takes the line away.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
