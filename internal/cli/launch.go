package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/launching"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/internal/cli/input"
)

func init() {
	unserved = append(unserved, lightpath.Command{Name: "launch", Views: []command.AnyView{
		command.View[launching.Launched]{Text: func(w io.Writer, a *launching.Launched) { a.WriteText(w) }},
	}})
}

func (s *session) launchCommand() *cobra.Command {
	r := &launching.LaunchRequest{}
	var table, tokenFile string
	var insecure bool
	c := &cobra.Command{
		Use:   "launch MODULE.py | MANIFEST.json [-- COMMAND ..]",
		Short: "Start the ranks of a compiled plan, set circuits in between",
		Long: `Start the ranks of a compiled plan (compile --to torch, or the manifest of
another runtime) on this machine, and set the circuits between its stages. Ranks
meet here before each stage. launch sets the circuits of the stage as control
apply does, and then all ranks go on. Without --switches-file it sets no
circuits, and each change takes as long as planned.

Every rank runs COMMAND, by default the self-test of the module, with RANK,
WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT. LIGHTPATH_LAUNCHER says
where to meet: a rank connects, writes "stage K" and goes on when it reads
"up K". Modules do so by themselves. With --token-file it writes "token T"
first; modules take it from LIGHTPATH_TOKEN.
Exit 0: all ranks succeeded. 1: some failed. 2: bad usage or input.`,
		Example: `  lightpath launch planned.py
  lightpath launch planned.py -- python3 train.py
  lightpath launch planned.py --timetable t.json --switches-file sw.yaml
  lightpath launch programs/manifest.json --listen 127.0.0.1:7000`,
		Args: func(c *cobra.Command, args []string) error {
			if at := c.ArgsLenAtDash(); len(args) == 0 || at == 0 || at < 0 && len(args) > 1 || at > 1 {
				return fmt.Errorf("launch: want one module or manifest, and a command after --, e.g. lightpath launch planned.py -- python3 train.py")
			}
			return nil
		},
	}
	input.Binder.Flags(c, r, "timetable", "target", "command")
	c.Flags().StringVar(&table, "timetable", "", "circuits of the stages, `FILE`.json of compile --to timetable (default: the manifest's)")
	c.Flags().StringVar(&tokenFile, "token-file", "", "require ranks that connect to send the token in `FILE`")
	c.Flags().BoolVar(&insecure, "insecure", false, "let anyone who can reach --listen be a rank")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		if err := input.Binder.Fill(c, r, "timetable", "target", "command"); err != nil {
			return err
		}
		switch {
		case r.Listen == "" && (tokenFile != "" || insecure):
			return errors.New("--listen: missing; --token-file and --insecure are for it")
		case r.Listen != "":
			if r.Token, err = admitted(r.Listen, tokenFile, insecure); err != nil {
				return err
			}
		}
		r.Target, r.Command, r.Output, r.Errors = args[0], args[1:], s.out, os.Stderr
		if s.json {
			r.Output = os.Stderr
		}
		if table != "" {
			file, err := os.Open(table)
			if err != nil {
				return fmt.Errorf("--timetable: %w", err)
			}
			defer file.Close()
			if r.Timetable, err = timetable.Read(file); err != nil {
				return fmt.Errorf("--timetable: %s: %w", table, err)
			}
		}
		answer, err := launching.Launch(c.Context(), *r)
		if err != nil {
			return blame(c, err)
		}
		if err := s.print(answer); err != nil {
			return err
		}
		if !answer.OK {
			return s.no("launch: " + answer.Reason)
		}
		return nil
	}
	return c
}
