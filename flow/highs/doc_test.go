// Package highs solves the problems of package flow a second time, with the linear
// program solver HiGHS (https://highs.dev), to check the optimum and to compare the
// speed. It shares no code with package flow: the formulation has a variable per
// source and bundle instead of paths, and the solver is a third party's.
//
// It is a module of its own, so that users of Lightpath do not see the binding. It needs
// cgo, a C++ compiler and zlib (on Debian: g++ and zlib1g-dev); HiGHS itself comes
// ready-made with its Go binding, for Linux and macOS on amd64 and arm64. In this folder:
//
//	go test .
//	go test -run '^$' -bench Peer .
package highs
