// Command lightpath plans collective communication on reconfigurable optical fabrics.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/lightpath-net/lightpath/internal/cli"
	"github.com/lightpath-net/lightpath/internal/garbage"
)

// mostGarbage keeps memory well below a gigabyte for plans of 16384 GPUs, and at half of that for
// all-to-alls of 1024. Collecting more seldom took as long.
const mostGarbage = 160 << 20

func main() {
	garbage.Most(mostGarbage)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program the hard way
	code := cli.Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
