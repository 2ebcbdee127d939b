package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/page"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/reproduce"
)

func (s *session) reproduceCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "reproduce list | all | ID",
		Short: "Recompute published numbers and compare",
		Long: `Recompute numbers that papers in the field claim, and compare. ID names a claim,
or all claims below a prefix that ends at a slash: harvest/table1. Verdicts:
matched (within a tolerance with its reason), better, differs, not-checkable.
Every verdict but a plain match gives its reason. list computes nothing and
shows the recorded verdicts.

--html draws the papers' figures on their own axes, by the model and, where the
authors simulate, packet by packet. better-PAPER.html adds our best plan and the
bound on the same axes. An ID may also name a figure.
Exit 1: a verdict differs from the recorded one.`,
		Example: `  lightpath reproduce list
  lightpath reproduce all --html pages
  lightpath reproduce harvest/fig5 --html pages
  lightpath reproduce harvest/fig5 --format csv`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return claimNames(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	var request lightpath.ReproduceRequest
	var html string
	c.Flags().SortFlags = false
	c.Flags().BoolVar(&request.Full, "full", false, "also compute what takes minutes")
	c.Flags().StringVar(&html, "html", "", "write claims and figures to folder `DIR`: reproduction.html, reproduction.md, better-PAPER.html")
	plot := addPlotFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("reproduce: want list, all or an ID, got %d arguments; e.g. %s all", len(args), c.CommandPath())
		}
		if request.ID = args[0]; request.ID == "list" {
			request.ID, request.List = "", true
		} else if request.ID == "" {
			return fmt.Errorf("reproduce: an empty ID; want list, all or an ID")
		}
		request.Figures = html != "" && !request.List
		if err := plot.check(c); err != nil {
			return err
		}
		answer, err := answered(s, c, "computing", lightpath.Reproduce, request)
		if err != nil {
			return err
		}
		if html != "" {
			if err := writeReproduction(html, answer); err != nil {
				return fmt.Errorf("--html: %w", err)
			}
		}
		if err := s.printPlotted(answer, plot); err != nil {
			return err
		}
		if list := answer.Unexpected(); len(list) > 0 {
			return s.no(fmt.Sprintf("%s: %s, recorded is %s (%d of %d claims are not as recorded)", list[0].ID, list[0].Verdict, list[0].Recorded, len(list), len(answer.Rows)))
		}
		return nil
	}
	return c
}

// claimNames are the arguments of reproduce.
func claimNames() []string {
	list := []string{"list", reproduce.All}
	for _, p := range reproduce.Papers() {
		list = append(list, p.Name)
		for i := range p.Entries {
			list = append(list, p.Entries[i].ID)
		}
	}
	return list
}

// writeReproduction writes all documents, or the error of the first that cannot be.
func writeReproduction(dir string, answer *lightpath.Reproduction) error {
	made, err := page.Of(answer)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	type document struct {
		name  string
		write func(w io.Writer) error
	}
	documents := []document{
		{"reproduction.html", made.Write},
		{"reproduction.md", func(w io.Writer) error { return report.ReproductionMarkdown(w, answer) }},
	}
	for _, p := range reproduce.Papers() {
		if beyond := page.Better(answer, &p); beyond != nil {
			documents = append(documents, document{page.BetterName(&p), beyond.Write})
		}
	}
	for _, d := range documents {
		if err := writeDocument(filepath.Join(dir, d.name), d.write); err != nil {
			return err
		}
	}
	return nil
}

func writeDocument(name string, write func(w io.Writer) error) error {
	w, err := files.Create(name)
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := write(w); err != nil {
		return err
	}
	return w.Commit()
}
