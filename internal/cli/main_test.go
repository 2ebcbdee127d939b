package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// TestMain makes the test binary the program itself where tests, emulations, mpirun and srun start
// it as one of their processes.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "rank" || os.Args[1] == "switch" || os.Args[1] == "sweep" || os.Args[1] == "control") {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		code := Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
		stop()
		os.Exit(code)
	}
	os.Exit(m.Run())
}
