package launch_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/emulate/launch"
)

func TestLaunchersTellRankAndSize(t *testing.T) {
	for _, c := range []struct {
		env     map[string]string
		want    launch.Place
		address string
	}{
		{map[string]string{"SLURM_PROCID": "3", "SLURM_NTASKS": "8", "SLURM_NNODES": "1", "SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0"},
			launch.Place{Rank: 3, Size: 8, Launcher: "Slurm", Host: "127.0.0.1", Job: "7.0"}, "127.0.0.1:31560"},
		{map[string]string{"SLURM_PROCID": "3", "SLURM_NTASKS": "8", "SLURM_NNODES": "2", "SLURM_STEP_NODELIST": "gpu[003-004,9]-ib,x", "MASTER_PORT": "4000"},
			launch.Place{Rank: 3, Size: 8, Launcher: "Slurm", Host: "gpu003-ib", Job: "."}, "gpu003-ib:4000"},
		{map[string]string{"SLURM_PROCID": "0", "SLURM_NTASKS": "2", "SLURM_STEP_NODELIST": "a1,b[2-3]", "MASTER_PORT": "1"},
			launch.Place{Rank: 0, Size: 2, Launcher: "Slurm", Host: "a1", Job: "."}, "a1:1"},
		{map[string]string{"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_LOCAL_SIZE": "4", "MASTER_PORT": "9", "SLURM_PROCID": "0", "SLURM_NTASKS": "1"},
			launch.Place{Rank: 1, Size: 4, Launcher: "Open MPI", Host: "127.0.0.1"}, "127.0.0.1:9"},
		{map[string]string{"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_LOCAL_SIZE": "2"},
			launch.Place{Rank: 1, Size: 4, Launcher: "Open MPI"}, ""},
		{map[string]string{"PMI_RANK": "1", "PMI_SIZE": "4"}, launch.Place{Rank: 1, Size: 4, Launcher: "PMI"}, ""},
		{map[string]string{"RANK": "1", "WORLD_SIZE": "4", "MASTER_ADDR": "node0", "MASTER_PORT": "29500"},
			launch.Place{Rank: 1, Size: 4, Launcher: "RANK and WORLD_SIZE", Host: "node0"}, "node0:29500"},
	} {
		getenv := func(name string) string { return c.env[name] }
		got, ok, err := launch.Find(getenv)
		if err != nil || !ok || got != c.want {
			t.Errorf("%v: %+v, %v, %v; want %+v", c.env, got, ok, err, c.want)
		}
		if a := got.Address(getenv); a != c.address {
			t.Errorf("%v: coordinator at %q; want %q", c.env, a, c.address)
		}
	}
	for _, env := range []map[string]string{
		{"RANK": "x", "WORLD_SIZE": "4"}, {"RANK": "4", "WORLD_SIZE": "4"}, {"RANK": "-1", "WORLD_SIZE": "4"}, {"RANK": "0", "WORLD_SIZE": "y"},
	} {
		if got, _, err := launch.Find(func(name string) string { return env[name] }); err == nil {
			t.Errorf("%v: %+v", env, got)
		}
	}
	if _, ok, err := launch.Find(func(string) string { return "" }); ok || err != nil {
		t.Error("a launcher where there is none")
	}
}
