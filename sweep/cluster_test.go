package sweep

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

func cluster(dir string) *Cluster {
	return &Cluster{
		Program: filepath.Join(dir, "light path"), Args: []string{"allreduce", "--size", "1KiB..1MiB", "--base", "Torus(2,4)", "--initial", "it's"},
		Shards: 3, Dir: dir, Out: filepath.Join(dir, "all.db"), Tries: 2,
	}
}

// The scripts are valid shell, and run by hand they start each shard with its number, try
// again what fails, and merge when all have finished.
func TestSlurmScriptsRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a folder")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c := cluster(dir)
	// The program notes its arguments, and shard 2 fails the first time.
	program := "#!/bin/bash\nprintf '%s|' \"$@\" >>'" + dir + "/calls'\necho >>'" + dir + "/calls'\n" +
		"case \"$*\" in *2/3*) [ -e '" + dir + "/failed' ] || { touch '" + dir + "/failed'; exit 1; };; esac\n"
	if err := os.WriteFile(c.Program, []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	shard, merge := c.SlurmScripts()
	run := func(script string, env ...string) error {
		cmd := exec.Command("bash", "-eu", "-c", script)
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Logf("%s", out)
		}
		return err
	}
	for _, i := range []string{"1", "2", "3"} {
		if err := run(shard, "SLURM_ARRAY_TASK_ID="+i); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(merge); err != nil {
		t.Fatal(err)
	}
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	sweep := "sweep|allreduce|--size|1KiB..1MiB|--base|Torus(2,4)|--initial|it's|--shard|"
	want := ""
	for _, i := range []string{"1", "2", "2", "3"} {
		want += sweep + i + "/3|--resume|--out|" + dir + "/shard-" + i + ".db|\n"
	}
	want += "sweep|merge|--out|" + dir + "/all.db|" + dir + "/shard-*.db|\n"
	if got := string(calls); got != want {
		t.Errorf("called\n%swant\n%s", got, want)
	}
	// Without the mark of a shard, a merge that may not try again says so.
	if err := os.Remove(filepath.Join(dir, "shard-3.done")); err != nil {
		t.Fatal(err)
	}
	if err := run("set -- 2\n" + merge); err == nil {
		t.Error("merged without a shard")
	}
}

// The manifest is YAML with everything that an Indexed Job needs. A shard that has failed for
// good ends the job, and with it the pod that would wait for it.
func TestKubernetesManifest(t *testing.T) {
	text := cluster("/data/sweep").Kubernetes("registry.example/lightpath:1", "shared")
	var job struct {
		Kind string
		Spec struct {
			Completions          int
			Parallelism          int
			CompletionMode       string `yaml:"completionMode"`
			BackoffLimitPerIndex int    `yaml:"backoffLimitPerIndex"`
			MaxFailedIndexes     *int   `yaml:"maxFailedIndexes"`
			Template             struct {
				Spec struct {
					RestartPolicy string `yaml:"restartPolicy"`
					Containers    []struct {
						Image string
						Args  []string
					}
				}
			}
		}
	}
	d := yaml.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&job); err != nil {
		t.Fatal(err)
	}
	if err := d.Decode(&job); !errors.Is(err, io.EOF) {
		t.Errorf("another document: %v", err)
	}
	container := job.Spec.Template.Spec.Containers[0]
	if job.Kind != "Job" || job.Spec.Completions != 4 || job.Spec.Parallelism != 4 || job.Spec.CompletionMode != "Indexed" || job.Spec.BackoffLimitPerIndex != 1 ||
		job.Spec.MaxFailedIndexes == nil || *job.Spec.MaxFailedIndexes != 0 ||
		job.Spec.Template.Spec.RestartPolicy != "Never" || container.Image != "registry.example/lightpath:1" || !strings.Contains(container.Args[0], `--shard "$i/3" --resume`) {
		t.Errorf("%+v", job)
	}
}

// The pods of the manifest, run with a program that writes what it is called with: shards, the
// merge when all are done, and a merge that is told to end says why.
func TestKubernetesPods(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "lightpath")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$*\" >> "+dir+"/calls\n[ ! -e "+dir+"/broken ]\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := &Cluster{Program: program, Args: []string{"allreduce"}, Shards: 2, Tries: 3, Out: filepath.Join(dir, "all.db"), Dir: filepath.Join(dir, "s")}
	pod := func(index int) *exec.Cmd {
		cmd := exec.Command("sh", "-c", c.podScript("lightpath:1"))
		cmd.Env = append(os.Environ(), "JOB_COMPLETION_INDEX="+strconv.Itoa(index))
		return cmd
	}
	broken := filepath.Join(dir, "broken")
	if err := os.WriteFile(broken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := pod(0).Run(); err == nil {
		t.Error("a shard that fails is a pod that does not")
	}
	waiting := pod(2)
	var told bytes.Buffer
	waiting.Stderr = &told
	says, err := waiting.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := waiting.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(says).ReadString('\n'); line != "waiting for 2 shards\n" {
		t.Errorf("%q, %v", line, err)
	}
	if err := os.Remove(broken); err != nil {
		t.Fatal(err)
	}
	if err := pod(0).Run(); err != nil {
		t.Error(err)
	}
	if err := waiting.Process.Signal(syscall.SIGTERM); err != nil { // as Kubernetes ends a pod
		t.Fatal(err)
	}
	if err := waiting.Wait(); err == nil || !strings.Contains(told.String(), "failed 3 times") {
		t.Errorf("a merge without a shard: %v, %q", err, told.String())
	}
	for _, index := range []int{1, 2} {
		if err := pod(index).Run(); err != nil {
			t.Error(err)
		}
	}
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	shard := func(i int) string {
		return fmt.Sprintf("sweep allreduce --shard %d/2 --resume --out %s/s/shard-%s-%d.db\n", i, dir, c.run("lightpath:1"), i)
	}
	// No store is there for the pattern of the merge to name.
	if want := shard(1) + shard(1) + shard(2) + fmt.Sprintf("sweep merge --out %[1]s/all.db %[1]s/s/shard-%[2]s-*.db\n", dir, c.run("lightpath:1")); string(calls) != want {
		t.Errorf("called\n%swant\n%s", calls, want)
	}
}

// Pods of another grid, planner or number of shards in the same folder do not take what was left
// there for their own: the merge waits, and no store is gone on with.
func TestKubernetesPodsLeaveOtherRunsAlone(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "lightpath")
	// It makes the store that it is given last.
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$*\" >> "+dir+"/calls\n[ \"$2\" = merge ] && exit\nfor store; do :; done\n[ ! -e \"$store\" ] && touch \"$store\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	first := Cluster{Program: program, Args: []string{"allreduce"}, Shards: 2, Tries: 3, Out: filepath.Join(dir, "all.db"), Dir: filepath.Join(dir, "s"), Grid: "a"}
	pod := func(c *Cluster, image string, index int) *exec.Cmd {
		cmd := exec.Command("sh", "-c", c.podScript(image))
		cmd.Env = append(os.Environ(), "JOB_COMPLETION_INDEX="+strconv.Itoa(index))
		return cmd
	}
	for index := range 3 {
		if err := pod(&first, "lightpath:1", index).Run(); err != nil {
			t.Fatal(err)
		}
	}
	grid, fewer, args, image := first, first, first, first
	grid.Grid, fewer.Shards, args.Args = "b", 1, []string{"allreduce", "--size=1KiB..1GiB"}
	for name, c := range map[string]*Cluster{"grid": &grid, "fewer": &fewer, "args": &args, "image": &image} {
		tag := "lightpath:1"
		if name == "image" {
			tag = "lightpath:2"
		}
		waiting := pod(c, tag, c.Shards)
		says, err := waiting.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := waiting.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(says).ReadString('\n'); !strings.HasPrefix(line, "waiting") {
			t.Errorf("%s: %q, %v", name, line, err)
		}
		time.Sleep(200 * time.Millisecond) // time in which it would have merged
		if err := waiting.Process.Signal(syscall.SIGTERM); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := waiting.Wait(); err == nil {
			t.Errorf("%s: merged what another run left", name)
		}
		for index := range c.Shards + 1 {
			if err := pod(c, tag, index).Run(); err != nil {
				t.Errorf("%s: pod %d: %v", name, index, err)
			}
		}
		calls, err := os.ReadFile(filepath.Join(dir, "calls"))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(calls)), "\n")
		if merge := strings.Fields(lines[len(lines)-1]); merge[1] != "merge" || len(merge) != 4+c.Shards {
			t.Errorf("%s: merged %q", name, merge)
		}
	}
}

func TestClusterValidate(t *testing.T) {
	for name, change := range map[string]func(*Cluster){
		"shards": func(c *Cluster) { c.Shards = 0 }, "tries": func(c *Cluster) { c.Tries = 0 }, "out": func(c *Cluster) { c.Out = "" }, "dir": func(c *Cluster) { c.Dir = "" },
	} {
		c := cluster("/data")
		change(c)
		if c.Validate() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
