package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath"
)

// launched runs this program with a launcher and returns its JSON answer.
func launched(t *testing.T, env []string, name string, args ...string) (answer lightpath.Emulation, exit int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(append(os.Environ(), "LIGHTPATH_SECRET=the secret of this test"), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatalf("%s: %v (scripts/test installs it)", name, err)
	}
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatalf("%s %s: %v: %s%s", name, args, err, &out, &errs)
	}
	return answer, cmd.ProcessState.ExitCode()
}

func TestRanksRunUnderMpirun(t *testing.T) {
	plan := planFile(t, "allreduce", "--nodes", "16", "--size", "256KiB", "--algorithm", "recursive-doubling", "--planner", "harvest")
	mpirun := func(np string, args ...string) (lightpath.Emulation, int) {
		all := []string{"--allow-run-as-root", "--oversubscribe", "-np", np, "-x", "LIGHTPATH_SECRET", os.Args[0], "rank", plan, "--json", "--patience", "60s"}
		return launched(t, nil, "mpirun", append(all, args...)...)
	}
	got, exit := mpirun("16", "--no-wait", "--dtype", "int32")
	if exit != 0 || !got.OK || got.Ranks != 16 || got.Processes != 16 || got.BytesChecked != 16*256<<10 {
		t.Errorf("exit %d: %+v", exit, got)
	}
	got, exit = mpirun("5", "--slow", "2000") // three or four ranks in each process
	if exit != 0 || !got.OK || got.Processes != 5 || got.Slow != 2000 {
		t.Errorf("exit %d: %+v", exit, got)
	}
	got, exit = mpirun("16", "--no-wait", "--fail", "stall:5@step:3", "--patience", "2s")
	if exit != 1 || got.OK || got.Fault == nil || got.Fault.Rank != 5 || got.Fault.Step != 3 {
		t.Errorf("exit %d: %+v", exit, got)
	}
}

func TestRanksRunUnderSrun(t *testing.T) {
	env := startSlurm(t)
	plan := planFile(t, "alltoall", "--nodes", "8", "--ports", "2", "--size", "64KiB", "--reconfig", "1us")
	for _, c := range []struct {
		tasks string
		args  []string
	}{{"8", []string{"--no-wait"}}, {"3", []string{"--slow", "2000", "--dtype", "bfloat16"}}} {
		all := append([]string{"-n", c.tasks, "-O", os.Args[0], "rank", plan, "--json", "--patience", "60s"}, c.args...)
		if got, exit := launched(t, env, "srun", all...); exit != 0 || !got.OK || got.Ranks != 8 || fmt.Sprint(got.Processes) != c.tasks {
			t.Errorf("srun -n %s: exit %d: %+v", c.tasks, exit, got)
		}
	}
}

// startSlurm starts a cluster of one node in a temporary folder, with a munge of its own,
// and stops it with the test. It returns the environment of its users.
func startSlurm(t *testing.T) []string {
	t.Helper()
	dir, err := os.MkdirTemp("", "slurm") // short: it holds a socket, whose path is bounded
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, sub := range []string{"state", "spool"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "munge.key"), bytes.Repeat([]byte("a key of a test!"), 64), 0o400); err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	conf := fmt.Sprintf(`ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
AuthType=auth/munge
AuthInfo=socket=%[2]s/munge.sock
SlurmUser=root
SlurmdUser=root
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
SlurmctldLogFile=%[2]s/slurmctld.log
SlurmdLogFile=%[2]s/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=%[1]s Default=YES OverSubscribe=YES State=UP
`, host, dir, freePort(t), freePort(t))
	writeFile(t, filepath.Join(dir, "slurm.conf"), conf)
	env := []string{"SLURM_CONF=" + filepath.Join(dir, "slurm.conf")}
	in := func(name string) string { return filepath.Join(dir, name) }
	daemon(t, env, "munged", "--foreground", "--force", "--key-file="+in("munge.key"), "--socket="+in("munge.sock"),
		"--pid-file="+in("munged.pid"), "--log-file="+in("munged.log"), "--seed-file="+in("munged.seed"))
	eventually(t, "munged", func() error { _, err := os.Stat(in("munge.sock")); return err })
	daemon(t, env, "slurmctld", "-D")
	daemon(t, env, "slurmd", "-D")
	eventually(t, "the Slurm node", func() error {
		cmd := exec.CommandContext(t.Context(), "sinfo", "-h", "-o", "%t")
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err == nil && strings.TrimSpace(string(out)) != "idle" {
			err = fmt.Errorf("its state is %s", out)
		}
		return err
	})
	return env
}

// daemon starts a server and stops it with the test.
func daemon(t *testing.T, env []string, name string, args ...string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		path = "/usr/sbin/" + name
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v (scripts/test installs it)", err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		dead := time.AfterFunc(5*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		dead.Stop()
	})
}

// eventually waits for something that takes a few seconds.
func eventually(t *testing.T, what string, ready func() error) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		err := ready()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %v", what, err)
		}
	}
}

// freePort returns a port that is not in use at the moment.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
