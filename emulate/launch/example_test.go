package launch_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/emulate/launch"
)

// Find returns the rank of a process that srun has started.
func ExampleFind() {
	environment := map[string]string{
		"SLURM_PROCID": "3", "SLURM_NTASKS": "8", "SLURM_JOB_ID": "42", "SLURM_STEP_ID": "0",
		"SLURM_SRUN_COMM_HOST": "10.0.0.1", "SLURM_JOB_NODELIST": "node[01-08]",
	}
	place, ok, err := launch.Find(func(name string) string { return environment[name] })
	fmt.Println(place.Rank, "of", place.Size, place.Launcher, ok, err)
	// Output: 3 of 8 Slurm true <nil>
}
