package launching_test

import (
	"bytes"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/controlling"
	"github.com/lightpath-net/lightpath/command/launching"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/control/emulated"
	"github.com/lightpath-net/lightpath/control/scpi"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// python is the interpreter that Debian's PyTorch is installed for.
const python = "/usr/bin/python3"

// staged is a plan of several stages for four GPUs.
func staged(t *testing.T) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Reconfig.Base = 4, units.Microsecond
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{{Op: collective.AllReduce, Size: 16 * units.MiB}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Stages) < 2 {
		t.Fatalf("%d stages", len(p.Stages))
	}
	return p
}

// compiled writes the files of a plan and returns their folder.
func compiled(t *testing.T, p *plan.Plan, to compile.Format) string {
	t.Helper()
	r, err := compile.Compile(t.Context(), p, to, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range r.Files {
		name := f.Name
		if name == "" {
			name = "planned.py"
		}
		var data bytes.Buffer
		if err := f.Write(&data); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A plan of several stages runs in PyTorch, its circuits set by SCPI on a switch between the
// stages, and every result is right.
func TestAPlanRunsWithTheCircuitsOfASwitch(t *testing.T) {
	t.Parallel()
	p := staged(t)
	dir := compiled(t, p, compile.Torch)
	table, err := timetable.Of(p)
	if err != nil {
		t.Fatal(err)
	}
	var ports timetable.PortMap
	for gpu := range p.Fabric.Nodes {
		ports = append(ports, timetable.Plugged{GPU: gpu, Switch: "a", Ingress: gpu + 1, Egress: 16 + gpu + 1})
	}
	glass := emulated.New(16, time.Millisecond, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go scpi.Serve(t.Context(), l, glass)
	list := filepath.Join(dir, "switches.yaml")
	if err := os.WriteFile(list, fmt.Appendf(nil, "switches:\n  - name: a\n    driver: scpi\n    address: %s\n", l.Addr()), 0o600); err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	module := filepath.Join(dir, "planned.py")
	answer, err := launching.Launch(t.Context(), launching.LaunchRequest{
		Setup:  controlling.Setup{Timetable: table, Reach: controlling.Reach{PortMap: ports, SwitchesFile: list}},
		Target: module, Command: []string{python, module, "--elements", "64"}, Output: &output, Errors: &output,
	})
	if err != nil {
		t.Fatal(err)
	}
	if !answer.OK || answer.Changes != 9*len(p.Stages) || !strings.Contains(output.String(), "all results are right") {
		t.Errorf("%+v\n%s", answer, output.String())
	}
	if answer.Waited < units.Time(answer.Changes/2)*1e6 {
		t.Errorf("%d changes took %v, on a switch of 1ms", answer.Changes, answer.Waited)
	}
}

// An error is reported and ends all ranks.
func TestALaunchThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	p := staged(t)
	module := filepath.Join(compiled(t, p, compile.Torch), "planned.py")
	manifest := filepath.Join(compiled(t, p, compile.MSCCLPP), "manifest.json")
	broken := filepath.Join(t.TempDir(), "broken.py")
	if err := os.WriteFile(broken, []byte("RANKS = 4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	meet := func(lines string) []string {
		return []string{"bash", "-c", `exec 3<>/dev/tcp/${LIGHTPATH_LAUNCHER/:/\/}; ` + lines}
	}
	for says, r := range map[string]launching.LaunchRequest{
		"exit status 3":       {Target: module, Command: []string{"sh", "-c", `[ "$RANK" != 2 ] || exit 3; sleep 60`}},
		"no such file":        {Target: "missing.py"},
		"does not say RANKS":  {Target: broken},
		"want the program":    {Target: manifest},
		"not with a command":  {Target: manifest, Listen: "127.0.0.1:0", Command: []string{"true"}},
		"ranks differ":        {Target: manifest, Command: meet(`echo stage $((RANK % 2 + 1)) >&3; sleep 60`)},
		"after stage 1 of":    {Target: manifest, Command: meet(`echo stage 1 >&3; read -r answer <&3`)},
		"executable file not": {Target: manifest, Command: []string{"no-such-program"}},
		"list of the":         {Target: manifest, Command: []string{"true"}, Setup: controlling.Setup{Timetable: &timetable.Table{}}},
	} {
		answer, err := launching.Launch(t.Context(), r)
		why := ""
		switch {
		case err != nil:
			why = err.Error()
		case !answer.OK:
			why = answer.Reason
		}
		if !strings.Contains(why, says) {
			t.Errorf("%q; want ..%s..", why, says)
		}
	}
	answer, err := launching.Launch(t.Context(), launching.LaunchRequest{
		Target: manifest, Command: meet(`for k in 1 2 3; do echo stage $k >&3; read -r answer <&3; [ "$answer" = "up $k" ] || exit 9; done`),
	})
	if err != nil || !answer.OK || answer.Changes != 3 {
		t.Errorf("%+v, %v", answer, err)
	}
}

// For modules and manifests, a timetable whose circuits differ from the plan's is refused before
// any circuit is set. The plan's own timetable is accepted.
func TestTheTimetableIsThatOfThePlan(t *testing.T) {
	t.Parallel()
	p := staged(t)
	own, err := timetable.Of(p)
	if err != nil {
		t.Fatal(err)
	}
	// GPUs 1 and 2 change places: as many stages and circuits, between others.
	other := *own
	swap := func(f *timetable.Fibre) { f.GPU = []int{0, 2, 1, 3}[f.GPU] }
	other.Stages, other.Up = nil, nil
	renumber := func(in, out timetable.Fibre) (int, int) { // as the table numbers them
		number := func(f timetable.Fibre) int { return f.GPU*own.PortsPerGPU + f.Port/own.Switches + 1 }
		return number(in), own.Size + number(out)
	}
	for _, u := range own.Up {
		swap(&u.In)
		swap(&u.Out)
		u.Ingress, u.Egress = renumber(u.In, u.Out)
		other.Up = append(other.Up, u)
	}
	for _, s := range own.Stages {
		changes := s.Changes
		s.Changes = nil
		for _, c := range changes {
			swap(&c.In)
			swap(&c.Out)
			c.Ingress, c.Egress = renumber(c.In, c.Out)
			s.Changes = append(s.Changes, c)
		}
		other.Stages = append(other.Stages, s)
	}
	first := 0 // that differs, by the maps
	var ups []map[[2]int]int
	for _, table := range []*timetable.Table{own, &other} {
		if err := table.Follow(func(stage int, up map[[2]int]int) bool {
			up = maps.Clone(up)
			maps.DeleteFunc(up, func(_ [2]int, n int) bool { return n == 0 })
			if ups = append(ups, up); len(ups) > len(own.Stages) && first == 0 && !maps.Equal(up, ups[stage]) {
				first = stage + 1
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
	}
	if first == 0 {
		t.Fatal("both timetables are the same")
	}
	for _, target := range []string{filepath.Join(compiled(t, p, compile.Torch), "planned.py"), filepath.Join(compiled(t, p, compile.MSCCLPP), "manifest.json")} {
		for table, says := range map[*timetable.Table]string{
			&other:                   fmt.Sprintf("timetable: stage %d is not that of the plan", first),
			{Stages: own.Stages[:1]}: "1 stages",
			own:                      "port_map: missing",
		} {
			_, err := launching.Launch(t.Context(), launching.LaunchRequest{
				Setup: controlling.Setup{Timetable: table, Reach: controlling.Reach{SwitchesFile: "missing.yaml"}}, Target: target, Command: []string{"true"},
			})
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v; want ..%s..", target, err, says)
			}
		}
	}
}
