package server_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"math/big"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/emulate/launch"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/server"
	"github.com/lightpath-net/lightpath/server/client"
	"github.com/lightpath-net/lightpath/units"
)

type heard struct{ kind, data string }

// listen reads server-sent events until they end.
func listen(t testing.TB, stream []byte) (list []heard) {
	t.Helper()
	for part := range strings.SplitSeq(strings.TrimSpace(string(stream)), "\n\n") {
		kind, data, ok := strings.Cut(strings.TrimPrefix(part, "event: "), "\ndata: ")
		if !ok {
			t.Fatalf("no event: %.200q", part)
		}
		list = append(list, heard{kind, data})
	}
	return list
}

// A plan that takes a while is told as it gets better: no plan on the way is slower than
// the one before it, and none is faster than the answer, which is that of an ordinary request.
func TestPlansAreStreamedAsTheyGetBetter(t *testing.T) {
	_, base := started(t, server.Config{})
	const body = `{"operations":[{"op":"allreduce","size":"32MiB"}],"fabric":{"nodes":32,"ports":2,"reconfig":"10us"}}`
	status, header, data := call(t, "POST", base+"/v1/plan", body, "Accept", "text/event-stream")
	if status != 200 || header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %s %.200s", status, header, data)
	}
	all := listen(t, data)
	last := decode[server.Streamed](t, []byte(all[len(all)-1].data))
	if kind := all[len(all)-1].kind; kind != "answer" {
		t.Fatalf("the last event is %s", kind)
	}
	answer := decode[plan.Summary](t, last.Answer)
	before, betters := units.Time(0), 0
	for _, e := range all {
		if e.kind != "better" {
			continue
		}
		betters++
		better := decode[plan.Summary](t, decode[server.Better](t, []byte(e.data)).Summary)
		if before > 0 && better.CostNs.Total > before || better.CostNs.Total < answer.CostNs.Total {
			t.Errorf("%v after %v, in the end %v", better.CostNs.Total, before, answer.CostNs.Total)
		}
		before = better.CostNs.Total
	}
	if betters == 0 {
		t.Errorf("nothing was said on the way: %v", all)
	}
	_, header, plain := call(t, "POST", base+"/v1/plan", body)
	var want bytes.Buffer
	if err := json.Compact(&want, plain); err != nil || want.String() != string(last.Answer) || header.Get("Lightpath-Plan") != last.Plan {
		t.Errorf("streamed, it is another: %v", err)
	}
	// A known answer needs only one event, and a refusal none.
	_, _, data = call(t, "POST", base+"/v1/plan", body, "Accept", "text/event-stream")
	if all := listen(t, data); len(all) != 1 || all[0].kind != "answer" {
		t.Errorf("known: %v", all)
	}
	if status, _, data = call(t, "POST", base+"/v1/plan", `{"operations":["x"]}`, "Accept", "text/event-stream"); status != 422 {
		t.Errorf("refused: %d %s", status, data)
	}
}

// A client that follows a sweep after its end hears of all cells, and so does a client that
// requests a sweep whose answer is known.
func TestLateFollowersHearOfEveryCell(t *testing.T) {
	_, base := started(t, server.Config{})
	const body = `{"command":"sweep","request":{"axes":[{"name":"op","values":["allreduce"]},{"name":"size","values":["1KiB","1MiB"]}],"fabric":{"nodes":4}}}`
	for _, when := range []string{"first", "known"} {
		_, _, data := call(t, "POST", base+"/v1/jobs", body)
		job := finished(t, base, decode[server.Job](t, data).ID)
		_, _, stream := call(t, "GET", base+"/v1/jobs/"+job.ID+"/events", "")
		cells := 0
		for _, e := range listen(t, stream) {
			if e.kind == "cells" {
				cells += len(decode[[]json.RawMessage](t, []byte(e.data)))
			}
		}
		if job.State != server.Done || cells != 2 {
			t.Errorf("%s: %s, %d cells, want 2", when, job.State, cells)
		}
	}
}

// Followers of an emulation hear of every step and rank, of processes of their own.
func TestFollowersHearOfEveryStepOfARun(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, base := started(t, server.Config{Launcher: &launch.Processes{Path: self}})
	c := &client.Client{Base: base}
	_, header, _ := call(t, "POST", base+"/v1/plan", `{"operations":[{"op":"allreduce","size":"64KiB","algorithm":"recursive-doubling"}],"fabric":{"nodes":8,"ports":1,"reconfig":"10us"},"planner":"harvest"}`)
	id := header.Get("Lightpath-Plan")
	job, err := c.Submit(t.Context(), "emulate", lightpath.EmulateRequest{PlanID: id, NoWait: true, RanksPerProcess: 4})
	if err != nil {
		t.Fatal(err)
	}
	var steps []lightpath.EmulatedStep
	ranks := map[int]int{}
	done, err := c.Follow(t.Context(), job.ID, func(e client.Event) {
		steps = append(steps, e.Steps.Steps...)
		for _, r := range e.Ranks.Ended {
			ranks[r[0]] = r[1]
		}
	})
	if err != nil || done.State != server.Done {
		t.Fatalf("%+v %v", done, err)
	}
	var answer lightpath.Emulation
	if err := c.Answer(t.Context(), job.ID, &answer); err != nil || !answer.OK || answer.Processes != 2 {
		t.Fatalf("%+v %v", answer, err)
	}
	if !slices.Equal(steps, answer.Steps) {
		t.Errorf("told %+v, in the end %+v", steps, answer.Steps)
	}
	for r := range 8 {
		if ranks[r] != len(answer.Steps) {
			t.Errorf("rank %d has ended step %d", r, ranks[r])
		}
	}
}

// An export contains every plan and answer, and their number. Another service accepts its plans.
func TestExportsAreWhole(t *testing.T) {
	_, base := started(t, server.Config{})
	for _, size := range []string{"1MiB", "2MiB", "3MiB"} {
		call(t, "POST", base+"/v1/plan", `{"operations":[{"op":"allgather","size":"`+size+`","algorithm":"ring"}],"fabric":{"nodes":4,"ports":1},"planner":"static"}`)
	}
	call(t, "POST", base+"/v1/topology", `{"topology":"K(4)"}`)
	_, other := started(t, server.Config{})
	plans, answers := 0, 0
	end, err := (&client.Client{Base: base}).Export(t.Context(), func(line server.ExportLine) error {
		if line.Plan == nil {
			answers++
			return nil
		}
		plans++
		status, _, data := call(t, "POST", other+"/v1/plans", string(line.Plan))
		if status != 201 || decode[server.PlanID](t, data).ID != line.PlanID {
			t.Errorf("%d %s, want %s", status, data, line.PlanID)
		}
		return nil
	})
	if err != nil || end != (server.ExportEnd{Plans: 3, Answers: 4}) || plans != 3 || answers != 4 {
		t.Errorf("%d plans and %d answers, %+v, %v", plans, answers, end, err)
	}
}

// Dark times are those of the plan: one per reconfiguration, of the same length.
func TestSwitchesAreDarkWhenThePlanSays(t *testing.T) {
	_, base := started(t, server.Config{})
	for delay, switches := range map[string]int{"10us": 1, "per-switch:1us+9us": 4} {
		_, header, data := call(t, "POST", base+"/v1/plan", `{"operations":[{"op":"allreduce","size":"16MiB","algorithm":"recursive-doubling"}],"fabric":{"nodes":16,"ports":4,"reconfig":"`+delay+`"},"planner":"harvest"}`)
		summary := decode[plan.Summary](t, data)
		c := &client.Client{Base: base}
		made, err := c.Switches(t.Context(), header.Get("Lightpath-Plan"))
		if err != nil {
			t.Fatal(err)
		}
		if len(made.Switches) != switches {
			t.Errorf("%s: %d switches", delay, len(made.Switches))
		}
		stages := map[int]bool{}
		for _, s := range made.Switches {
			for _, d := range s.Dark {
				stages[d.Stage] = true
				if d.UntilNs <= d.FromNs || d.Circuits < 1 || d.UntilNs > summary.CostNs.Total {
					t.Errorf("%s: %+v", delay, d)
				}
			}
		}
		if len(stages) != summary.Reconfigurations {
			t.Errorf("%s: dark before %d stages, %d reconfigurations", delay, len(stages), summary.Reconfigurations)
		}
		watched, err := c.Film(t.Context(), header.Get("Lightpath-Plan"), 8*units.KiB)
		if err != nil || watched.PacketBytes != 8*units.KiB || len(watched.Steps) == 0 {
			t.Errorf("%s: %v", delay, err)
		}
	}
}

// Work that exceeds the memory ends with the reason, and the service continues.
func TestWorkStopsAtItsMemory(t *testing.T) {
	_, base := started(t, server.Config{Limits: server.Limits{Memory: 32 * units.MiB}})
	// 7 million circuits.
	status, _, data := call(t, "POST", base+"/v1/topology", `{"topology":"K(2600)"}`)
	if got := decode[server.Error](t, data).Error; status != 422 || !strings.Contains(got.Problem, "memory") {
		t.Errorf("%d %+v", status, got)
	}
	// Making a large graph takes a while even if the client has gone; the service is not ready
	// until that has ended, and ready then.
	for status = 0; status != 200; time.Sleep(20 * time.Millisecond) {
		if status, _, _ = call(t, "GET", base+"/readyz", ""); status != 200 && status != 503 {
			t.Fatalf("not ready: %d", status)
		}
	}
}

// certificate makes a certificate for this machine, and a pool that trusts it.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// With a certificate the service speaks HTTPS, and nothing else.
func TestServiceSpeaksHTTPS(t *testing.T) {
	pair, trusted := certificate(t)
	s, err := server.New(t.Context(), server.Config{TLS: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(t.Context(), listener) //nolint:errcheck // it ends with the test
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}
	defer transport.CloseIdleConnections()
	c := &client.Client{Base: "https://" + listener.Addr().String(), HTTP: &http.Client{Transport: transport}}
	measured, err := client.Ask(t.Context(), c, lightpath.Topology, lightpath.TopologyRequest{Topology: "K(4)"})
	if err != nil || measured.Nodes != 4 {
		t.Errorf("%+v %v", measured, err)
	}
	plain, err := http.Get("http://" + listener.Addr().String() + "/healthz")
	if err == nil {
		plain.Body.Close()
		if plain.StatusCode == 200 {
			t.Error("it speaks HTTP, too")
		}
	}
	if _, err := http.Get("https://" + listener.Addr().String() + "/healthz"); err == nil {
		t.Error("a certificate of nobody's was trusted")
	}
}
