package sim

import (
	"encoding/csv"
	"io"
	"strconv"
)

// WriteLinks writes the statistics of every link as CSV, one line each. Utilization is the
// fraction of the whole time in which its circuits were sending.
func WriteLinks(w io.Writer, r *Result) error {
	out := csv.NewWriter(w)
	row := []string{
		"from", "to", "circuits", "bytes", "packets", "busy_ns", "utilization", "queue_peak_ns", "relay_peak_bytes",
	}
	err := out.Write(row)
	for i := 0; i < len(r.Links) && err == nil; i++ {
		l := &r.Links[i]
		row[0], row[1], row[2] = strconv.Itoa(l.From), strconv.Itoa(l.To), strconv.Itoa(l.Circuits)
		row[3], row[4] = strconv.FormatInt(int64(l.Bytes), 10), strconv.FormatInt(l.Packets, 10)
		row[5], row[6] = decimals(int64(l.Busy), 3), strconv.FormatFloat(l.Utilization(r.Completion), 'g', 6, 64)
		row[7], row[8] = decimals(int64(l.QueuePeak), 3), strconv.FormatInt(int64(l.RelayPeak), 10)
		err = out.Write(row)
	}
	out.Flush()
	if err == nil {
		err = out.Error()
	}
	return err
}
