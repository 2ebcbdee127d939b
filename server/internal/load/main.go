// Command load asks a service as many clients at once would, and reports how it does:
//
//	lightpath serve & go run ./server/internal/load -clients 200 -for 30s
//
// Unless -fresh says otherwise, nine of ten requests are for plans that the service knows
// after the first second, the others for plans that nobody asked for before. It fails if a request ends in anything but
// 200 or 429 with Retry-After.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
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
	web := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	for i := range knownPlans {
		if status, _, err := post(context.Background(), web, base, body(i)); err != nil || status != http.StatusOK {
			return fmt.Errorf("the service does not plan: %d, %v", status, err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), period)
	defer cancel()
	before := heap(web, base)
	var c count
	var all sync.WaitGroup
	for k := range clients {
		all.Go(func() {
			// Clients that know nothing of each other do not ask at the same moment.
			time.Sleep(pause * time.Duration(k) / time.Duration(clients))
			for i := 0; ctx.Err() == nil; i++ {
				c.once(ctx, web, base, k, i, every > 0 && i%every == every-1)
			}
		})
	}
	all.Wait()
	slices.Sort(c.known)
	slices.Sort(c.fresh)
	fmt.Printf("%d clients, %v: %d known plans (p50 %v, p99 %v), %d new ones (p50 %v, p99 %v), %d told to come back, %d errors\n",
		clients, period, len(c.known), at(c.known, 50), at(c.known, 99), len(c.fresh), at(c.fresh, 50), at(c.fresh, 99), c.later, len(c.wrong))
	fmt.Printf("heap of the service before and after: %s, %s bytes\n", before, heap(web, base))
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

func (c *count) once(ctx context.Context, web *http.Client, base string, client, i int, fresh bool) {
	which := i % knownPlans
	if fresh {
		which = 1000 + client*1_000_000 + i
	}
	start := time.Now()
	status, header, err := post(ctx, web, base, body(which))
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

func post(ctx context.Context, web *http.Client, base, body string) (int, http.Header, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/plan", strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	answer, err := web.Do(r)
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

var heapLine = regexp.MustCompile(`(?m)^lightpath_heap_bytes (\d+)$`)

func heap(web *http.Client, base string) string {
	answer, err := web.Get(base + "/metrics")
	if err != nil {
		return "?"
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if found := heapLine.FindSubmatch(text); err == nil && found != nil {
		return string(found[1])
	}
	return "?"
}
