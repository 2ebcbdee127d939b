package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/command/exploring"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

// maxAlgorithmSteps is the number of steps that are listed one by one.
const maxAlgorithmSteps = 24

// AlgorithmSteps writes the steps of an algorithm.
func AlgorithmSteps(w io.Writer, l *exploring.AlgorithmSteps) {
	fmt.Fprintf(w, "%s by %s on %d nodes with %s: %s\n\n",
		l.Op, l.Algorithm, l.Nodes, units.Count(l.Ports, "port"), units.Count(len(l.Steps), "step"))
	t := tabular.New("  ", ">step", "does", "each node u sends to", ">peers", ">sent", ">message", ">transfers")
	for _, s := range l.Steps {
		actions := make([]string, len(s.Actions))
		for i, a := range s.Actions {
			actions[i] = string(a)
		}
		t.Add(strconv.Itoa(s.Index), strings.Join(actions, "+"), shorten(partners(l.Nodes, &s), 22),
			strconv.Itoa(s.Peers), share(s.Sent), share(s.Message), strconv.Itoa(s.Transfers))
	}
	t.Write(w, maxAlgorithmSteps, "steps; `json` lists all")
	fmt.Fprintln(w, "\n  sent: the most any node sends; message: the largest transfer; both / size")
}

// partners says where nodes send: by distance, writing distances above half way round as steps
// back, or by example.
func partners(n int, s *exploring.AlgorithmStep) string {
	if len(s.Offsets) == 0 {
		return fmt.Sprintf("e.g. %d -> %d", s.Example[0], s.Example[1])
	}
	texts := make([]string, len(s.Offsets))
	for i, o := range s.Offsets {
		if 2*o > n {
			texts[i] = fmt.Sprintf("u-%d", n-o)
		} else {
			texts[i] = fmt.Sprintf("u+%d", o)
		}
	}
	return strings.Join(texts, " ")
}

func share(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
