// Package highs solves the problems of package flow a second time, with the linear
// program solver HiGHS (https://highs.dev), to check the optimum and to compare the
// speed. It shares no code with package flow: the formulation has a variable per
// source and bundle instead of paths, and the solver is somebody else's.
//
// Apart from this comment the package is built with the tag "highs" only. It then
// needs cgo, a C++ compiler and zlib (on Debian: g++ and zlib1g-dev); HiGHS itself
// comes ready-made with its Go binding, for Linux and macOS on amd64 and arm64:
//
//	go test -tags highs ./flow/highs
//	go test -tags highs -run '^$' -bench Peer ./flow/highs
//
// Nothing else in this module imports it.
package highs
