module example.com/extend

go 1.25.5

require github.com/lightpath-net/lightpath v0.0.0

replace github.com/lightpath-net/lightpath => ../..
