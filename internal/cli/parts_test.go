package cli

import (
	"strings"
	"testing"
)

// A file of parts that is wrong gets one line, with its place, before anything is planned.
func TestHostilePartsGetOneLine(t *testing.T) {
	t.Chdir(filesIn(t, map[string]string{
		"negative.yaml": "switches:\n  polatis:\n    price: -1 USD\n", "circle.yaml": "switches:\n  a: {like: b}\n  b: {like: a}\n",
		"units.yaml": "nics:\n  400G: {power: 3 hp}\n", "missing.yaml": "transceivers:\n  mine: {rate: 100Gbps}\n",
	}))
	for line, want := range map[string]string{
		"wire --nodes 8 --radix 8 --parts negative.yaml": `--parts: negative.yaml:3: switches.polatis.price: "-1 USD": must not be below 0`,
		"wire --nodes 8 --radix 8 --parts circle.yaml":   "--parts: circle.yaml:3: switches.b.like: a circle: a is like b is like a",
		"wire --nodes 8 --radix 8 --parts units.yaml":    `--parts: units.yaml:2: nics.400G.power: "3 hp": unknown unit "hp"`,
		"wire --nodes 8 --radix 8 --parts missing.yaml":  "--parts: missing.yaml:2: transceivers.mine.price: missing",
		"wire --nodes 8 --radix 8 --parts none.yaml":     "--parts: none.yaml: no such file",
		"wire --nodes 8 --radix 8 --technology x":        `--technology: unknown technology "x"; use patch-panel, `,
	} {
		code, stdout, stderr := run(t, strings.Fields(line)...)
		if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q, %q; want %q", line, code, stdout, stderr, want)
		}
	}
}
