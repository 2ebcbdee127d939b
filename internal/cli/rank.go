package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/launch"
	"github.com/lightpath-net/lightpath/emulate/rank"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/internal/cli/speak"
)

// meetingFlags say where a run's processes meet and how they recognise each other.
type meetingFlags struct {
	coordinator, secretFile string
}

func addMeetingFlags(c *cobra.Command) *meetingFlags {
	f := &meetingFlags{}
	c.Flags().StringVar(&f.coordinator, "coordinator", "", "`HOST:PORT` where the coordinator listens")
	c.Flags().StringVar(&f.secretFile, "secret-file", "", "read the run's secret from `FILE` (default: the variable "+launch.SecretVariable+")")
	return f
}

// secret returns the secret that the processes of a run share.
func (f *meetingFlags) secret() (string, error) {
	if f.secretFile == "" {
		if secret := os.Getenv(launch.SecretVariable); secret != "" {
			return secret, nil
		}
		return "", fmt.Errorf("no secret; set %s to the same random text for all processes of the run, or use --secret-file", launch.SecretVariable)
	}
	text, err := os.ReadFile(f.secretFile)
	if err != nil {
		return "", fmt.Errorf("--secret-file: %w", err)
	}
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return "", fmt.Errorf("--secret-file: %s: empty", f.secretFile)
	}
	return string(text), nil
}

func (s *session) rankCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "rank PLAN.json",
		Short: "Run as one process of an emulation",
		Long: `Run as one of the processes that execute a plan. On one machine, emulate starts
them; on several, a launcher does: mpirun, srun, or anything that sets RANK and
WORLD_SIZE. The plan's GPUs are spread evenly over the processes. The first
process is also coordinator and switch, and prints the answer.

All processes need the same plan file and the same secret. If the launcher does
not say which host runs the first process, set --coordinator, or MASTER_ADDR and
MASTER_PORT.`,
		Example: `  export LIGHTPATH_SECRET=$(openssl rand -hex 32)
  mpirun -np 16 -x LIGHTPATH_SECRET lightpath rank plan.json
  srun -n 16 lightpath rank plan.json --slow 5000`,
	}
	var request lightpath.EmulateRequest
	input.Binder.Flags(c, &request, "iteration", "ranks_per_process", "replan")
	files := input.AddPlan(c)
	meeting := addMeetingFlags(c)
	var ranks string
	c.Flags().StringVar(&ranks, "ranks", "", "run as the GPUs in `LIST`, e.g. 3,4, of a run that another process coordinates")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("rank: want one plan file, got %d arguments; e.g. mpirun -np 16 lightpath rank plan.json", len(args))
		}
		secret, err := meeting.secret()
		if err != nil {
			return fmt.Errorf("rank: %w", err)
		}
		document, err := input.Iteration(args[0])
		if err != nil {
			return input.By(c, err)
		}
		if document != nil {
			if ranks == "" {
				return fmt.Errorf("rank: %s is the plan of an iteration; a launcher starts ranks of plans only, use emulate on one machine", args[0])
			}
			return s.work(c, launch.Worker{Iteration: document}, document.Ranks, ranks, meeting.coordinator, secret)
		}
		p, err := files.Read(c, args[0])
		if err != nil {
			return err
		}
		if ranks != "" {
			return s.work(c, launch.Worker{Plan: p}, p.Fabric.Nodes, ranks, meeting.coordinator, secret)
		}
		place, launched, err := launch.Find(os.Getenv)
		if err != nil {
			return fmt.Errorf("rank: %w", err)
		}
		if !launched {
			return errors.New("rank: no launcher has said which rank this is (OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID or RANK, each with its size); " +
				"start it with mpirun or srun, or use emulate on one machine")
		}
		address := cmp.Or(meeting.coordinator, place.Address(os.Getenv))
		if address == "" {
			return fmt.Errorf("rank: --coordinator: missing; %s does not say where rank 0 is; want its HOST:PORT, or MASTER_ADDR and MASTER_PORT", place.Launcher)
		}
		m := launch.Member{Plan: p, Place: place, Address: address, Secret: secret}
		if err := input.Binder.Fill(c, &request); err != nil {
			return err
		}
		return s.member(c, request, m, args[0])
	}
	return c
}

// work runs ranks for a coordinator elsewhere.
func (s *session) work(c *cobra.Command, w launch.Worker, nodes int, ranks, coordinator, secret string) error {
	if coordinator == "" {
		return errors.New("rank: --coordinator: missing; want HOST:PORT")
	}
	w.Coordinator, w.Secret, w.Patience = coordinator, []byte(secret), emulate.DefaultRendezvous
	for text := range strings.SplitSeq(ranks, ",") {
		u, err := strconv.Atoi(text)
		if err != nil || u < 0 || u >= nodes {
			return fmt.Errorf("rank: --ranks: %.40q is not a GPU in 0..%d", text, nodes-1)
		}
		w.Ranks = append(w.Ranks, u)
	}
	return s.ended(w.Run(c.Context()))
}

// ended reports how a rank has ended. Only the coordinating process reports a fault of the run,
// by message and exit code: launchers kill all processes when one exits with an error, and the
// coordinator must be able to report first.
func (s *session) ended(err error) error {
	var aborted *rank.Aborted
	switch {
	case err == nil:
		return nil
	case errors.As(err, &aborted):
		return nil
	}
	return s.no(err.Error())
}

// member is a process that a launcher has started.
func (s *session) member(c *cobra.Command, request lightpath.EmulateRequest, m launch.Member, file string) error {
	if m.Place.Rank > 0 {
		_, err := m.Run(c.Context())
		return s.ended(err)
	}
	request.Plan = m.Plan
	if err := request.Complete(); err != nil {
		return blame(c, err)
	}
	checked, err := lightpath.Verify(c.Context(), lightpath.VerifyRequest{Plan: m.Plan})
	if err != nil {
		return blame(c, err)
	}
	if bad := checked.First(); bad != nil {
		return fmt.Errorf("rank: %s: the plan is not correct: %s: %s", file, bad.Name, bad.Detail)
	}
	launcher, err := ourselves()
	if err != nil {
		return fmt.Errorf("rank: %w", err)
	}
	if m.Options, err = request.Options(c.Context(), m.Plan, lightpath.WithLauncher(launcher)); err != nil {
		return blame(c, err)
	}
	m.Options.Launcher = nil // ranks have already been started
	report, err := m.Run(c.Context())
	if err != nil {
		return blame(c, err)
	}
	answer := lightpath.Emulated(report, request.Type, nil)
	if err := s.print(answer); err != nil {
		return err
	}
	return s.emulated(answer)
}

func (s *session) switchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "switch",
		Short: "Run as an optical switch, of an emulation or for controllers",
		Long: `Run as the software optical switch that emulate starts. It owns all ports,
carries bytes between cross-connected ports, and reports bytes sent into a dark
port. Package emulate/wire documents its protocol, so the driver of a real
switch can take its place.

` + speak.Help,
		Example: `  lightpath switch --coordinator node0:29500 --listen node0:0
  lightpath switch --speak scpi --size 16 --listen 127.0.0.1:5025
  lightpath switch --speak scpi --fail refuse:3,half:5`,
	}
	c.Flags().SortFlags = false
	meeting := addMeetingFlags(c)
	var listen string
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "`HOST:PORT` on which to accept the ranks' ports, or controllers; port 0: any")
	controllers := speak.Add(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) != 0 {
			return fmt.Errorf("switch: want no arguments, got %d", len(args))
		}
		if err := controllers.Check(c); err != nil {
			return fmt.Errorf("switch: %w", err)
		}
		if controllers.Protocol != "" {
			return s.speak(c, controllers, meeting, listen)
		}
		if meeting.coordinator == "" {
			return errors.New("switch: --coordinator: missing; want HOST:PORT, or --speak for controllers")
		}
		secret, err := meeting.secret()
		if err != nil {
			return fmt.Errorf("switch: %w", err)
		}
		if err := launch.Switch(c.Context(), meeting.coordinator, listen, []byte(secret)); err != nil {
			return s.no(err.Error())
		}
		return nil
	}
	return c
}

// speak runs a switch for controllers. Their password is the secret, if there is one.
func (s *session) speak(c *cobra.Command, f *speak.Flags, meeting *meetingFlags, listen string) error {
	if meeting.coordinator != "" {
		return errors.New("switch: --coordinator: not with --speak")
	}
	secret := ""
	if meeting.secretFile != "" || os.Getenv(launch.SecretVariable) != "" {
		var err error
		if secret, err = meeting.secret(); err != nil {
			return fmt.Errorf("switch: %w", err)
		}
	}
	if err := f.Run(c.Context(), listen, secret, s.err); err != nil {
		return fmt.Errorf("switch: %w", err)
	}
	return nil
}
