package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/controlling"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/report"
)

// unserved holds the views of answers that only the command line gives.
var unserved = []lightpath.Command{{Name: "control", Views: []command.AnyView{
	command.View[controlling.Applied]{Text: func(w io.Writer, a *controlling.Applied) { a.WriteText(w) },
		CSV: report.Rows(func(a *controlling.Applied) []controlling.AppliedStage { return a.Stages })},
	command.View[controlling.Watched]{Text: func(w io.Writer, a *controlling.Watched) { a.WriteText(w) },
		CSV: report.Rows(func(a *controlling.Watched) []controlling.WatchedSwitch { return a.Switches })},
	command.View[controlling.Status]{Text: func(w io.Writer, a *controlling.Status) { a.WriteText(w) }},
}}}

func (s *session) controlCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "control",
		Short: "Set and watch the circuits of real optical switches",
		Long: `Set and watch the circuits of real optical switches, by SCPI, RESTCONF, NETCONF
or gNMI; run follows the demand of a training job. A timetable (compile --to
timetable) says which circuits are up in each stage. A port map says where GPUs
are plugged in, and a list of switches how to reach them. docs/control.md
describes the files, the journal, and what happens when a switch fails or this
program is killed.`,
		Example: `  lightpath control apply t.json --switches-file switches.yaml
  lightpath control watch t.json --switches-file switches.yaml
  lightpath control run iteration.json --switches-file switches.yaml \
    --port-map ports.csv --feed demands.jsonl`,
		Args: input.NoArgument,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(s.controlApplyCommand(), s.controlWatchCommand(), s.controlRunCommand())
	return c
}

func (s *session) controlApplyCommand() *cobra.Command {
	r := &controlling.ApplyRequest{}
	var wait bool
	c := &cobra.Command{
		Use:   "apply TIMETABLE.json",
		Short: "Set the circuits of a timetable, stage by stage",
		Long: `Set the circuits of a timetable, stage by stage. A stage is one transaction over
all switches: each switch is read first, gets only the differences, disconnects
before connects, and is read again. If one refuses, all go back. Only ports in
the port map are touched.

The journal is written before any command. So after a kill the next run can read
the switches and go on; --undo goes back instead.
Exit 0: all stages were up. 1: some were not; the answer says what is up. 2: bad
usage or input.`,
		Example: `  lightpath control apply t.json --switches-file sw.yaml --port-map p.csv
  lightpath control apply t.json --switches-file sw.yaml --stage 2
  lightpath control apply t.json --switches-file sw.yaml --dry-run`,
		Args: input.Wants(1, 1, "want one timetable", "t.json --switches-file switches.yaml"),
	}
	input.Binder.Flags(c, r, "timetable")
	c.Flags().BoolVar(&wait, "wait", false, "begin every stage but the first when a line arrives on standard input")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := s.fillControl(c, r, &r.Timetable, args[0]); err != nil {
			return err
		}
		var barrier controlling.Barrier
		if wait {
			barrier = s.lines(c.InOrStdin())
		}
		answer, err := controlling.Apply(c.Context(), *r, barrier)
		if err != nil && answer == nil {
			return blame(c, err)
		}
		if printed := s.print(answer); printed != nil || err != nil {
			return errors.Join(err, printed)
		}
		if !answer.OK {
			return s.no("control apply: " + answer.Reason)
		}
		return nil
	}
	return c
}

// lines returns a barrier that a line on an input opens. It writes what is up to standard
// output, as text.
func (s *session) lines(in io.Reader) controlling.Barrier {
	from := bufio.NewReader(in)
	return func(ctx context.Context, done *controlling.AppliedStage) error {
		if s.text() {
			fmt.Fprintf(s.out, "stage %d is up\n", done.Stage)
			if err := s.out.Flush(); err != nil {
				return onOutput(err)
			}
		}
		read := make(chan error, 1)
		go func() {
			_, err := from.ReadString('\n')
			read <- err
		}()
		select {
		case err := <-read:
			if err != nil {
				return fmt.Errorf("--wait: standard input ended after stage %d", done.Stage)
			}
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *session) controlWatchCommand() *cobra.Command {
	r := &controlling.WatchRequest{}
	var every time.Duration
	c := &cobra.Command{
		Use:   "watch TIMETABLE.json",
		Short: "Read what is up, and say where it differs from the plan",
		Long: `Read what is up on the switches, and say where it differs from a stage of the
timetable. With --every, read again and again, and say what changes; a switch
that reports changes (gNMI) is then read at once. It sends no command and takes
no lock. Exit 0: as planned. 1: it differs, a switch does not answer, or a
change was interrupted. 2: bad usage or input.`,
		Example: `  lightpath control watch t.json --switches-file sw.yaml
  lightpath control watch t.json --switches-file sw.yaml --every 5s`,
		Args: input.Wants(1, 1, "want one timetable", "t.json --switches-file switches.yaml"),
	}
	input.Binder.Flags(c, r, "timetable")
	c.Flags().DurationVar(&every, "every", 0, "read again every `TIME`, e.g. 5s, until interrupted (default: once)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := s.fillControl(c, r, &r.Timetable, args[0]); err != nil {
			return err
		}
		if every < 0 || every > 0 && s.json {
			return fmt.Errorf("--every: %v: want a time above 0, and not with --json", every)
		}
		answer, err := controlling.Watch(c.Context(), *r)
		if err != nil {
			return blame(c, err)
		}
		if err := s.print(answer); err != nil {
			return err
		}
		var told <-chan struct{}
		if every > 0 {
			if told, err = controlling.Told(c.Context(), *r); err != nil {
				return blame(c, err)
			}
		}
		for every > 0 {
			if err := s.out.Flush(); err != nil {
				return onOutput(err)
			}
			select {
			case <-time.After(every):
			case <-told:
			case <-c.Context().Done():
				return c.Context().Err()
			}
			if err := s.again(c.Context(), r, &answer); err != nil {
				return err
			}
		}
		if !answer.OK {
			return s.no("control watch: " + differs(answer))
		}
		return nil
	}
	return c
}

// again reads once more, and prints the result if it is new.
func (s *session) again(ctx context.Context, r *controlling.WatchRequest, last **controlling.Watched) error {
	now, err := controlling.Watch(ctx, *r)
	if err != nil || reflect.DeepEqual(now, *last) {
		return err
	}
	*last = now
	return s.print(now)
}

// differs says in one line how the state differs from the plan.
func differs(a *controlling.Watched) string {
	count, unread := 0, 0
	for _, w := range a.Switches {
		switch {
		case w.Error != "":
			unread++
		case len(w.Missing)+len(w.Extra) > 0:
			count++
		}
	}
	var said []string
	if unread > 0 {
		said = append(said, fmt.Sprintf("%d of %d switches cannot be read", unread, len(a.Switches)))
	}
	if count > 0 {
		said = append(said, fmt.Sprintf("%d of %d switches differ from stage %d", count, len(a.Switches), a.Stage))
	}
	if said == nil {
		return "a change began and has not ended; control apply goes on with it"
	}
	return strings.Join(said, ", ")
}

// fillControl fills a request from flags and the file of a timetable.
func (s *session) fillControl(c *cobra.Command, r lightpath.Request, into **timetable.Table, name string) error {
	if err := input.Binder.Fill(c, r, "timetable"); err != nil {
		return err
	}
	file, err := files.Open(name)
	if err != nil {
		return input.By(c, err)
	}
	defer file.Close()
	if *into, err = timetable.Read(file); err != nil {
		return input.By(c, fmt.Errorf("%s: not a timetable: %w", name, err))
	}
	s.request = r
	return nil
}
