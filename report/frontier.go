package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/lightpath-net/lightpath/command/comparing"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

// Frontier writes the best plans by reconfiguration delay.
func Frontier(w io.Writer, f *comparing.Frontier) {
	fmt.Fprintf(w, "%s of %v on %d GPUs for every reconfiguration delay\n\n", f.Op, units.Bytes(f.SizeBytes), f.Fabric.Nodes)
	t := tabular.New("  ", ">delay from", ">to", "algorithm", "planner", ">reconfigurations", ">communication")
	for _, p := range f.Points {
		to := "any"
		if p.ToNs != nil {
			to = p.ToNs.String()
		}
		t.Add(p.FromNs.String(), to, p.Algorithm, p.Planner, strconv.Itoa(p.Reconfigurations), p.CommunicationNs.String())
	}
	t.Write(w, 0, "")
	fmt.Fprintln(w, "\n  time = communication + reconfigurations x delay")
}
