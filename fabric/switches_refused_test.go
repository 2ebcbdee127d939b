package fabric_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/units"
)

// If switches refuse a delay or an overlap, what the refusal advises is accepted: it once said
// "use a constant delay" to users who had one.
func TestWhatSwitchesAdviseIsAccepted(t *testing.T) {
	refused := 0
	for _, plugged := range []string{"rails", "4x4:2,2", "4x4:1,1"} {
		for _, model := range []fabric.Reconfig{
			{Model: fabric.Constant, Base: units.Microsecond}, {Model: fabric.PerPort, Base: units.Microsecond, Each: units.Microsecond},
		} {
			for _, kind := range []fabric.OverlapKind{fabric.OverlapNone, fabric.OverlapPorts, fabric.OverlapCircuits} {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Reconfig, f.Overlap.Kind = 16, 4, model, kind
				if plugged == "4x4:1,1" {
					f.Ports = 2
				}
				var err error
				if f.Layout, err = layout.Parse(plugged); err != nil {
					t.Fatal(err)
				}
				err = f.Validate()
				if err == nil {
					continue
				}
				refused++
				says := err.Error()
				if advised := strings.Contains(says, "overlap none"); advised != (kind != fabric.OverlapNone) {
					t.Errorf("%s with overlap %v: %s", plugged, f.Overlap, says)
				}
				if advised := strings.Contains(says, "a constant delay"); advised != (model.Model != fabric.Constant) {
					t.Errorf("%s with %v: %s", plugged, model, says)
				}
				f.Overlap = fabric.Overlap{}
				f.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: units.Microsecond}
				if err := f.Validate(); err != nil {
					t.Errorf("%s as advised: %v", plugged, err)
				}
			}
		}
	}
	if refused == 0 {
		t.Error("nothing is refused")
	}
}
