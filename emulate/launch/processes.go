package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/coordinator"
	"github.com/lightpath-net/lightpath/emulate/fault"
)

// SecretVariable is the environment variable that holds the secret of a run.
const SecretVariable = "LIGHTPATH_SECRET"

// Processes starts a process for the switch and one for each group of ranks, all on this
// machine. They end with the run, whatever happens to this process: the system kills them
// when it dies.
type Processes struct {
	// Path and Args are the command that takes "rank" and "switch" with their arguments.
	Path string
	Args []string
	Env  []string // in addition to that of this process
}

// Start implements emulate.Launcher.
func (p *Processes) Start(ctx context.Context, w emulate.Workers) (<-chan coordinator.Exit, func(), error) {
	file, name, err := planFile(encoder(w))
	if err != nil {
		return nil, nil, err
	}
	c := &children{file: file, exits: make(chan coordinator.Exit, len(w.Groups)+1), stop: make(chan struct{})}
	commands := []*child{{rank: fault.Nobody, cmd: p.command(w.Secret, nil, "switch", "--coordinator", w.Coordinator)}}
	for _, group := range w.Groups {
		secret := w.Secret
		var list []string
		for _, r := range group {
			list = append(list, strconv.Itoa(r))
			for _, bad := range w.BadSecret {
				if bad == r {
					secret = "another secret"
				}
			}
		}
		cmd := p.command(secret, file, "rank", name, "--coordinator", w.Coordinator, "--ranks", strings.Join(list, ","))
		commands = append(commands, &child{rank: group[0], cmd: cmd})
	}
	started := make(chan error, 1)
	go c.run(ctx, commands, started)
	if err = <-started; err != nil {
		c.end(0)
		return nil, nil, err
	}
	return c.exits, func() {
		wait := grace
		if ctx.Err() != nil { // a user who interrupts does not want to wait
			wait = 0
		}
		c.end(wait)
	}, nil
}

// encoder returns the function that writes the plan, or the plan of an iteration.
func encoder(w emulate.Workers) func(io.Writer) error {
	if w.Iteration != nil {
		return w.Iteration.Encode
	}
	return w.Plan.Encode
}

// planFile returns a file with the plan, and the name under which children find it. If children
// can inherit the file, its name is already removed, so that nothing is left behind whatever
// happens.
func planFile(encode func(io.Writer) error) (f *os.File, name string, err error) {
	if f, err = os.CreateTemp("", "lightpath-plan-*.json"); err != nil {
		return nil, "", err
	}
	name = f.Name()
	if inherited != "" {
		err, name = os.Remove(name), inherited
	}
	if err = errors.Join(err, encode(f)); err != nil {
		discard(f)
		return nil, "", err
	}
	return f, name, nil
}

// discard removes the plan's file.
func discard(f *os.File) {
	f.Close()
	if inherited == "" {
		os.Remove(f.Name()) // nothing can be done about an error
	}
}

func (p *Processes) command(secret string, file *os.File, args ...string) *exec.Cmd {
	cmd := exec.Command(p.Path, append(append([]string{}, p.Args...), args...)...)
	cmd.Env = append(append(os.Environ(), p.Env...), SecretVariable+"="+secret)
	if file != nil && inherited != "" {
		cmd.ExtraFiles = []*os.File{file}
	}
	cmd.Stderr = &tail{}
	cmd.SysProcAttr = attributes()
	return cmd
}

type child struct {
	rank int
	cmd  *exec.Cmd
}

// children are the processes started.
type children struct {
	file  *os.File // with the plan
	exits chan coordinator.Exit
	stop  chan struct{}
	once  sync.Once
	all   sync.WaitGroup

	mu      sync.Mutex
	running map[*child]bool
}

// run starts the processes and does not return until they are to end, because the system treats
// the death of the thread that started a process as the death of its parent.
func (c *children) run(ctx context.Context, commands []*child, started chan<- error) {
	runtime.LockOSThread()
	c.running = map[*child]bool{}
	for _, k := range commands {
		if err := ctx.Err(); err != nil {
			started <- err
			return
		}
		if err := k.cmd.Start(); err != nil {
			started <- fmt.Errorf("start %s: %w", k.cmd.Path, err)
			return
		}
		c.mu.Lock()
		c.running[k] = true
		c.mu.Unlock()
		c.all.Go(func() { c.wait(k) })
	}
	started <- nil
	<-c.stop
	c.all.Wait()
}

// wait reports a process that ends.
func (c *children) wait(k *child) {
	err := k.cmd.Wait()
	c.mu.Lock()
	delete(c.running, k)
	c.mu.Unlock()
	detail := "its process has ended"
	if err != nil {
		detail = "its process has ended: " + err.Error()
	}
	if line := k.cmd.Stderr.(*tail).last(); line != "" {
		detail += ": " + line
	}
	c.exits <- coordinator.Exit{Rank: k.rank, Detail: detail}
}

// grace is how long processes may take to end by themselves when the run is over.
const grace = 400 * time.Millisecond

// end returns when no process is left. They may take some time to end by themselves.
func (c *children) end(wait time.Duration) {
	c.once.Do(func() {
		defer discard(c.file)
		close(c.stop)
		gone := make(chan struct{})
		go func() {
			c.all.Wait()
			close(gone)
		}()
		select {
		case <-gone:
			return
		case <-time.After(wait):
		}
		c.mu.Lock()
		for k := range c.running {
			kill(k.cmd.Process) // it may already have ended
		}
		c.mu.Unlock()
		<-gone
	})
}

// tail keeps the end of a process's output.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 4 << 10

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - tailSize; extra > 0 {
		t.text = bytes.Clone(t.text[extra:])
	}
	return len(p), nil
}

// last returns the last line.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
