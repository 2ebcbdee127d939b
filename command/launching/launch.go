// Package launching implements the command launch: it starts the ranks of a compiled plan, makes
// them meet before each stage, and makes the switches set the circuits of the stage meanwhile.
package launching

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lightpath-net/lightpath/command/controlling"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/compile/torch"
	"github.com/lightpath-net/lightpath/control/meeting"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/units"
)

// Schema names the JSON form of the answer and its version.
const Schema = "lightpath.launch/v1"

// LaunchRequest asks to start ranks.
type LaunchRequest struct {
	controlling.Setup
	// Target is a module of PyTorch or a manifest; its ranks run Command, by default the module.
	Target  string   `json:"target"`
	Command []string `json:"command,omitempty"`
	// Listen is where ranks that were started elsewhere come to; "": they are started here.
	Listen string `json:"listen,omitempty" help:"start no ranks, but wait for ranks that connect to ${ADDRESS}, e.g. 127.0.0.1:7000"`
	// Token is what ranks from elsewhere must send first; "": nothing.
	Token string `json:"-"`
	// Output and Errors are those of the ranks; nil: none.
	Output, Errors io.Writer `json:"-"`
}

// Launched is the result of a launch.
type Launched struct {
	Schema string `json:"schema"`
	OK     bool   `json:"ok"`
	Ranks  int    `json:"ranks"`
	Stages int    `json:"stages"`
	// Changes is how often circuits were set, and Waited how long that took in total.
	Changes int        `json:"changes"`
	Waited  units.Time `json:"waited_ns"`
	Reason  string     `json:"reason,omitempty"` // what went wrong
}

// target is what the files of a compiled plan say about it.
type target struct {
	ranks    int
	waits    []units.Time // of each stage
	circuits [][][3]int   // of each stage: from, to, count
}

// read reads the target and, for a manifest, its timetable.
func (r *LaunchRequest) read() (*target, error) {
	if strings.EqualFold(filepath.Ext(r.Target), ".py") {
		file, err := files.Open(r.Target)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		ranks, stages, err := torch.ReadHead(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Target, err)
		}
		t := &target{ranks: ranks}
		for _, s := range stages {
			t.waits, t.circuits = append(t.waits, s.Reconfiguration), append(t.circuits, s.Circuits)
		}
		return t, nil
	}
	file, err := files.Open(r.Target)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	m, err := compile.ReadManifest(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Target, err)
	}
	t := &target{ranks: m.Ranks}
	for _, s := range m.Stages {
		t.waits, t.circuits = append(t.waits, s.Reconfiguration), append(t.circuits, s.Circuits)
	}
	if r.Timetable == nil && r.SwitchesFile != "" {
		if !filepath.IsLocal(m.Timetable) {
			return nil, fmt.Errorf("%s: timetable %q is not in its folder", r.Target, m.Timetable)
		}
		beside, err := files.Open(filepath.Join(filepath.Dir(r.Target), m.Timetable))
		if err != nil {
			return nil, err
		}
		defer beside.Close()
		if r.Timetable, err = timetable.Read(beside); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Timetable, err)
		}
	}
	return t, nil
}

// timed returns an error if a timetable is not that of the plan, because other circuits are up
// in a stage.
func (t *target) timed(table *timetable.Table) error {
	if len(table.Stages) != len(t.circuits) {
		return fmt.Errorf("it has %d stages, the plan %d", len(table.Stages), len(t.circuits))
	}
	var bad error
	err := table.Follow(func(stage int, up map[[2]int]int) bool {
		want := map[[2]int]int{}
		for _, c := range t.circuits[stage] {
			want[[2]int{c[0], c[1]}] += c[2]
		}
		pairs := slices.AppendSeq(slices.Collect(maps.Keys(want)), maps.Keys(up))
		slices.SortFunc(pairs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
		for _, p := range pairs {
			if want[p] != up[p] {
				bad = fmt.Errorf("stage %d is not that of the plan: from GPU %d to GPU %d it has %s, the plan %d",
					stage+1, p[0], p[1], units.Count(up[p], "circuit"), want[p])
				return false
			}
		}
		return true
	})
	return errors.Join(err, bad)
}

// Launch starts the ranks and leads them through the stages. An error means that the request is
// invalid; whatever goes wrong during the run is in the answer.
func Launch(ctx context.Context, r LaunchRequest) (*Launched, error) {
	t, err := r.read()
	if err != nil {
		return nil, field.In("target", err)
	}
	module := strings.EqualFold(filepath.Ext(r.Target), ".py")
	switch {
	case r.Listen != "" && len(r.Command) > 0:
		return nil, field.Errorf("listen", "not with a command: ranks are started elsewhere")
	case r.Listen == "" && len(r.Command) == 0 && !module:
		return nil, field.Errorf("command", "missing; want the program that the ranks of a manifest run")
	case len(r.Command) == 0:
		r.Command = []string{"python3", r.Target}
	}
	answer := &Launched{Schema: Schema, Ranks: t.ranks, Stages: len(t.waits)}
	set := func(ctx context.Context, stage int) error { return sleep(ctx, time.Duration(t.waits[stage-1])) }
	switch {
	case r.SwitchesFile != "":
		if r.Timetable != nil {
			if err := t.timed(r.Timetable); err != nil {
				return nil, field.In("timetable", err)
			}
		}
		rewiring, err := r.Setup.Open()
		if err != nil {
			return nil, err
		}
		defer rewiring.Close()
		set = rewiring.Set
	case r.Timetable != nil || r.PortMap != nil:
		return nil, field.Errorf("switches_file", "missing; want a list of the switches")
	}
	address := cmp.Or(r.Listen, "127.0.0.1:0")
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, field.In("listen", err)
	}
	defer l.Close()
	m := &meeting.Meeting{Ranks: t.ranks, Stages: len(t.waits), Token: r.Token, Set: func(ctx context.Context, stage int) error {
		began := time.Now()
		err := set(ctx, stage)
		answer.Changes++
		answer.Waited += units.Time(time.Since(began).Nanoseconds())
		return err
	}}
	err = r.run(ctx, m, l)
	if err == nil && r.Listen != "" && answer.Changes == 0 {
		err = errors.New("all ranks hung up before the first stage")
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		answer.Reason = err.Error()
	}
	answer.OK = err == nil
	return answer, nil
}

// sleep waits for a time or the end of the context.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run starts the ranks, unless they are started elsewhere, and waits for them and for their
// meeting to end. The first failure ends all others.
func (r *LaunchRequest) run(ctx context.Context, m *meeting.Meeting, l net.Listener) error {
	if r.Listen != "" {
		return m.Serve(ctx, l)
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	output, errs := &shared{mu: &mu, to: r.Output}, &shared{mu: &mu, to: r.Errors}
	met := make(chan error, 1)
	meets, ended := context.WithCancel(ctx)
	defer ended()
	go func() {
		err := m.Serve(meets, l)
		if err != nil && meets.Err() == nil {
			cancel(err)
		}
		met <- err
	}()
	var all sync.WaitGroup
	for rank := range m.Ranks {
		c := exec.CommandContext(ctx, r.Command[0], r.Command[1:]...)
		c.Env = append(os.Environ(),
			"RANK="+strconv.Itoa(rank), "LOCAL_RANK="+strconv.Itoa(rank), "WORLD_SIZE="+strconv.Itoa(m.Ranks),
			"MASTER_ADDR=127.0.0.1", "MASTER_PORT="+strconv.Itoa(port), meeting.Variable+"="+l.Addr().String())
		c.Stdout, c.Stderr, c.WaitDelay = output, errs, time.Second
		if err := c.Start(); err != nil {
			cancel(fmt.Errorf("rank %d: %w", rank, err))
			break
		}
		all.Go(func() {
			if err := c.Wait(); err != nil {
				cancel(fmt.Errorf("rank %d: %w", rank, err))
			}
		})
	}
	all.Wait()
	ended()
	err = <-met
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if errors.Is(err, context.Canceled) { // ranks that never met have succeeded
		return m.Midway()
	}
	return err
}

// shared is a writer for several processes.
type shared struct {
	mu *sync.Mutex
	to io.Writer // nil: nowhere
}

func (s *shared) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.to == nil {
		return len(data), nil
	}
	return s.to.Write(data)
}

// freePort finds a TCP port at which ranks can find each other.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// WriteText writes the answer for a terminal.
func (a *Launched) WriteText(w io.Writer) {
	if a.OK {
		fmt.Fprintf(w, "%d ranks, %d stages: circuits were set %d times, which took %v\n", a.Ranks, a.Stages, a.Changes, a.Waited)
	}
}
