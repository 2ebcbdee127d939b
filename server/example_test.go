package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/server"
)

// A program runs the service in a process that serves other things too. Later requests name a
// plan by its ID.
func ExampleServer() {
	s, err := server.New(context.Background(), server.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	ask := func(path, request string, answer any) http.Header {
		r, err := http.Post(web.URL+path, "application/json", strings.NewReader(request))
		if err != nil {
			fmt.Println(err)
			return nil
		}
		defer r.Body.Close()
		if err := json.NewDecoder(r.Body).Decode(answer); err != nil || r.StatusCode != http.StatusOK {
			fmt.Println(r.Status, err)
		}
		return r.Header
	}
	var p plan.Summary
	header := ask("/v1/plan", `{"operations": [{"op": "allreduce", "size": "1MiB", "algorithm": "swing"}],
		"fabric": {"nodes": 8}, "planner": "harvest"}`, &p)
	fmt.Println(p.CostNs.Total, "with", p.Reconfigurations, "reconfigurations")
	var report verify.Report
	ask("/v1/verify", `{"plan": {"id": "`+header.Get("Lightpath-Plan")+`"}}`, &report)
	fmt.Println("verified:", report.OK)
	// Output:
	// 64.35us with 4 reconfigurations
	// verified: true
}
