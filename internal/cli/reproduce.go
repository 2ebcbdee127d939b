package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/page"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/reproduce"
)

func init() { own["reproduce"] = (*session).reproduceCommand }

func (s *session) reproduceCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.ReproduceRequest{}
	f := &face{asked: asked, request: r, doing: "computing", own: []string{"id", "list", "figures"}, Command: &cobra.Command{
		Use: "reproduce list | all | ID",
		Long: `Recompute numbers that papers in the field claim, and compare. ID names a claim,
or all claims below a prefix that ends at a slash: harvest/table1. Verdicts:
matched (within a tolerance with its reason), better, differs, not-checkable.
Every verdict other than a plain match has a reason, and a verdict that differs
also has a command that shows the difference. list computes nothing and shows
the recorded verdicts.

Every claim is judged three times: as stated, under one convention for all
claims of a paper, and under whichever reading comes nearest: as stated, by
convention, or one chosen for that claim. Its verdict is the one as stated or
under the convention.

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
		Args: input.Wants(1, 1, "want list, all or an ID", "all"),
	}}
	f.bind()
	var html string
	f.Flags().StringVar(&html, "html", "", "write claims and figures to folder `DIR`: reproduction.html, reproduction.md, better-PAPER.html")
	f.read = func(args []string) error {
		switch r.ID = args[0]; r.ID {
		case "list":
			r.ID, r.List = "", true
		case "":
			return errors.New("reproduce: an empty ID; want list, all or an ID")
		}
		r.Figures = html != "" && !r.List
		return nil
	}
	f.keep = on(func(answer *lightpath.Reproduction) error {
		if html == "" {
			return nil
		}
		if err := writeReproduction(html, answer); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
		return nil
	})
	f.end = on(func(answer *lightpath.Reproduction) error {
		list := answer.Unexpected()
		if len(list) == 0 {
			return nil
		}
		return s.no(fmt.Sprintf("%s: %s, recorded is %s (%d of %d claims are not as recorded)", list[0].ID, verdicts(&list[0], false), verdicts(&list[0], true), len(list), len(answer.Rows)))
	})
	return f.command(s)
}

// verdicts returns the verdicts of a row, computed or recorded: one if all columns agree, else
// all three.
func verdicts(row *reproduce.Row, recorded bool) string {
	list := []reproduce.Verdict{row.Stated.Verdict, row.Convention.Verdict, row.Best.Verdict}
	if recorded {
		list = []reproduce.Verdict{row.Stated.Recorded, row.Convention.Recorded, row.Best.Recorded}
	}
	if list[0] == list[1] && list[1] == list[2] {
		return string(list[0])
	}
	return fmt.Sprintf("%s, %s, %s", list[0], list[1], list[2])
}

// claimNames returns the possible arguments of reproduce.
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

// writeReproduction writes all documents, or returns the first error.
func writeReproduction(dir string, answer *lightpath.Reproduction) error {
	made, err := page.Reproduction(answer)
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
	return each.Try(documents, func(d document) error {
		return files.Write(filepath.Join(dir, d.name), d.write)
	})
}
