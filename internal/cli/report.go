package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/internal/cli/guard"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/plan"
)

func (s *session) reportCommand() *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "report FILE",
		Short: "Write an HTML page about a plan, an iteration, a sweep, ...",
		Long: `Write one self-contained HTML page about FILE: a plan (plan -o), the store of a
sweep (sweep --out), a simulation (simulate --json), a workload (workload -o) or
an iteration (iterate -o). The page needs no network and follows the screen's
dark or light mode.`,
		Example: "  lightpath report plan.json -o report.html\n  lightpath report s.db -o report.html",
	}
	plans := input.AddPlan(c)
	guard.Output(c.Flags(), &output, "output", "write the page to `FILE`.html")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("report: want one file, got %d arguments; e.g. %s plan.json -o report.html", len(args), c.CommandPath())
		}
		if output == "" {
			return fmt.Errorf("report: -o: want the page to write, e.g. -o report.html")
		}
		if err := checkPageFile(output); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
		answer, err := s.reported(c, plans, args[0])
		if err != nil {
			return err
		}
		if p, ok := answer.(*plan.Plan); ok {
			if err := lightpath.AddSimulated(c.Context(), p, false); err != nil {
				if c.Context().Err() != nil {
					return err
				}
				p.Unsimulated = err.Error() // the page shows this, and what the file claims
			}
		}
		made, err := s.rendering(nil, answer).Page()
		if err != nil {
			return fmt.Errorf("report: %s: %w", args[0], err)
		}
		if err := writePage(output, made); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
		if s.text() {
			_, err := fmt.Fprintf(s.out, "written to %s\n", output)
			return err
		}
		return s.print(&written{Schema: "lightpath.written/v1", Output: output})
	}
	return c
}

// checkPageFile refuses a name whose ending promises something other than a page, such as .pdf.
// A name without an ending, such as /dev/stdout, is accepted.
func checkPageFile(name string) error {
	if ext := filepath.Ext(name); ext != "" && !strings.EqualFold(ext, ".html") {
		return fmt.Errorf("%s: the page is HTML; name it .html (a browser can print it as PDF)", name)
	}
	return files.Check(name)
}

// written is the answer of a command that has written a file.
type written struct {
	Schema string `json:"schema"`
	Output string `json:"output"`
}

// reported reads the answer in a file, whose first bytes tell what it is.
func (s *session) reported(c *cobra.Command, plans *input.Plan, name string) (any, error) {
	head, err := beginningOf(name)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	answer, known, err := command.Load(c.Context(), s.commands(), head, name)
	switch {
	case !known:
		return plans.Read(c, name)
	case err != nil:
		return nil, fmt.Errorf("report: %w", err)
	}
	return answer, nil
}

func beginningOf(name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 256)
	n, err := io.ReadFull(f, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return head[:n], err
}
