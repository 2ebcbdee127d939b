module example.com/extend

go 1.25.5

require github.com/lightpath-net/lightpath v0.0.0

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/crypto v0.54.0 // indirect
	golang.org/x/image v0.41.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.40.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace github.com/lightpath-net/lightpath => ../..
