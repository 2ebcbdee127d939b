package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/sweep"
)

// The engines.
const (
	engineLocal = "local"
	engineSlurm = "slurm"
	engineK8s   = "k8s"
)

// clusterFlags say where a sweep runs.
type clusterFlags struct {
	engine       string
	shards       int
	tries        int
	dryRun       bool
	image, claim string
}

func (f *clusterFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.engine, "engine", engineLocal, "where it `RUNS`: local | slurm | k8s")
	c.Flags().IntVar(&f.shards, "shards", 8, "parts that a cluster works on")
	c.Flags().IntVar(&f.tries, "tries", 3, "how often a part may be started")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "print the scripts of a cluster instead")
	c.Flags().StringVar(&f.image, "image", "lightpath:latest", "`NAME` of the container for k8s")
	c.Flags().StringVar(&f.claim, "claim", "lightpath", "`NAME` of the volume claim for k8s")
	offer(c, "engine", func() []string { return []string{engineLocal, engineSlurm, engineK8s} })
}

// notForShards are the flags that a shard does not get: where it runs and what is shown.
var notForShards = []string{"engine", "shards", "tries", "dry-run", "image", "claim", "out", "resume", "shard", "metric", "plot", "json", "format"}

// shardArgs are the arguments of a sweep that every shard has: those that were given.
func shardArgs(c *cobra.Command, operations []string) []string {
	args := append([]string(nil), operations...)
	c.Flags().Visit(func(flag *pflag.Flag) {
		for _, not := range notForShards {
			if flag.Name == not {
				return
			}
		}
		args = append(args, "--"+flag.Name+"="+flag.Value.String())
	})
	return args
}

// submission is the answer of a sweep that a cluster runs.
type submission struct {
	Schema string     `json:"schema"`
	Engine string     `json:"engine"`
	Dir    string     `json:"dir"`
	Out    string     `json:"out"`
	Shards int        `json:"shards"`
	Jobs   sweep.Jobs `json:"jobs"`
}

// submit has a cluster run the sweep, or prints what it would be given.
func (f *sweepFlags) submit(s *session, c *cobra.Command, request *lightpath.SweepRequest) error {
	cluster, err := f.clusterOf(c)
	if err != nil {
		return err
	}
	spec, err := request.Spec()
	if err != nil {
		return err
	}
	cluster.Shards = min(cluster.Shards, spec.Columns())
	switch {
	case f.cluster.engine == engineK8s && !f.cluster.dryRun:
		return fmt.Errorf("--engine: k8s prints a manifest for kubectl apply; add --dry-run")
	case f.cluster.engine == engineK8s:
		if cluster.Grid, err = spec.ID(); err != nil {
			return err
		}
		cluster.Program, cluster.Dir, cluster.Out = "lightpath", "/data/"+filepath.Base(cluster.Dir), "/data/"+filepath.Base(f.out)
		_, err = s.out.WriteString(cluster.Kubernetes(f.cluster.image, f.cluster.claim))
		return err
	case f.cluster.dryRun:
		shard, merge := cluster.SlurmScripts()
		_, err = fmt.Fprintf(s.out, "# %s/shard.sh\n%s\n# %s/merge.sh, when all shards have ended\n%s", cluster.Dir, shard, cluster.Dir, merge)
		return err
	}
	jobs, err := cluster.Submit(c.Context())
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	if !s.text() {
		return s.print(&submission{"lightpath.submission/v1", f.cluster.engine, cluster.Dir, cluster.Out, cluster.Shards, jobs})
	}
	fmt.Fprintf(s.out, "submitted job array %s of %d shards and job %s, which merges them\n\n  shards and logs  %s\n  result           %s, when all have ended\n",
		jobs.Array, cluster.Shards, jobs.Merge, cluster.Dir, cluster.Out)
	return nil
}

// clusterOf reads the flags of a cluster.
func (f *sweepFlags) clusterOf(c *cobra.Command) (*sweep.Cluster, error) {
	switch {
	case f.cluster.engine != engineSlurm && f.cluster.engine != engineK8s:
		return nil, fmt.Errorf("--engine: %q is not %s, %s or %s", f.cluster.engine, engineLocal, engineSlurm, engineK8s)
	case f.out == "":
		return nil, fmt.Errorf("--out: engine %s needs a file on a folder that all machines share", f.cluster.engine)
	case f.shard != "":
		return nil, fmt.Errorf("--shard: the engine makes the shards; see --shards")
	}
	out, err := filepath.Abs(f.out)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cluster := &sweep.Cluster{
		Program: program, Args: shardArgs(c, c.Flags().Args()), Shards: f.cluster.shards, Tries: f.cluster.tries,
		Out: out, Dir: strings.TrimSuffix(out, filepath.Ext(out)) + ".shards",
	}
	if err := cluster.Validate(); err != nil {
		name, why, _ := strings.Cut(err.Error(), ": ")
		return nil, fmt.Errorf("--%s: %s", name, why)
	}
	return cluster, nil
}
