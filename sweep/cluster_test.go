package sweep

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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

// The manifests are YAML that says what an Indexed Job needs.
func TestKubernetesManifest(t *testing.T) {
	text := cluster("/data/sweep").Kubernetes("registry.example/lightpath:1", "shared")
	documents := strings.Split(text, "---\n")
	if len(documents) != 2 {
		t.Fatalf("%d documents", len(documents))
	}
	var job struct {
		Kind string
		Spec struct {
			Completions          int
			CompletionMode       string `yaml:"completionMode"`
			BackoffLimitPerIndex int    `yaml:"backoffLimitPerIndex"`
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
	d := yaml.NewDecoder(strings.NewReader(documents[0]))
	if err := d.Decode(&job); err != nil {
		t.Fatal(err)
	}
	container := job.Spec.Template.Spec.Containers[0]
	if job.Kind != "Job" || job.Spec.Completions != 3 || job.Spec.CompletionMode != "Indexed" || job.Spec.BackoffLimitPerIndex != 1 ||
		job.Spec.Template.Spec.RestartPolicy != "Never" || container.Image != "registry.example/lightpath:1" || !strings.Contains(container.Args[0], `--shard "$i/3" --resume`) {
		t.Errorf("%+v", job)
	}
	for _, script := range []string{container.Args[0]} {
		if out, err := exec.Command("bash", "-n", "-c", script).CombinedOutput(); err != nil {
			t.Errorf("%s", out)
		}
	}
	var merge map[string]any
	if err := yaml.Unmarshal([]byte(documents[1]), &merge); err != nil {
		t.Error(err)
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
