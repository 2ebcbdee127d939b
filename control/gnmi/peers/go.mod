// The client and the face of package gnmi beside the libraries of gRPC and gNMI. It is a module of
// its own because these are large.
module github.com/lightpath-net/lightpath/control/gnmi/peers

go 1.25.5

require (
	github.com/lightpath-net/lightpath v0.0.0
	github.com/openconfig/gnmi v0.14.1
	google.golang.org/grpc v1.79.0
)

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/net v0.48.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.40.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20251202230838-ff82c1b0f217 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace github.com/lightpath-net/lightpath => ../../..
