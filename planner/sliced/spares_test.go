package sliced_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// TestEnoughSparesLoseNothing: with a spare for everything that has failed, a plan takes as long
// as before and is correct.
func TestEnoughSparesLoseNothing(t *testing.T) {
	t.Parallel()
	for i, c := range [][2]string{
		{"nodes=12 ports=2 spares=2", "port:3,port:7.0"},
		{"nodes=9 ports=2 switches=3x3 spares=1", "port:3.0,port:3.1"},
		{"nodes=10 spares=gpus:2", "gpu:0,gpu:4"},
		{"nodes=16 ports=1 island=4 island-bandwidth=3200Gbps spares=islands:1", "gpu:2,gpu:3"},
		{"nodes=16 ports=2 island=4 island-bandwidth=3200Gbps spares=1,islands:2", "island:1,port:9,gpu:1"},
		{"nodes=16 ports=1 island=4 island-bandwidth=3200Gbps switches=rails spares=1", "port:5"},
	} {
		settings, failures := c[0], c[1]
		f := fabric.Default()
		for setting := range strings.FieldsSeq(settings) {
			name, value, _ := strings.Cut(setting, "=")
			if err := f.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		ops := []collective.Op{collective.AllReduce, collective.AllToAll}
		if !samples.Every() {
			ops = ops[i%2:][:1] // in turn
		}
		for _, op := range ops {
			times := [2]units.Time{}
			for i, failed := range []string{"none", failures} {
				if err := f.Set("avoid", failed); err != nil {
					t.Fatal(err)
				}
				if err := f.Validate(); err != nil {
					t.Fatal(err)
				}
				p, err := fastest(t, f, collective.Operation{Op: op, Size: units.MiB})
				if err != nil {
					t.Fatalf("%s, %s: %v", settings, failed, err)
				}
				if why := whyNot(t, p); why != "" {
					t.Errorf("%s, %s: %s", settings, failed, why)
				}
				times[i] = p.Cost.Total()
			}
			if !plan.Near(times[0], times[1]) {
				t.Errorf("%s of %s: %v, with %s %v", op, settings, times[0], failures, times[1])
			}
		}
	}
}
