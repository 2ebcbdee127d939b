// Command load asks a service as many clients at once would, and reports how it does:
//
//	lightpath serve & go run ./server/internal/load -clients 200 -for 30s
//
// Each client has a connection of its own, on which it writes requests as text: what the
// clients cost is taken from the service where both are on one machine.
//
// Unless -fresh says otherwise, nine of ten requests are for plans that the service knows
// after the first second, the others for plans that nobody asked for before. It fails if a
// request ends in anything but 200 or 429 with Retry-After.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() {
	base := flag.String("url", "http://127.0.0.1:8080", "of the service")
	clients := flag.Int("clients", 200, "at once")
	period := flag.Duration("for", 30*time.Second, "how long")
	every := flag.Int("fresh", 10, "every how many-th request is for a new plan; 0: none")
	flag.Parse()
	if err := run(*base, *clients, *every, *period); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// count is what the clients saw.
type count struct {
	sync.Mutex
	known, fresh []time.Duration
	later        int // 429
	wrong        []string
}

func run(base string, clients, every int, period time.Duration) error {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" {
		return fmt.Errorf("-url: %s: want http://ADDRESS:PORT", base)
	}
	first := &client{host: u.Host}
	defer first.close()
	for i := range knownPlans {
		if status, _, err := first.post(context.Background(), body(i)); err != nil || status != http.StatusOK {
			return fmt.Errorf("the service does not plan: %d, %v", status, err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), period)
	defer cancel()
	before := gauges(base)
	var c count
	var all sync.WaitGroup
	for k := range clients {
		all.Go(func() {
			own := &client{host: u.Host}
			defer own.close()
			// Clients that know nothing of each other do not ask at the same moment.
			time.Sleep(pause * time.Duration(k) / time.Duration(clients))
			for i := 0; ctx.Err() == nil; i++ {
				c.once(ctx, own, k, i, every > 0 && i%every == every-1)
			}
		})
	}
	all.Wait()
	slices.Sort(c.known)
	slices.Sort(c.fresh)
	fmt.Printf("%d clients, %v: %d known plans (p50 %v, p99 %v), %d new ones (p50 %v, p99 %v), %d told to come back, %d errors\n",
		clients, period, len(c.known), at(c.known, 50), at(c.known, 99), len(c.fresh), at(c.fresh, 50), at(c.fresh, 99), c.later, len(c.wrong))
	fmt.Printf("of the service, before: %s\nof the service, after:  %s\n", before, gauges(base))
	if len(c.wrong) > 0 {
		return fmt.Errorf("%d errors, the first: %s", len(c.wrong), c.wrong[0])
	}
	return nil
}

// pause is how long a client looks at what it got.
const pause = 50 * time.Millisecond

// knownPlans is how many different plans are asked for again and again.
const knownPlans = 20

func body(i int) string {
	return fmt.Sprintf(`{"operations":[{"op":"allreduce","size_bytes":%d,"algorithm":"recursive-doubling"}],"fabric":{"nodes":16,"ports":1},"planner":"harvest"}`, 1<<20+i)
}

func (c *count) once(ctx context.Context, own *client, number, i int, fresh bool) {
	which := i % knownPlans
	if fresh {
		which = 1000 + number*1_000_000 + i
	}
	start := time.Now()
	status, header, err := own.post(ctx, body(which))
	took := time.Since(start)
	if ctx.Err() != nil {
		return
	}
	c.Lock()
	switch {
	case err == nil && status == http.StatusOK && fresh:
		c.fresh = append(c.fresh, took)
	case err == nil && status == http.StatusOK:
		c.known = append(c.known, took)
	case err == nil && status == http.StatusTooManyRequests && header.Get("Retry-After") != "":
		c.later++
	default:
		c.wrong = append(c.wrong, fmt.Sprint(status, err))
	}
	c.Unlock()
	select {
	case <-time.After(pause):
	case <-ctx.Done():
	}
}

// client is one connection, made when it is needed.
type client struct {
	host  string
	conn  net.Conn
	lines *bufio.Reader
}

func (c *client) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

// post asks for a plan, reads the whole answer, and connects again after an error.
func (c *client) post(ctx context.Context, body string) (status int, header http.Header, err error) {
	if c.conn == nil {
		if c.conn, err = new(net.Dialer).DialContext(ctx, "tcp", c.host); err != nil {
			return 0, nil, err
		}
		c.lines = bufio.NewReader(c.conn)
	}
	conn := c.conn
	defer context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })()
	status, header, err = c.exchange(body)
	if err != nil {
		c.close()
	}
	return status, header, err
}

func (c *client) exchange(body string) (int, http.Header, error) {
	_, err := io.WriteString(c.conn, "POST /v1/plan HTTP/1.1\r\nHost: "+c.host+"\r\nContent-Type: application/json\r\nContent-Length: "+
		strconv.Itoa(len(body))+"\r\n\r\n"+body)
	if err != nil {
		return 0, nil, err
	}
	answer, err := http.ReadResponse(c.lines, nil)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, answer.Header, err
}

func at(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, len(sorted)*percent/100)].Round(time.Microsecond)
}

// gaugeLine is a line of what the service says of its memory.
var gaugeLine = regexp.MustCompile(`(?m)^lightpath_(heap_bytes|heap_live_bytes|recent_bytes|recent_limit_bytes|resident_bytes) ([0-9.e+]+)$`)

// gauges returns what a service says of its memory, in MiB.
func gauges(base string) string {
	answer, err := http.Get(base + "/metrics")
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err.Error()
	}
	var words []string
	for _, found := range gaugeLine.FindAllSubmatch(text, -1) {
		if n, err := strconv.ParseFloat(string(found[2]), 64); err == nil {
			words = append(words, fmt.Sprintf("%s %.1f MiB", strings.TrimSuffix(string(found[1]), "_bytes"), n/(1<<20)))
		}
	}
	return strings.Join(words, ", ")
}
