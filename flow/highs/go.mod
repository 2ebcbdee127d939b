module github.com/lightpath-net/lightpath/flow/highs

go 1.25.5

require (
	github.com/bartolsthoorn/gohighs v1.0.1
	github.com/lightpath-net/lightpath v0.0.0
)

require golang.org/x/sys v0.47.0 // indirect

replace github.com/lightpath-net/lightpath => ../..
