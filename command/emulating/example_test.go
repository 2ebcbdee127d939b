package emulating_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/command/emulating"
	"github.com/lightpath-net/lightpath/units"
)

// Measured times become settings of a fabric.
func ExampleCalibration_Fabric() {
	var samples []emulating.CalibrateSample
	for _, size := range []int64{1 << 10, 1 << 16, 1 << 22} { // 1us, and 100Gbps
		samples = append(samples, emulating.CalibrateSample{Bytes: float64(size), TimeNs: units.Time(1000 + 0.08*float64(size))})
	}
	c, err := emulating.Calibrate(context.Background(), emulating.CalibrateRequest{Samples: samples})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, settings := c.Fabric()
	fmt.Println(f.Alpha, f.Bandwidth, settings)
	// Output: 1us 100Gbps [bandwidth alpha delta]
}
