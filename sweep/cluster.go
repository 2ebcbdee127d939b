package sweep

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
)

// Cluster is a sweep in shards on many machines that share a folder. Each shard is a store of
// its own; a last job merges them. A shard that fails is restarted and continues where it
// stopped.
type Cluster struct {
	Program string   // the path of lightpath on every machine
	Args    []string // of the sweep, without engine, shard and store
	Shards  int
	Dir     string // the shared folder
	Out     string // the merged store
	Tries   int    // how often a shard may be started in total, per submission; at least 1
	Grid    string // on Kubernetes, identifies grid and planner, like Spec.ID: see run
	Mount   string // on Kubernetes, the mount point of the volume; if empty, the parent of Dir
}

// quote makes a word that a shell takes literally.
func quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./,=:+%@", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func (c *Cluster) command() string {
	words := []string{quote(c.Program), "sweep"}
	words = append(words, each.Of(c.Args, quote)...)
	return strings.Join(words, " ")
}

// Validate reports the first invalid field.
func (c *Cluster) Validate() error {
	switch {
	case c.Shards < 1 || c.Shards > 10_000: // about the limit of Slurm's arrays
		return fmt.Errorf("shards: %d is not in 1..10000", c.Shards)
	case c.Tries < 1:
		return errors.New("tries: must be at least 1")
	case c.Dir == "" || c.Out == "":
		return errors.New("out: a cluster needs the name of a store on a shared folder")
	}
	return nil
}

// SlurmScripts returns two scripts: that of the job array, whose task i is shard i, and that of
// the job that runs when all tasks have ended. This job merges the shards or, if some did not
// finish, submits them and itself again.
func (c *Cluster) SlurmScripts() (shard, merge string) {
	shard = fmt.Sprintf(`#!/bin/bash
#SBATCH --job-name=lightpath-sweep
#SBATCH --array=1-%[1]d
#SBATCH --requeue
#SBATCH --output=%[2]s/shard-%%a.log
# Shard $SLURM_ARRAY_TASK_ID of a sweep. It goes on from what its store has.
i=$SLURM_ARRAY_TASK_ID
for try in $(seq %[3]d); do
	if %[4]s --shard "$i/%[1]d" --resume --out %[5]s/shard-"$i".db; then
		touch %[5]s/shard-"$i".done
		exit 0
	fi
done
exit 1
`, c.Shards, c.Dir, c.Tries, c.command(), quote(c.Dir))
	merge = fmt.Sprintf(`#!/bin/bash
#SBATCH --job-name=lightpath-merge
#SBATCH --output=%[2]s/merge.log
#SBATCH --open-mode=append
# Merges the shards, or starts those again that did not finish. The first argument counts.
attempt=${1:-1}
missing=
for i in $(seq %[1]d); do
	[ -e %[4]s/shard-"$i".done ] || missing=$missing,$i
done
if [ -z "$missing" ]; then
	exec %[5]s sweep merge --out %[6]s %[4]s/shard-*.db
fi
if [ "$attempt" -ge %[3]d ]; then
	echo "shards ${missing#,} did not finish; see %[2]s/shard-N.log" >&2
	exit 1
fi
echo "starting shards ${missing#,} again"
job=$(sbatch --parsable --array="${missing#,}" %[4]s/shard.sh)
sbatch --parsable --dependency=afterany:"$job" %[4]s/merge.sh $((attempt + 1))
`, c.Shards, c.Dir, c.Tries, quote(c.Dir), quote(c.Program), quote(c.Out))
	return shard, merge
}

// Jobs are the job numbers that Slurm assigned.
type Jobs struct {
	Array string `json:"array"`
	Merge string `json:"merge"` // the first merging job; it may submit others
}

// Submit writes the scripts to the folder and submits them.
func (c *Cluster) Submit(ctx context.Context) (Jobs, error) {
	var jobs Jobs
	if err := c.Validate(); err != nil {
		return jobs, err
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return jobs, err
	}
	old, err := filepath.Glob(filepath.Join(escapeGlob(c.Dir), "shard-*.done"))
	if err != nil {
		return jobs, err
	}
	for _, mark := range old { // perhaps of another sweep
		if err := os.Remove(mark); err != nil {
			return jobs, err
		}
	}
	shard, merge := c.SlurmScripts()
	for name, text := range map[string]string{"shard.sh": shard, "merge.sh": merge} {
		if err := os.WriteFile(filepath.Join(c.Dir, name), []byte(text), 0o755); err != nil {
			return jobs, err
		}
	}
	if jobs.Array, err = sbatch(ctx, filepath.Join(c.Dir, "shard.sh")); err != nil {
		return jobs, err
	}
	jobs.Merge, err = sbatch(ctx, "--dependency=afterany:"+jobs.Array, filepath.Join(c.Dir, "merge.sh"), "1")
	return jobs, err
}

// escapeGlob quotes a name so that it is not a pattern.
func escapeGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// sbatch submits a job and returns its number.
func sbatch(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "sbatch", append([]string{"--parsable"}, args...)...)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("engine slurm: there is no sbatch on the path")
	case err != nil:
		return "", fmt.Errorf("sbatch: %w: %s", err, strings.TrimSpace(problem.String()))
	}
	job, _, _ := strings.Cut(strings.TrimSpace(string(out)), ";") // the cluster's name may follow
	return job, nil
}

// Kubernetes returns the manifest of an Indexed Job. Pod i is shard i+1 and is restarted on
// failure; the last pod waits for all shards and merges them. If a shard fails for good,
// maxFailedIndexes ends the whole job, including the waiting pod, which would otherwise wait
// forever. Dir and Out are on the volume of the given claim, mounted at Mount.
func (c *Cluster) Kubernetes(image, claim string) string {
	const job = `# Needs Kubernetes 1.29 or later (backoffLimitPerIndex, maxFailedIndexes). Pods 0 to %[8]d are
# the shards, pod %[2]d merges them. A shard that fails %[4]d times ends the job:
#   kubectl get job %[1]s -o jsonpath='{.status.failedIndexes}'
# says which, and kubectl logs why. Delete the job and apply this again to go on.
apiVersion: batch/v1
kind: Job
metadata:
  name: %[1]s
spec:
  completions: %[3]d
  parallelism: %[3]d
  completionMode: Indexed
  backoffLimitPerIndex: %[9]d
  maxFailedIndexes: 0
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: sweep
          image: %[5]s
          command: ["/bin/sh", "-c"]
          args:
            - |
%[10]s          volumeMounts:
            - name: shared
              mountPath: %[6]s
      volumes:
        - name: shared
          persistentVolumeClaim:
            claimName: %[7]s
`
	return fmt.Sprintf(job, kubernetesJob, c.Shards, c.Shards+1, c.Tries, yamlWord(image), yamlWord(cmp.Or(c.Mount, filepath.Dir(c.Dir))), yamlWord(claim),
		c.Shards-1, c.Tries-1, indent(c.podScript(image)))
}

// run returns a name derived from everything that determines the shards: grid, planner,
// arguments, number of shards and container. The folder is not emptied before a manifest is
// applied. So the files of a run carry its name, and a run neither continues the files of
// another run nor takes them for its own.
func (c *Cluster) run(image string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "lightpath.run/v1\n%q\n%q\n%d\n%q\n", c.Grid, c.command(), c.Shards, image))
	return hex.EncodeToString(sum[:6])
}

const kubernetesJob = "lightpath-sweep"

// podScript returns the script of every pod: a shard, or the merge in the last pod. The script
// waits in the background, so that it handles the signal that ends a failed job at once.
func (c *Cluster) podScript(image string) string {
	return fmt.Sprintf(`i=$((JOB_COMPLETION_INDEX + 1))
mkdir -p %[1]s
if [ "$i" -le %[2]d ]; then
	%[3]s --shard "$i/%[2]d" --resume --out %[1]s/shard-%[8]s-"$i".db &&
	touch %[1]s/shard-%[8]s-"$i".done
	exit
fi
trap 'echo "not merged: the job was ended, as by a shard that failed %[4]d times; kubectl get job %[5]s says which" >&2; kill $!; exit 1' TERM
echo "waiting for %[2]d shards"
while [ "$(ls %[1]s/shard-%[8]s-*.done 2>/dev/null | wc -l)" -lt %[2]d ]; do sleep 10 & wait $!; done
exec %[6]s sweep merge --out %[7]s %[1]s/shard-%[8]s-*.db
`, quote(c.Dir), c.Shards, c.command(), c.Tries, kubernetesJob, quote(c.Program), quote(c.Out), c.run(image))
}

// yamlWord returns a scalar in double quotes, which YAML reads like JSON.
func yamlWord(s string) string { return fmt.Sprintf("%q", s) }

func indent(text string) string {
	const by = "              "
	return by + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+by) + "\n"
}
