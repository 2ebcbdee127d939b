package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/cli"
	"github.com/lightpath-net/lightpath/server"
	"github.com/lightpath-net/lightpath/server/client"
	"github.com/lightpath-net/lightpath/sweep"
)

// serveDir makes the test binary run as a service on a folder, so that a test can kill it.
const serveDir = "LIGHTPATH_TEST_SERVE"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "rank" || os.Args[1] == "switch") { // of an emulation
		os.Exit(cli.Run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	if dir := os.Getenv(serveDir); dir != "" {
		if err := serveForTest(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func serveForTest(dir string) error {
	s, err := server.New(context.Background(), server.Config{Data: dir, Limits: server.Limits{Running: 2}})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	return s.Serve(context.Background(), listener)
}

// process starts a service that can be killed.
func process(t *testing.T, dir string) (*client.Client, *exec.Cmd) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), serveDir+"="+dir)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return &client.Client{Base: "http://" + strings.TrimSpace(line)}, c
}

func sweepRequest(t *testing.T, sizes string) lightpath.SweepRequest {
	t.Helper()
	var r lightpath.SweepRequest
	text := `{"axes":[{"name":"op","values":["allreduce"]},{"name":"size","values":["` + sizes + `"]},{"name":"reconfig","values":["100ns..1ms"]},{"name":"algorithm","values":["recursive-doubling"]},{"name":"planner","values":["harvest"]}],"fabric":{"nodes":32,"ports":1}}`
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// kills is the number of times the service is killed; scripts/soak sets more.
var kills = flag.Int("kills", 3, "how often TestKilledServicesLoseNothing kills the service")

// A service that is killed at any time loses no plan that it has returned, and its jobs
// continue. Each kill happens while a sweep runs and plans are written, or right after.
func TestKilledServicesLoseNothing(t *testing.T) {
	dir := t.TempDir()
	var job *server.Job
	plans := map[string]bool{}
	for round, killed := 0, 0; killed < *kills; round++ { // of a job, which may be begun three times
		for kill := 0; kill < 3; kill, killed = kill+1, killed+1 {
			c, running := process(t, dir)
			if kill == 0 {
				var err error
				if job, err = c.Submit(t.Context(), "sweep", sweepRequest(t, fmt.Sprintf("%dKiB..4GiB/100", round+1))); err != nil {
					t.Fatal(err)
				}
			}
			if kill == 2 {
				done, err := c.Follow(t.Context(), job.ID, nil)
				if err != nil || done.State != server.Done || done.Starts < 2 {
					t.Fatalf("%+v, %v", done, err)
				}
				var table sweep.Answer
				if err := c.Answer(t.Context(), job.ID, &table); err != nil || table.Missing != 0 || len(table.Cells) < 100 {
					t.Errorf("%d cells, %d missing, %v", len(table.Cells), table.Missing, err)
				}
			}
			for id := range plans {
				if p, err := c.PlanFile(t.Context(), id); err != nil {
					t.Errorf("a plan is lost: %v", err)
				} else if again, err := p.ID(); err != nil || again != id {
					t.Errorf("a plan has changed: %s, %v", again, err)
				}
			}
			writing := make(chan struct{})
			go func() { // a plan is on its way when the service dies
				defer close(writing)
				for i := range 4 {
					var r lightpath.PlanRequest
					text := fmt.Sprintf(`{"operations":[{"op":"allgather","size":"%dKiB","algorithm":"ring"}],"fabric":{"nodes":16,"ports":1},"planner":"static"}`, 1+i+10*kill+100*round)
					if json.Unmarshal([]byte(text), &r) != nil {
						return
					}
					if _, id, err := c.Plan(context.WithoutCancel(t.Context()), r); err == nil {
						plans[id] = true
					}
				}
			}()
			if kill < 2 {
				waitFor(t, c.Base, `lightpath_jobs{state="running"} 1`)
			}
			if kill == 1 {
				<-writing
			}
			if err := running.Process.Kill(); err != nil {
				t.Error(err)
			}
			_ = running.Wait() // killed
			<-writing
		}
	}
	if len(plans) == 0 {
		t.Error("no plan was written")
	}
}

// A sweep that finds new cells before each kill of the service is never given up.
func TestASweepThatGoesOnIsNeverGivenUp(t *testing.T) {
	dir, id, known := t.TempDir(), "", 0
	for kill := range 3 {
		c, running := process(t, dir)
		if kill == 0 {
			// It takes longer than this test.
			job, err := c.Submit(t.Context(), "sweep", sweepRequest(t, "1KiB..4GiB/2000"))
			if err != nil {
				t.Fatal(err)
			}
			id = job.ID
		}
		ctx, stop := context.WithCancel(t.Context())
		cells, before := 0, known
		job, err := c.Follow(ctx, id, func(e client.Event) {
			if cells += len(e.Cells); cells > before { // they are in the file
				known = cells
				stop()
			}
		})
		stop()
		if known == before {
			t.Fatalf("start %d: %d cells after %d: %+v, %v", kill+1, cells, before, job, err)
		}
		if err := running.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = running.Wait() // killed
	}
	c, running := process(t, dir)
	defer running.Wait()
	defer running.Process.Kill()
	waitFor(t, c.Base, `lightpath_jobs{state="running"} 1`)
	if job, err := c.Job(t.Context(), id); err != nil || job.State != server.Running || job.Starts != 4 {
		t.Errorf("%+v, %v", job, err)
	}
}

// A job that kills the service three times without progress is given up and says why. The
// service then survives its next start.
func TestAJobWithoutProgressIsGivenUp(t *testing.T) {
	long := `{"operations":[{"op":"alltoall","size":"1GiB"}],"fabric":{"nodes":2048,"ports":2,"reconfig":"1us"}}`
	grid := `{"axes":[{"name":"op","values":["alltoall"]},{"name":"size","values":["1GiB"]},{"name":"reconfig","values":["1us"]}],"fabric":{"nodes":2048,"ports":2}}`
	for command, c := range map[string]struct{ request, want string }{
		"plan":  {long, "given up: the service ended 3 times in a row while it ran, before it had an answer"},
		"sweep": {grid, "given up: the service ended 3 times in a row while it ran, without a new cell, after 0"},
	} {
		dir, id := t.TempDir(), ""
		for kill := range 3 {
			service, running := process(t, dir)
			if kill == 0 {
				job, err := service.Submit(t.Context(), command, json.RawMessage(c.request))
				if err != nil {
					t.Fatal(err)
				}
				id = job.ID
			}
			waitFor(t, service.Base, `lightpath_jobs{state="running"} 1`)
			if err := running.Process.Kill(); err != nil {
				t.Error(err)
			}
			_ = running.Wait() // killed
		}
		service, running := process(t, dir)
		ctx, stop := context.WithCancel(t.Context())
		var begun *server.Job // once more
		job, err := service.Follow(ctx, id, func(e client.Event) {
			if e.Job != nil && e.Job.Starts > 3 {
				begun = e.Job
				stop()
			}
		})
		stop()
		if begun != nil || err != nil {
			t.Fatalf("%s: begun again: %+v, %v", command, begun, err)
		}
		if job.State != server.Failed || job.Starts != 3 || job.Error == nil || job.Error.Problem != c.want {
			t.Errorf("%s: %+v, %+v, %v", command, job, job.Error, err)
		}
		if err := running.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = running.Wait() // killed
	}
}

// Two services on one folder would run every job twice: the second is refused, until the
// first has ended or was killed.
func TestAFolderHasOneService(t *testing.T) {
	dir := t.TempDir()
	_, first := process(t, dir)
	if s, err := server.New(t.Context(), server.Config{Data: dir}); err == nil {
		t.Error("two services on one folder")
		_ = s.Close()
	} else if !strings.Contains(err.Error(), "another service uses it") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%q", err)
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // killed
	for range 2 {    // and one that closes leaves the folder to the next
		s, err := server.New(t.Context(), server.Config{Data: dir})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// An unfinished job differs from an unknown one: its answer does not exist yet. A cancelled job
// will never have an answer.
func TestAJobThatIsNotOverHasNoAnswerYet(t *testing.T) {
	_, base := started(t, server.Config{})
	c := &client.Client{Base: base}
	// It takes longer than this test.
	job, err := c.Submit(t.Context(), "sweep", sweepRequest(t, "1KiB..4GiB/1000"))
	if err != nil {
		t.Fatal(err)
	}
	status, _, data := call(t, "GET", base+"/v1/jobs/"+job.ID+"/answer", "")
	if p := decode[server.Error](t, data).Error.Problem; status != 409 || !strings.Contains(p, "no answer yet") {
		t.Errorf("%d %s", status, data)
	}
	if status, _, data := call(t, "DELETE", base+"/v1/jobs/"+job.ID, ""); status != 204 {
		t.Fatalf("%d %s", status, data)
	}
	finished(t, base, job.ID)
	if status, _, data = call(t, "GET", base+"/v1/jobs/"+job.ID+"/answer", ""); status != 404 || !strings.Contains(string(data), "cancelled") {
		t.Errorf("%d %s", status, data)
	}
}

// The service keeps the cells of a cancelled sweep, and the answer says how to get them.
func TestACancelledSweepSaysHowToGoOn(t *testing.T) {
	_, base := started(t, server.Config{})
	c := &client.Client{Base: base}
	// It takes longer than this test.
	job, err := c.Submit(t.Context(), "sweep", sweepRequest(t, "1KiB..4GiB/1000"))
	if err != nil {
		t.Fatal(err)
	}
	for job.Done == 0 && !job.State.Over() {
		time.Sleep(10 * time.Millisecond)
		if job, err = c.Job(t.Context(), job.ID); err != nil {
			t.Fatal(err)
		}
	}
	if status, _, data := call(t, "DELETE", base+"/v1/jobs/"+job.ID, ""); status != 204 {
		t.Fatalf("%d %s", status, data)
	}
	finished(t, base, job.ID)
	status, _, data := call(t, "GET", base+"/v1/jobs/"+job.ID+"/answer", "")
	if p := decode[server.Error](t, data).Error.Problem; status != 404 || !strings.Contains(p, "send its request again to continue from the") {
		t.Errorf("%d %s", status, data)
	}
}

// A job whose answer is already known reports the same amount of work as the first job.
func TestAJobOfAKnownAnswerSaysHowMuchItWas(t *testing.T) {
	_, base := started(t, server.Config{})
	c := &client.Client{Base: base}
	var jobs []server.Job
	for range 2 {
		job, err := c.Submit(t.Context(), "sweep", sweepRequest(t, "1MiB..2MiB"))
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, finished(t, base, job.ID))
	}
	if a, b := jobs[0], jobs[1]; a.ID == b.ID || a.Total == 0 || b.Starts != 1 || b.Done != a.Done || b.Total != a.Total {
		t.Errorf("%+v, then %+v", a, b)
	}
	_, _, data := call(t, "GET", base+"/v1/jobs", "")
	for _, job := range decode[server.JobList](t, data).Jobs {
		if job.Starts != 1 || job.Done != jobs[0].Done || job.Total != jobs[0].Total {
			t.Errorf("in the list: %+v", job)
		}
	}
}

// Followers hear of every cell before the job is over.
func TestFollowersHearOfEveryCell(t *testing.T) {
	_, base := started(t, server.Config{})
	c := &client.Client{Base: base}
	job, err := c.Submit(t.Context(), "sweep", sweepRequest(t, "1MiB..64MiB"))
	if err != nil {
		t.Fatal(err)
	}
	cells := 0
	done, err := c.Follow(t.Context(), job.ID, func(e client.Event) { cells += len(e.Cells) })
	if err != nil || done.State != server.Done || done.Done != done.Total {
		t.Fatalf("%+v %v", done, err)
	}
	var table sweep.Answer
	if err := c.Answer(t.Context(), job.ID, &table); err != nil || cells != len(table.Cells) || cells == 0 {
		t.Errorf("%d cells told, %d found, %v", cells, len(table.Cells), err)
	}
}

func TestJobsAreCancelledAndLimited(t *testing.T) {
	_, base := started(t, server.Config{Limits: server.Limits{Jobs: 2, Running: 1}})
	c := &client.Client{Base: base}
	var ids []string
	for i := range 2 {
		job, err := c.Submit(t.Context(), "sweep", sweepRequest(t, fmt.Sprintf("%dKiB..4GiB/2000", i+1)))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, job.ID)
	}
	again, err := c.Submit(t.Context(), "sweep", sweepRequest(t, "1KiB..4GiB/2000"))
	if err != nil || again.ID != ids[0] {
		t.Errorf("the same job twice: %+v, %v", again, err)
	}
	_, err = c.Submit(t.Context(), "sweep", sweepRequest(t, "3KiB..4GiB/2000"))
	if failed, ok := err.(*client.Error); !ok || failed.Status != 429 {
		t.Errorf("a third job: %v", err)
	}
	for _, id := range ids {
		if err := c.Cancel(t.Context(), id); err != nil {
			t.Error(err)
		}
		if job := finished(t, base, id); job.State != server.Cancelled {
			t.Errorf("%s, %+v", job.State, job.Error)
		}
		if err := c.Cancel(t.Context(), id); err != nil {
			t.Error(err)
		}
		if _, err := c.Job(t.Context(), id); err == nil {
			t.Error("it is still there")
		}
	}
}
