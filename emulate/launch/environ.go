package launch

import (
	"fmt"
	"strconv"
	"strings"
)

// Place is the position of this process among several.
type Place struct {
	Rank, Size int
	Launcher   string // the variables that give it
	// Host is the host of rank 0; "" if the launcher does not give it.
	Host string
	// Job distinguishes runs on the same host; "" if nothing does.
	Job string
}

// conventions are the variables of launchers, in search order: the launcher closest to the
// process first.
var conventions = []struct{ name, rank, size string }{
	{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
	{"PMI", "PMI_RANK", "PMI_SIZE"},
	{"Slurm", "SLURM_PROCID", "SLURM_NTASKS"},
	{"RANK and WORLD_SIZE", "RANK", "WORLD_SIZE"},
}

// Find reads the place of this process from the environment. Without any launcher, ok is
// false.
func Find(getenv func(string) string) (p Place, ok bool, err error) {
	for _, c := range conventions {
		rank, size := getenv(c.rank), getenv(c.size)
		if rank == "" || size == "" {
			continue
		}
		p.Launcher = c.name
		if p.Rank, err = strconv.Atoi(rank); err != nil {
			return p, false, fmt.Errorf("%s=%q is not a number", c.rank, rank)
		}
		if p.Size, err = strconv.Atoi(size); err != nil {
			return p, false, fmt.Errorf("%s=%q is not a number", c.size, size)
		}
		if p.Size < 1 || p.Rank < 0 || p.Rank >= p.Size {
			return p, false, fmt.Errorf("%s=%s and %s=%s: want a rank in 0..size-1", c.rank, rank, c.size, size)
		}
		p.where(getenv)
		return p, true, nil
	}
	return p, false, nil
}

// loopback is the host of rank 0 if all ranks are on one host.
const loopback = "127.0.0.1"

// where finds rank 0's host and what distinguishes jobs.
func (p *Place) where(getenv func(string) string) {
	switch p.Launcher {
	case "Open MPI":
		if getenv("OMPI_COMM_WORLD_LOCAL_SIZE") == strconv.Itoa(p.Size) {
			p.Host = loopback
		}
		p.Job = getenv("PMIX_NAMESPACE")
	case "Slurm":
		if getenv("SLURM_NNODES") == "1" {
			p.Host = loopback
		} else {
			p.Host = firstHost(getenv("SLURM_STEP_NODELIST"))
		}
		p.Job = getenv("SLURM_JOB_ID") + "." + getenv("SLURM_STEP_ID")
	case "PMI":
		p.Job = getenv("PMI_JOBID")
	}
	if host := getenv("MASTER_ADDR"); host != "" {
		p.Host = host
	}
}

// firstHost returns the first of a list of hosts as Slurm writes it: "a1,a2" or
// "node[003-010,012]-ib".
func firstHost(list string) string {
	open := strings.IndexByte(list, '[')
	if comma := strings.IndexByte(list, ','); open < 0 || comma >= 0 && comma < open {
		first, _, _ := strings.Cut(list, ",")
		return first
	}
	end := strings.IndexByte(list, ']')
	if end < open {
		return ""
	}
	number, _, _ := strings.Cut(list[open+1:end], ",")
	number, _, _ = strings.Cut(number, "-")
	rest, _, _ := strings.Cut(list[end+1:], ",")
	return list[:open] + number + rest
}

// Address is where the coordinator of a job listens: rank 0's host, at a port that is derived
// from the job. It is "" if the launcher does not give enough.
func (p *Place) Address(getenv func(string) string) string {
	if p.Host == "" {
		return ""
	}
	if port := getenv("MASTER_PORT"); port != "" {
		return p.Host + ":" + port
	}
	if p.Job == "" {
		return ""
	}
	// FNV-1a hash, into the range of ports used neither by the system's services nor as
	// ephemeral ports.
	h := uint32(2166136261)
	for _, b := range []byte(p.Job) {
		h = (h ^ uint32(b)) * 16777619
	}
	return fmt.Sprintf("%s:%d", p.Host, firstPort+h%portCount)
}

const (
	firstPort = 20000
	portCount = 12000
)
