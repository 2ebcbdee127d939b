package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/cli/bind"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/sweep"
)

// The engines.
const (
	engineLocal = "local"
	engineSlurm = "slurm"
	engineK8s   = "k8s"
)

// clusterFlags say on which cluster a sweep runs.
type clusterFlags struct {
	engine       string
	shards       int
	tries        int
	dryRun       bool
	image, claim string
}

func (f *clusterFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.engine, "engine", engineLocal, "`WHERE` to run: local | slurm | k8s")
	c.Flags().IntVar(&f.shards, "shards", 8, "`N` shards for a cluster")
	c.Flags().IntVar(&f.tries, "tries", 3, "start a shard at most `N` times")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "only print the cluster's scripts")
	c.Flags().StringVar(&f.image, "image", "lightpath:latest", "container image `NAME` for k8s")
	c.Flags().StringVar(&f.claim, "claim", "lightpath", "volume claim `NAME` for k8s")
	bind.Offer(c, "engine", func() []string { return []string{engineLocal, engineSlurm, engineK8s} })
}

// notForShards lists the flags that shards do not get: where the sweep runs and what to show.
var notForShards = []string{"engine", "shards", "tries", "dry-run", "image", "claim", "out", "resume", "shard", "metric", "plot", "json", "format"}

// shardArgs returns the arguments that every shard of a sweep gets: those that were given.
func shardArgs(c *cobra.Command, operations []string) []string {
	args := append([]string(nil), operations...)
	c.Flags().Visit(func(flag *pflag.Flag) {
		if slices.Contains(notForShards, flag.Name) {
			return
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

// submit makes a cluster run the sweep, or prints what it would submit.
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
		if cluster.Args, err = f.withoutFiles(c, cluster.Args); err != nil {
			return err
		}
		if cluster.Out, err = onVolume(f.out); err != nil {
			return err
		}
		cluster.Program, cluster.Mount, cluster.Dir = "lightpath", volume, shardsOf(cluster.Out)
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
	fmt.Fprintf(s.out, "submitted job array %s with %d shards, and job %s, which merges them\n\n  shards and logs  %s\n  result           %s, when all jobs have ended\n",
		jobs.Array, cluster.Shards, jobs.Merge, cluster.Dir, cluster.Out)
	return nil
}

// volume is where the claim's volume is mounted in containers.
const volume = "/data"

// onVolume returns the path of a file in a container; folders are kept.
func onVolume(out string) (string, error) {
	name := filepath.Clean(out)
	if filepath.IsAbs(name) {
		within, err := filepath.Rel(volume, name)
		if err != nil {
			return "", fmt.Errorf("--out: %w", err)
		}
		name = within
	}
	if name == "." || !filepath.IsLocal(name) {
		return "", fmt.Errorf("--out: %s is not on the volume that containers mount at %s; want a name on it, e.g. %s", out, volume, filepath.Base(out))
	}
	return filepath.Join(volume, name), nil
}

// shardsOf returns the folder of the shards of a store.
func shardsOf(out string) string { return strings.TrimSuffix(out, filepath.Ext(out)) + ".shards" }

// withoutFiles replaces the files of --fabric and --base by flags with their content, because
// containers do not have the files.
func (f *sweepFlags) withoutFiles(c *cobra.Command, args []string) ([]string, error) {
	var kept []string
	for _, a := range args {
		switch name, value, _ := strings.Cut(a, "="); name {
		case "--fabric":
			continue
		case "--base":
			expr, links, err := input.Base(value)
			if err != nil {
				return nil, fmt.Errorf("--base: %w", err)
			}
			if a = "--base=" + expr; !links.IsZero() && !c.Flags().Changed("links") {
				kept = append(kept, "--links="+links.String())
			}
		case "--fixed":
			text, err := input.Expression(value)
			if err != nil {
				return nil, fmt.Errorf("--fixed: %w", err)
			}
			a = "--fixed=" + text
		case "--switches":
			text, err := input.Layout(value)
			if err != nil {
				return nil, fmt.Errorf("--switches: %w", err)
			}
			a = "--switches=" + text
		}
		kept = append(kept, a)
	}
	if f.machine.File == "" {
		return kept, nil
	}
	all, err := f.machine.Unflagged()
	if err != nil {
		return nil, err
	}
	known := *f.machine // also in the container
	known.File = ""
	without, err := known.Unflagged()
	if err != nil {
		return nil, err
	}
	for _, s := range fabric.Settings() {
		value := s.Get(&all)
		given := func(a string) bool { return strings.HasPrefix(a, "--"+s.Name+"=") }
		if value == s.Get(&without) || slices.ContainsFunc(kept, given) {
			continue
		}
		// These settings are not axes, or need not be.
		if s.Name != "links" && s.Name != "duplex" && s.Name != "switches" {
			if axis, err := sweep.ParseAxis(s.Name, value, 0); err != nil || len(axis.Values) != 1 {
				return nil, fmt.Errorf("--fabric: containers do not have %s, and its %s, %q, is not one value as a flag of sweep", f.machine.File, s.Name, value)
			}
		}
		kept = append(kept, "--"+s.Name+"="+value)
	}
	return kept, nil
}

// clusterOf reads the flags of a cluster.
func (f *sweepFlags) clusterOf(c *cobra.Command) (*sweep.Cluster, error) {
	switch {
	case f.cluster.engine != engineSlurm && f.cluster.engine != engineK8s:
		return nil, fmt.Errorf("--engine: %q is not %s, %s or %s", f.cluster.engine, engineLocal, engineSlurm, engineK8s)
	case f.out == "":
		return nil, fmt.Errorf("--out: engine %s needs a file in a folder that all machines share", f.cluster.engine)
	case f.request.Shard != "":
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
		Out: out, Dir: shardsOf(out),
	}
	if err := cluster.Validate(); err != nil {
		name, why, _ := strings.Cut(err.Error(), ": ")
		return nil, fmt.Errorf("--%s: %s", name, why)
	}
	return cluster, nil
}
