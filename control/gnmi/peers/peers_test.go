// Package peers checks package gnmi against the libraries of gRPC and gNMI: our client talks to
// their server, and their client to ours.
package peers

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	pb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/emulated"
	"github.com/lightpath-net/lightpath/control/gnmi"
)

// listen opens a port of this machine.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// pair is the path of a pair.
func pair(ingress int) *pb.Path {
	return &pb.Path{Elem: []*pb.PathElem{{Name: "optical-switch:cross-connects"}, {Name: "pair", Key: map[string]string{"ingress": strconv.Itoa(ingress)}}}}
}

// TestTheirClientSetsOurSwitch: the client uses the library's messages and transport.
func TestTheirClientSetsOurSwitch(t *testing.T) {
	sw, l := emulated.New(8, 0, nil), listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	serving.Go(func() { gnmi.Face{User: "admin", Secret: "s"}.Serve(ctx, l, sw) })
	t.Cleanup(func() { cancel(); serving.Wait() })
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	c := pb.NewGNMIClient(conn)
	if _, err := c.Capabilities(t.Context(), &pb.CapabilityRequest{}); status.Code(err) != codes.Unauthenticated {
		t.Errorf("a stranger gets %v", err)
	}
	as := metadata.AppendToOutgoingContext(t.Context(), "username", "admin", "password", "s")
	known, err := c.Capabilities(as, &pb.CapabilityRequest{})
	if err != nil || len(known.SupportedModels) != 1 || known.SupportedModels[0].Name != "optical-switch" || known.SupportedEncodings[0] != pb.Encoding_JSON_IETF {
		t.Fatal(known, err)
	}
	value := func(text string) *pb.TypedValue {
		return &pb.TypedValue{Value: &pb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(text)}}
	}
	done, err := c.Set(as, &pb.SetRequest{Replace: []*pb.Update{{Path: pair(1), Val: value(`{"ingress":1,"egress":9}`)}, {Path: pair(2), Val: value(`{"egress":"10"}`)}}})
	if err != nil || len(done.Response) != 2 || done.Response[0].Op != pb.UpdateResult_REPLACE {
		t.Fatal(done, err)
	}
	if done, err = c.Set(as, &pb.SetRequest{Delete: []*pb.Path{pair(1)}}); err != nil {
		t.Fatal(done, err)
	}
	if up, _ := sw.State(ctx); !up.Equal(control.State{2: 10}) {
		t.Error(up)
	}
	got, err := c.Get(as, &pb.GetRequest{Path: []*pb.Path{{Elem: []*pb.PathElem{{Name: "cross-connects"}}}}, Encoding: pb.Encoding_JSON_IETF})
	if err != nil || string(got.Notification[0].Update[0].Val.GetJsonIetfVal()) != `{"optical-switch:pair":[{"ingress":2,"egress":10}]}` {
		t.Error(got, err)
	}
	_, err = c.Set(as, &pb.SetRequest{Update: []*pb.Update{{Path: pair(3), Val: value(`{"egress":10}`)}}})
	if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "egress port 10 is connected twice") {
		t.Errorf("a port in use: %v", err)
	}
}

// theirs is a switch that the library serves.
type theirs struct {
	pb.UnimplementedGNMIServer
	mu sync.Mutex
	up control.State
}

func (s *theirs) Get(_ context.Context, r *pb.GetRequest) (*pb.GetResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := `{"optical-switch:model-name":"N-OST-8x8-X"}`
	if strings.HasSuffix(r.Path[0].Elem[0].Name, "cross-connects") {
		var pairs []map[string]int
		for _, x := range s.up.Crosses() {
			pairs = append(pairs, map[string]int{"ingress": x.Ingress, "egress": x.Egress})
		}
		all, err := json.Marshal(map[string]any{"optical-switch:pair": pairs})
		if err != nil {
			return nil, err
		}
		text = string(all)
	}
	return &pb.GetResponse{Notification: []*pb.Notification{{Timestamp: 1, Update: []*pb.Update{{Path: r.Path[0], Val: &pb.TypedValue{Value: &pb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(text)}}}}}}}, nil
}

func (s *theirs) Set(_ context.Context, r *pb.SetRequest) (*pb.SetResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := maps.Clone(s.up)
	for _, p := range r.Delete {
		in, err := strconv.Atoi(p.Elem[1].Key["ingress"])
		if err != nil {
			return nil, err
		}
		delete(next, in)
	}
	for _, u := range r.Replace {
		var one struct{ Ingress, Egress int }
		if err := json.Unmarshal(u.Val.GetJsonIetfVal(), &one); err != nil {
			return nil, err
		}
		if one.Egress == 16 {
			return nil, status.Error(codes.FailedPrecondition, "port 16 is\nbroken, 100%")
		}
		next[one.Ingress] = one.Egress
	}
	s.up = next
	return &pb.SetResponse{}, nil
}

// TestOurClientSetsTheirSwitch: the client also distinguishes a refusal from other errors.
func TestOurClientSetsTheirSwitch(t *testing.T) {
	l := listen(t)
	server := grpc.NewServer()
	sw := &theirs{up: control.State{3: 11}}
	pb.RegisterGNMIServer(server, sw)
	go server.Serve(l)
	defer server.Stop()
	c := &gnmi.Client{Address: l.Addr().String()}
	defer c.Close()
	if size, err := c.Size(t.Context()); err != nil || size != (control.Size{Ingress: 8, Egress: 8}) {
		t.Fatal(size, err)
	}
	change := control.Difference(control.State{3: 11}, control.State{3: 12, 1: 11})
	if err := c.Change(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	if up, err := c.State(t.Context()); err != nil || !up.Equal(control.State{3: 12, 1: 11}) {
		t.Error(up, err)
	}
	var refusal *control.Refusal
	err := c.Change(t.Context(), control.Change{Connect: []control.Cross{{Ingress: 5, Egress: 16}}})
	if !errors.As(err, &refusal) || refusal.Why != "code 9, port 16 is broken, 100%" {
		t.Errorf("a refusal is %v", err)
	}
	server.Stop()
	if _, err := c.State(t.Context()); err == nil || errors.As(err, &refusal) || strings.Contains(err.Error(), "\n") {
		t.Errorf("a switch that is gone: %v", err)
	}
}

// TestOurSwitchTellsTheirClient: the stream reports the circuits that are up, and every change.
func TestOurSwitchTellsTheirClient(t *testing.T) {
	sw, l := emulated.New(8, 0, nil), listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	serving.Go(func() { gnmi.Face{}.Serve(ctx, l, sw) })
	t.Cleanup(func() { cancel(); serving.Wait() })
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	stream, err := pb.NewGNMIClient(conn).Subscribe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := &pb.Path{Elem: []*pb.PathElem{{Name: "optical-switch:cross-connects"}}}
	if err := stream.Send(&pb.SubscribeRequest{Request: &pb.SubscribeRequest_Subscribe{Subscribe: &pb.SubscriptionList{
		Subscription: []*pb.Subscription{{Path: all, Mode: pb.SubscriptionMode_ON_CHANGE}}, Encoding: pb.Encoding_JSON_IETF}}}); err != nil {
		t.Fatal(err)
	}
	told := func() string {
		t.Helper()
		answer, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if answer.GetSyncResponse() {
			return "all was told"
		}
		return string(answer.GetUpdate().Update[0].Val.GetJsonIetfVal())
	}
	if first, second := told(), told(); !strings.Contains(first, "[]") || second != "all was told" {
		t.Errorf("%s, %s", first, second)
	}
	sw.Put(control.State{1: 9})
	if text := told(); !strings.Contains(text, "9") {
		t.Error(text)
	}
	once, err := pb.NewGNMIClient(conn).Subscribe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := once.Send(&pb.SubscribeRequest{Request: &pb.SubscribeRequest_Subscribe{Subscribe: &pb.SubscriptionList{
		Subscription: []*pb.Subscription{{Path: all}}, Mode: pb.SubscriptionList_ONCE}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := once.Recv(); status.Code(err) != codes.Unimplemented {
		t.Error(err)
	}
}

// Subscribe tells of a change for every state that is sent, and refuses then.
func (s *theirs) Subscribe(stream pb.GNMI_SubscribeServer) error {
	r, err := stream.Recv()
	if err != nil {
		return err
	}
	list := r.GetSubscribe()
	if list.GetMode() != pb.SubscriptionList_STREAM || len(list.Subscription) != 1 || list.Subscription[0].Mode != pb.SubscriptionMode_ON_CHANGE ||
		len(list.Subscription[0].Path.Elem) != 1 || list.Subscription[0].Path.Elem[0].Name != "optical-switch:cross-connects" {
		return status.Error(codes.InvalidArgument, "not that")
	}
	for range 2 {
		if err := stream.Send(&pb.SubscribeResponse{Response: &pb.SubscribeResponse_Update{Update: &pb.Notification{Timestamp: 1}}}); err != nil {
			return err
		}
		if err := stream.Send(&pb.SubscribeResponse{Response: &pb.SubscribeResponse_SyncResponse{SyncResponse: true}}); err != nil {
			return err
		}
	}
	return status.Error(codes.Aborted, "enough")
}

// TestTheirSwitchTellsOurClient.
func TestTheirSwitchTellsOurClient(t *testing.T) {
	l := listen(t)
	server := grpc.NewServer()
	pb.RegisterGNMIServer(server, &theirs{})
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(l) })
	t.Cleanup(func() { server.Stop(); serving.Wait() })
	c := &gnmi.Client{Address: l.Addr().String()}
	count := 0
	err := c.Tell(t.Context(), func() { count++ })
	var refusal *control.Refusal
	if count != 2 || !errors.As(err, &refusal) || !strings.Contains(err.Error(), "enough") {
		t.Errorf("told %d times, %v", count, err)
	}
}
