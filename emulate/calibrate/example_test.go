package calibrate_test

import (
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/emulate/calibrate"
)

func ExampleFit() {
	samples, err := calibrate.Read(strings.NewReader("bytes,time_ns\n0,2000\n1000000,12000\n100000000,1002000\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	line, err := calibrate.Fit(samples)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v and %.0f Gbps, off by %.0f%%\n", line.Alpha, float64(line.Bandwidth())/1e9, 100*line.Residual)
	// Output: 2.000us and 800 Gbps, off by 0%
}
