package compile

import (
	"fmt"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/plan"
)

// circuits checks that the programs of a manifest send only over the circuits of their
// stages, and use only the scratch that lives on.
func circuits(report *check.Report, m *Manifest, programs []*program.Program) {
	err := func() error {
		for i, p := range programs {
			up := map[[2]int]bool{}
			for _, c := range m.Stages[i].Circuits {
				up[[2]int{c[0], c[1]}] = c[2] > 0
			}
			for r := range p.Ranks {
				if r >= len(m.Scratch) || p.Ranks[r].Scratch > m.Scratch[r] {
					return fmt.Errorf("stage %d: rank %d uses %d chunks of scratch, more than live on", i+1, r, p.Ranks[r].Scratch)
				}
				for b := range p.Ranks[r].Blocks {
					if to := p.Ranks[r].Blocks[b].Send; to >= 0 && !up[[2]int{r, to}] {
						return fmt.Errorf("stage %d: rank %d, thread block %d sends to rank %d, to which no circuit is up", i+1, r, b, to)
					}
				}
			}
		}
		return nil
	}()
	c := plan.Check{Name: "circuits", OK: err == nil, Detail: "programs send over circuits that are up"}
	if err != nil {
		c.Detail, report.OK = err.Error(), false
	}
	report.Checks = append(report.Checks, c)
}
