// Package terminal shows progress on a terminal while a command works, and knows the properties of
// the terminal that it prints to.
package terminal

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/lightpath-net/lightpath"
)

// progressAfter is how long work may take before its progress is shown, and progressEvery how
// often the line changes.
const (
	progressAfter = 700 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

// plainEvery is how often a line of progress is written if the output is not a terminal.
const plainEvery = 5 * time.Second

// PlainPrefix begins every line of progress if the output is not a terminal.
const PlainPrefix = "lightpath: .. "

// Progress shows that work goes on and, if the work reports it, how far it is: a changing line
// on a terminal, a line every few seconds elsewhere.
type Progress struct {
	w     io.Writer
	plain bool // w is not a terminal
	what  string
	start time.Time
	stop  chan struct{} // closed when the work has ended

	mutex       sync.Mutex
	most        int // percent so far: never decreases, even if the work grows
	known       bool
	done, total int
	found       string
	shown       bool
	parts       bool
}

// InParts makes it also show how fast the work is and how long it will take.
func (p *Progress) InParts() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.parts = true
}

// Start begins to show progress if w is a file or a terminal; any other writer belongs to a
// program that watches by itself.
func Start(w io.Writer, what string) *Progress {
	p := &Progress{w: w, what: what, start: time.Now(), stop: make(chan struct{}), plain: !Is(w)}
	if _, file := w.(*os.File); !file {
		return p
	}
	if p.plain {
		tick := time.Tick(plainEvery)
		go p.watch(tick, tick, time.Now)
	} else {
		go p.watch(time.After(progressAfter), time.Tick(progressEvery), time.Now)
	}
	return p
}

// Is reports whether the output is a terminal.
func Is(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// watch shows the line periodically after some time.
func (p *Progress) watch(after, every <-chan time.Time, now func() time.Time) {
	select {
	case <-after:
	case <-p.stop:
		return
	}
	for {
		p.show(now())
		select {
		case <-every:
		case <-p.stop:
			return
		}
	}
}

// Options returns the options that show the progress of a command.
func (p *Progress) Options() []lightpath.Option {
	return []lightpath.Option{lightpath.WithProgress(p.Report), lightpath.WithStatus(p.Say), lightpath.WithWarning(p.Warn)}
}

// Report is called as work goes on; it is cheap.
func (p *Progress) Report(done, total int) {
	if total <= 0 {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.known, p.most = true, max(p.most, int(100*float64(done)/float64(total)))
	p.done, p.total = done, total
}

// Say is called with a line about what has been found so far.
func (p *Progress) Say(text string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.found = text
}

// Warn writes a line that stays.
func (p *Progress) Warn(text string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.shown && !p.plain {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	fmt.Fprintf(p.w, "lightpath: %s\n", text)
}

func (p *Progress) show(now time.Time) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	select {
	case <-p.stop:
		return // the line has been removed
	default:
	}
	p.shown = true
	line := p.what + ": "
	if p.known {
		line += fmt.Sprintf("%3d%%, ", p.most)
	}
	line += now.Sub(p.start).Round(time.Second).String()
	if spent := now.Sub(p.start); p.parts && p.done > 0 {
		left := time.Duration(float64(spent) * float64(p.total-p.done) / float64(p.done))
		line += fmt.Sprintf("; %d of %d, %.0f a second, %v left", p.done, p.total, float64(p.done)/spent.Seconds(), left.Round(time.Second))
	}
	if p.found != "" {
		line += "; " + p.found
	}
	if p.plain {
		fmt.Fprintf(p.w, "%s%s\n", PlainPrefix, line)
		return
	}
	fmt.Fprintf(p.w, "\r%s\x1b[K", line)
}

// End removes the line.
func (p *Progress) End() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	select {
	case <-p.stop:
		return
	default:
		close(p.stop)
	}
	if p.shown && !p.plain {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
