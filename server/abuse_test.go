package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/server"
	"github.com/lightpath-net/lightpath/units"
)

// endless is a body without an end.
type endless struct{ read atomic.Int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.read.Add(int64(len(p)))
	return len(p), nil
}

// A body of a gigabyte is refused before it is read, and ten thousand malformed ones leave
// the service as it was.
func TestAbuseLeavesTheServiceHealthy(t *testing.T) {
	_, base := started(t, server.Config{Limits: server.Limits{Body: units.MiB}})
	body := &endless{}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/v1/plan", io.LimitReader(body, 1<<30))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err == nil { // else the service hung up while the body was on its way
		answer.Body.Close()
		if answer.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("a gigabyte: %s", answer.Status)
		}
	}
	if read := body.read.Load(); read > 64<<20 {
		t.Errorf("it read %d bytes", read)
	}
	const valid = `{"operations":[{"op":"allreduce","size":"4MiB"}],"fabric":{"nodes":4,"ports":1}}`
	dice := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		text := []byte(valid)
		for range 1 + dice.IntN(4) {
			text[dice.IntN(len(text))] = byte(dice.IntN(256))
		}
		if status, _, data := call(t, "POST", base+"/v1/topology", string(text)); status >= 500 || status == 200 {
			t.Fatalf("%q: %d %s", text, status, data)
		}
	}
	if status, _, _ := call(t, "GET", base+"/readyz", ""); status != 200 {
		t.Errorf("not ready: %d", status)
	}
}

// If too many requests wait, further clients are told when to come back.
func TestCrowdsAreToldToComeBack(t *testing.T) {
	_, base := started(t, server.Config{Limits: server.Limits{Running: 1, Waiting: 1}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var crowd sync.WaitGroup
	var mu sync.Mutex
	told := 0
	for i := range 8 {
		crowd.Go(func() {
			body := fmt.Sprintf(`{"operation":{"op":"alltoall","size":"%dMiB"},"fabric":{"nodes":1024,"ports":3}}`, i+1)
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/compare", strings.NewReader(body))
			if err != nil {
				return
			}
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				return
			}
			defer answer.Body.Close()
			if answer.StatusCode == http.StatusTooManyRequests && answer.Header.Get("Retry-After") != "" {
				mu.Lock()
				defer mu.Unlock()
				if told++; told == 6 { // one works, one waits
					cancel()
				}
			}
		})
	}
	crowd.Wait()
	if told != 6 {
		t.Errorf("%d were told to come back", told)
	}
}

// A service that shuts down answers running requests, then closes.
func TestServicesEndInOrder(t *testing.T) {
	s, err := server.New(t.Context(), server.Config{})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	c, err := net.DialTimeout("tcp", listener.Addr().String(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const body = `{"topology":"K(4)"}`
	if _, err := fmt.Fprintf(c, "POST /v1/topology HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", len(body)); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(c)
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, "100") {
		t.Fatalf("%q %v", line, err)
	}
	end() // while the request is being read
	if _, err := io.WriteString(c, body); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(lines)
	if err != nil || !strings.Contains(string(rest), "200 OK") {
		t.Errorf("%s %v", rest, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// Work that has used up its processor time is stopped with the reason. Other requests are not
// affected.
func TestProcessorTimeIsLimited(t *testing.T) {
	_, base := started(t, server.Config{Limits: server.Limits{CPU: 50 * time.Millisecond, JobCPU: 60 * time.Millisecond}})
	const long = `{"operation":{"op":"alltoall","size":"1MiB"},"fabric":{"nodes":1024,"ports":3}}`
	status, _, data := call(t, "POST", base+"/v1/compare", long)
	if status != http.StatusUnprocessableEntity || !strings.Contains(string(data), "processor time") {
		t.Errorf("%d %s", status, data)
	}
	if status, _, data = call(t, "POST", base+"/v1/topology", `{"topology":"K(4)"}`); status != http.StatusOK {
		t.Errorf("a small one: %d %s", status, data)
	}
	_, _, data = call(t, "POST", base+"/v1/jobs", `{"command":"compare","request":`+long+`}`)
	job := finished(t, base, decode[server.Job](t, data).ID)
	if job.State != server.Failed || job.Error == nil || !strings.Contains(job.Error.Problem, "processor time") {
		t.Errorf("a job: %+v", job)
	}
}

// body returns the body of an answer.
func body(_ int, _ http.Header, data []byte) []byte { return data }

// A long job keeps no request waiting, although there is one place for jobs and one for requests.
func TestJobsDoNotKeepRequestsWaiting(t *testing.T) {
	_, base := started(t, server.Config{Limits: server.Limits{Running: 1, Waiting: 1}})
	first := func() server.Job {
		list := decode[server.JobList](t, body(call(t, "GET", base+"/v1/jobs", "")))
		return list.Jobs[0]
	}
	call(t, "POST", base+"/v1/jobs", `{"command":"compare","request":{"operation":{"op":"alltoall","size":"1MiB"},"fabric":{"nodes":1024,"ports":3}}}`)
	for first().State == server.Queued {
		time.Sleep(5 * time.Millisecond)
	}
	if status, _, data := call(t, "POST", base+"/v1/topology", `{"topology":"Torus(4,4)"}`); status != http.StatusOK {
		t.Errorf("%d %s", status, data)
	}
	job := first()
	if job.State != server.Running {
		t.Errorf("the job was to be long, and is %s", job.State)
	}
	if status, _, data := call(t, "DELETE", base+"/v1/jobs/"+job.ID, ""); status != http.StatusNoContent {
		t.Errorf("%d %s", status, data)
	}
}

// Large bodies share a part of the memory; a client whose body does not fit is told to come
// back.
func TestLargeBodiesShareMemory(t *testing.T) {
	// This leaves 16 MiB for bodies.
	_, base := started(t, server.Config{Limits: server.Limits{Body: 8 * units.MiB, Memory: 64 * units.MiB}})
	var held []net.Conn
	defer func() {
		for _, c := range held {
			c.Close()
		}
	}()
	head := func() string {
		return fmt.Sprintf("POST /v1/plan HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n{", 7<<20)
	}
	for range 2 {
		c, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
		if _, err := io.WriteString(c, head()); err != nil {
			t.Fatal(err)
		}
	}
	for { // until both are known to be there
		c, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
		if _, err := io.WriteString(c, head()); err != nil {
			t.Fatal(err)
		}
		if err := c.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(c).ReadString('\n'); err == nil {
			if !strings.Contains(line, "429") {
				t.Errorf("%q", line)
			}
			break
		}
		if len(held) > 20 {
			t.Fatal("nobody was refused")
		}
	}
	if status, _, data := call(t, "POST", base+"/v1/topology", `{"topology":"K(4)"}`); status != http.StatusOK {
		t.Errorf("a small one: %d %s", status, data)
	}
}
