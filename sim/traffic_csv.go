package sim

import (
	"fmt"
	"strconv"

	"github.com/lightpath-net/lightpath/units"
)

// trafficHeader is the first line of a traffic file.
var trafficHeader = []string{"src", "dst", "bytes", "start_ns"}

// parseFlow reads the first four columns of a row.
func parseFlow(row []string, nodes int) (Flow, error) {
	if len(row) != len(trafficHeader) {
		return Flow{}, fmt.Errorf("%d fields; want src,dst,bytes,start_ns", len(row))
	}
	var numbers [3]int64
	for i := range numbers {
		bits := 32
		if i == 2 {
			bits = 64
		}
		n, err := strconv.ParseInt(row[i], 10, bits)
		if err != nil || n < 0 {
			return Flow{}, fmt.Errorf("%s %q; want a whole number from 0 on", trafficHeader[i], row[i])
		}
		numbers[i] = n
	}
	start, err := units.ParseDuration(row[3] + "ns")
	if err != nil {
		return Flow{}, fmt.Errorf("start_ns %q; want nanoseconds from 0 on with at most three decimals", row[3])
	}
	f := Flow{Src: int32(numbers[0]), Dst: int32(numbers[1]), Bytes: units.Bytes(numbers[2]), Start: start}
	return f, f.validate(nodes)
}

// decimals writes n / 10^places, exactly and without trailing zeros.
func decimals(n int64, places int) string {
	text := strconv.FormatInt(n, 10)
	for len(text) <= places {
		text = "0" + text
	}
	end := len(text)
	point := end - places
	for end > point && text[end-1] == '0' {
		end--
	}
	if end == point {
		return text[:point]
	}
	return text[:point] + "." + text[point:end]
}
