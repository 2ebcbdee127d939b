package direct

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
)

// TestNoLargeSizeIsACliff: around 1000 GPUs, and where plans for every pair of GPUs end, one
// GPU more takes at most 15% longer and twice as many at most 25%, by the times of schedules,
// which plans take (TestPlansForManyGPUsAreCorrect). With the argument sizes it tries more
// sizes, and prints the time and the bound of each:
//
//	go test ./planner/direct -run TestNoLargeSizeIsACliff -v -timeout 0 -args sizes -ports 2,4
func TestNoLargeSizeIsACliff(t *testing.T) {
	args, out := flag.Args(), io.Writer(os.Stdout)
	if len(args) == 0 {
		args, out = []string{"sizes", "-nodes", "1000-1001,4096-4097", "-ports", "4", "-ops", "allreduce"}, io.Discard
	}
	steep, err := sizes(t.Context(), args[1:], out)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range steep {
		t.Error(line)
	}
}

// sizes prints the times of schedules, and returns the sizes at which more GPUs take too much
// longer.
func sizes(ctx context.Context, args []string, out io.Writer) (steep []string, err error) {
	flags := flag.NewFlagSet("sizes", flag.ContinueOnError)
	nodes := flags.String("nodes", "250-300,500,990-1030,2000,4090-4100,5000-5001,8191-8193,10000,16384", "numbers of GPUs, and ranges")
	ports := flags.String("ports", "2,3,4,8", "numbers of ports")
	ops := flags.String("ops", "allreduce,allgather,reducescatter", "operations")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	for op := range strings.SplitSeq(*ops, ",") {
		for p := range strings.SplitSeq(*ports, ",") {
			ports, err := strconv.Atoi(p)
			if err != nil {
				return nil, err
			}
			took := map[int]units.Time{}
			for part := range strings.SplitSeq(*nodes, ",") {
				from, to, ranged := strings.Cut(part, "-")
				first, err := strconv.Atoi(from)
				if err != nil {
					return nil, err
				}
				last := first
				if ranged {
					if last, err = strconv.Atoi(to); err != nil {
						return nil, err
					}
				}
				for n := first; n <= last; n++ {
					time, least, err := timeOf(ctx, collective.Op(op), n, ports)
					if err != nil {
						return nil, err
					}
					took[n] = time
					line := fmt.Sprintf("%s, %d ports, %d GPUs: %v, bound %v", op, ports, n, time, least)
					fmt.Fprintln(out, line)
					if before, ok := took[n-1]; ok && time > 1.15*before {
						steep = append(steep, fmt.Sprintf("%s; one GPU less: %v", line, before))
					}
					if half, ok := took[n/2]; ok && n%2 == 0 && time > 1.25*half {
						steep = append(steep, fmt.Sprintf("%s; half as many: %v", line, half))
					}
				}
			}
		}
	}
	return steep, nil
}

// timeOf returns the time of a plan's schedule, and a lower bound on the time of any plan.
func timeOf(ctx context.Context, op collective.Op, nodes, ports int) (time, least units.Time, err error) {
	r := requestFor(op, nodes, ports)
	least = bound.OfOperation(&r.Fabric, &collective.Section{Op: op, Size: r.Size, Space: r.Collective.Space}).Total()
	if compactOn(&r.Fabric) {
		s, err := broadcastOf(ctx, &r)
		if err != nil {
			return 0, 0, err
		}
		return s.least(&r), least, nil
	}
	g, err := topologyFor(ctx, &r)
	if err != nil {
		return 0, 0, err
	}
	s, err := bestOn(ctx, &r, g)
	if err != nil {
		return 0, 0, err
	}
	_, its, err := resized(ctx, &r, &s)
	if its != nil {
		s = *its
	}
	return s.least(&r), least, err
}
