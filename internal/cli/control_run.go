package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath/command/controlling"
	"github.com/lightpath-net/lightpath/command/workloads"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/internal/gate"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/workload"
)

// runFlags are the flags of control run besides those of its request.
type runFlags struct {
	feed, listen, tokenFile string
	end, insecure           bool
	hosts                   []string
}

// feedEvery is how often a feed is checked.
const feedEvery = 200 * time.Millisecond

// The pauses before a step that switches have refused is retried.
const (
	firstPause = time.Second
	lastPause  = 30 * time.Second
)

func (s *session) controlRunCommand() *cobra.Command {
	r, f := &controlling.RunRequest{}, &runFlags{}
	c := &cobra.Command{
		Use:   "run ITERATION.json | WORKLOAD.json",
		Short: "Follow the demand of a training job, and reconfigure when it pays",
		Long: `Follow the demand of a training job's experts, step by step: decide whether to
keep or to reconfigure the circuits, and set them as control apply does. It
decides as iterate --demand-trace does: it is never slower than the plan for
even demand, with the exception in docs/iterations.md.

A demand is a matrix of bytes, [[0,10],[20,0]]. Demands come from --feed, a file
to which lines are added, and by POST /demand to --listen. {"stage":K}, or POST
/stage, sets stage K of a plan that reconfigures within a step. GET /status and
/metrics report the state. A line that is not a demand is reported and skipped.

After a kill, the next run goes on from --journal and --state. Ctrl-C and
SIGTERM let the current change finish, then stop it.`,
		Example: `  lightpath control run iteration.json --switches-file switches.yaml \
    --port-map ports.csv --feed demands.jsonl
  lightpath control run w.json --ports 2 --switches-file switches.yaml \
    --port-map ports.csv --listen 127.0.0.1:8090
  curl -d '[[0,10],[20,0]]' http://127.0.0.1:8090/demand`,
		Args: input.Wants(1, 1, "want one iteration or workload", "iteration.json --switches-file switches.yaml"),
	}
	own := []string{"iteration", "workload", "fabric"}
	input.Binder.Flags(c, r, own...)
	c.Flags().StringVar(&f.feed, "feed", "", "follow `FILE`, a demand on each line")
	c.Flags().BoolVar(&f.end, "end", false, "stop at the end of --feed, instead of waiting for more")
	c.Flags().StringVar(&f.listen, "listen", "", "`ADDRESS` and port to take demands at, with /status and /metrics")
	c.Flags().StringVar(&f.tokenFile, "token-file", "", "require clients to send the token in `FILE`")
	c.Flags().BoolVar(&f.insecure, "insecure", false, "accept requests from anyone who can reach --listen")
	c.Flags().StringArrayVar(&f.hosts, "host", nil, "accept `NAME` as this service's host in URLs; may be repeated")
	machine := input.AddFabric(c)
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		if err := input.Binder.Fill(c, r, own...); err != nil {
			return err
		}
		if r.Iteration, err = workloadOrPlan(args[0]); err != nil {
			return input.By(c, err)
		}
		if r.Iteration == nil {
			if r.Workload, err = workload.ReadFile(args[0]); err != nil {
				return input.By(c, err)
			}
			if r.Fabric, err = machine.Read(c); err != nil {
				return err
			}
		} else if flag := fabricFlag(c); flag != "" {
			return fmt.Errorf("--%s: %s has a fabric already; give a workload instead", flag, args[0])
		}
		s.request = r
		return f.run(s, c, r)
	}
	return c
}

// workloadOrPlan reads the plan of an iteration; nil if the file is something else.
func workloadOrPlan(name string) (*iteration.Document, error) {
	if workloads.IsFile(head(name)) {
		return nil, nil
	}
	return input.Iteration(name)
}

// head is the beginning of a file, as far as it can be read.
func head(name string) []byte {
	f, err := files.Open(name)
	if err != nil {
		return nil // its reader reports the error
	}
	defer f.Close()
	start := make([]byte, 256)
	n, _ := io.ReadFull(f, start)
	return start[:n]
}

// run is the command.
func (f *runFlags) run(s *session, c *cobra.Command, r *controlling.RunRequest) error {
	switch {
	case f.feed == "" && f.listen == "":
		return errors.New("--feed: missing; want a file of demands, or --listen for demands over HTTP")
	case f.end && f.feed == "":
		return errors.New("--end: only with --feed")
	case f.listen == "" && (f.tokenFile != "" || f.insecure || f.hosts != nil):
		return errors.New("--listen: missing; --token-file, --insecure and --host are for it")
	}
	g := &gate.Gate{Hosts: f.hosts}
	var listener net.Listener
	if f.listen != "" {
		token, err := admitted(f.listen, f.tokenFile, f.insecure)
		if err != nil {
			return err
		}
		g.SetToken(token)
		if listener, err = new(net.ListenConfig).Listen(c.Context(), "tcp", f.listen); err != nil {
			return fmt.Errorf("--listen: %w", err)
		}
		defer listener.Close()
	}
	bar := s.progress("planning for even demand")
	n, err := controlling.NewRunner(c.Context(), *r, bar.Options()...)
	bar.End()
	if err != nil {
		if errors.Is(err, controlling.ErrSwitches) {
			return s.no("control run: " + err.Error())
		}
		return blame(c, err)
	}
	defer n.Close()
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	var serving sync.WaitGroup
	if listener != nil {
		fmt.Fprintf(s.err, "lightpath: control run: listening on http://%s\n", listener.Addr())
		serving.Go(func() { serveRun(ctx, listener, n.Handler(g)) })
	}
	if f.feed != "" {
		err = f.follow(ctx, s, n)
	} else {
		<-ctx.Done()
	}
	if err == nil && f.end && listener != nil && ctx.Err() == nil {
		<-ctx.Done() // more may come over HTTP
	}
	stop()
	serving.Wait()
	if err != nil && !errors.Is(err, context.Canceled) {
		if errors.Is(err, controlling.ErrSwitches) {
			return s.no("control run: " + err.Error())
		}
		return fmt.Errorf("--feed: %w", err)
	}
	now := n.Status()
	return s.print(&now)
}

// serveRun serves until the context ends, and then lets running requests finish.
func serveRun(ctx context.Context, listener net.Listener, handler http.Handler) {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	ended := context.AfterFunc(ctx, func() {
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		_ = server.Shutdown(limit) // requests still running then get no answer
	})
	_ = server.Serve(listener) // ends with the context
	ended()
}

// follow handles the lines of the feed, one after another.
func (f *runFlags) follow(ctx context.Context, s *session, n *controlling.Runner) error {
	from := controlling.Position{}
	if at := n.Status().Feed; at != nil {
		from = *at
	}
	tell := func(at controlling.Position, err error) {
		fmt.Fprintf(s.err, "lightpath: control run: %s line %d: %s\n", f.feed, at.Line, oneLine(err.Error()))
	}
	feed := &controlling.Feed{Name: f.feed, Every: feedEvery, End: f.end}
	return feed.Follow(ctx, from, func(line []byte, next controlling.Position) error {
		e, err := controlling.ParseEvent(line)
		if err != nil {
			n.Bad()
			tell(next, err)
			return nil
		}
		for pause := firstPause; ; pause = min(2*pause, lastPause) {
			err := f.deal(ctx, s, n, e, next)
			switch {
			case err == nil, ctx.Err() != nil:
				return ctx.Err()
			case !errors.Is(err, controlling.ErrSwitches):
				if !errors.Is(err, controlling.ErrUnsaved) {
					n.Bad()
				}
				tell(next, err)
				return nil
			case f.end:
				return err
			}
			tell(next, fmt.Errorf("%w; tried again in %v", err, pause))
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}, tell)
}

// deal handles one line.
func (f *runFlags) deal(ctx context.Context, s *session, n *controlling.Runner, e controlling.Event, next controlling.Position) error {
	if e.Demand == nil {
		_, err := n.Stage(ctx, e.Step, e.Stage)
		return err
	}
	step, err := n.Step(ctx, e.Step, e.Demand, &next)
	if step != nil && s.text() {
		fmt.Fprintln(s.out, step)
		err = errors.Join(err, s.out.Flush())
	}
	return err
}
