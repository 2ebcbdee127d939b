package cli

import (
	"path/filepath"
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
		"wire --nodes 8 --radix 8 --parts negative.yaml":          `--parts: negative.yaml:3: switches.polatis.price: "-1 USD": must not be below 0`,
		"wire --nodes 8 --radix 8 --parts circle.yaml":            "--parts: circle.yaml:3: switches.b.like: a circle: a is like b is like a",
		"wire --nodes 8 --radix 8 --parts units.yaml":             `--parts: units.yaml:2: nics.400G.power: "3 hp": unknown unit "hp"`,
		"wire --nodes 8 --radix 8 --parts missing.yaml":           "--parts: missing.yaml:2: transceivers.mine.price: missing",
		"wire --nodes 8 --radix 8 --parts none.yaml":              "--parts: none.yaml: no such file",
		"design --mix allreduce --parts circle.yaml":              "--parts: circle.yaml:3: switches.b.like: a circle",
		"availability --parts circle.yaml":                        "--parts: circle.yaml:3: switches.b.like: a circle",
		"availability --technology x":                             "--technology: unknown technology",
		"availability --avoid gpu:1":                              "--avoid: failures are random here",
		"availability --nodes 8 --nodes-needed 9":                 "--nodes-needed",
		"availability --spare-switches -1":                        "--spare-switches",
		"availability broadcast/gpus=0-1":                         "want an operation of all GPUs",
		"design --mix allreduce/1MiB:x":                           "--mix",
		"design --mix allreduce/1MB:2.5":                          `"2.5" is not how often the operation occurs; want a whole number from 1 to 1000000`,
		"design --mix allreduce/1MB:NaN":                          `"NaN" is not how often the operation occurs; want a whole number`,
		"design --mix allreduce/1MB:1e3":                          `"1e3" is not how often the operation occurs; want a whole number`,
		"design --mix allreduce/1MB:two":                          `"two" is not how often the operation occurs; want a whole number`,
		"design --mix allreduce/1MB/ring:2.5":                     `"2.5" is not how often the operation occurs; want a whole number`,
		"design --mix allreduce:inf":                              `"inf" is not how often the operation occurs; want a whole number`,
		"design --mix allreduce/1MB:1" + strings.Repeat("0", 400): "is not how often the operation occurs; want a whole number",
		"design --mix allreduce/1MB --budget-cost inf --json":     "--budget-cost: +Inf; want a finite number, 0 or more",
		"design --mix allreduce/1MB --budget-cost -1":             "--budget-cost: ",
		"design --mix allreduce/1MB --budget-power inf --json":    "--budget-power: +Inf; want a finite number, 0 or more",
		"design --mix allreduce/1MB --budget-power nan --json":    "--budget-power: ",
		"design --mix allreduce --ports 1,x":                      `--ports: "x" is not a number`,
		"design --mix allreduce --technology x":                   "--technology: unknown technology",
		"design --mix allreduce --island 4":                       "--island: 4: say how fast",
		"design --mix allreduce --reconfig 1us":                   "--reconfig: the technologies have",
		"design":                                                  "--mix: say the load",
		"wire --nodes 8 --radix 8 --technology x":                 `--technology: unknown technology "x"; use patch-panel, `,
	} {
		code, stdout, stderr := run(t, strings.Fields(line)...)
		if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q, %q; want %q", line, code, stdout, stderr, want)
		}
	}
}

// The answer of a design that finds nothing to buy is no, and it is printed all the same.
func TestNothingToBuyIsNo(t *testing.T) {
	const load = "design --mix allreduce/1MiB --nodes 8 --ports 2 --planner harvest "
	for line, want := range map[string]string{
		"--technology polatis --budget-cost 1":         "No choice is within the budget.",
		"--technology polatis --budget-power 1 --json": "No choice is within the budget.",
		// No packet fabric is without islands, and no light gets through.
		"--technology plzt --packet rail-only --plot " + filepath.Join(t.TempDir(), "x.svg"): "No choice has both a plan and a bill.",
		"--technology plzt --packet rail-only":                                               "No choice has both a plan and a bill.",
		"--technology plzt --packet rail-only --json":                                        "No choice has both a plan and a bill.",
	} {
		code, stdout, stderr := run(t, strings.Fields(load+line)...)
		if code != exitNo || stderr != "lightpath: "+want+"\n" || !strings.Contains(strings.Join(strings.Fields(stdout), " "), want) {
			t.Errorf("%s: exit %d, %q, %q; want %q", line, code, stdout, stderr, want)
		}
	}
	if code, _, stderr := run(t, strings.Fields(load+"--technology polatis")...); code != exitDone || stderr != "" {
		t.Errorf("exit %d, %q", code, stderr)
	}
}

// A fabric whose parts never fail is always at full speed.
func TestPartsThatNeverFail(t *testing.T) {
	t.Chdir(filesIn(t, map[string]string{"never.yaml": "switches:\n  patch-panel: {failures: 0 FIT, port_failures: 0 FIT}\n" +
		"transceivers:\n  800G-FR4: {failures: 0 FIT}\nfibres:\n  single-mode: {failures: 0 FIT}\nnics:\n  400G: {failures: 0 FIT}\n"}))
	for form, want := range map[string]string{"text": "No part ever fails.", "json": `"causes": [],`} {
		code, stdout, stderr := run(t, strings.Fields("availability allreduce/1MB --nodes 4 --technology patch-panel --parts never.yaml --format "+form)...)
		if code != exitDone || stderr != "" || !strings.Contains(stdout, want) {
			t.Errorf("%s: exit %d, %q, %q", form, code, stdout, stderr)
		}
	}
}
