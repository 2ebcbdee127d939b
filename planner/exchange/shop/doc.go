// Package shop puts work in order on machines that do one thing at a time: the circuits
// of a stage are machines, chunks are jobs, and hops are their work.
//
// OpenShop is for jobs whose parts may be done in any order, such as hops over jumps that add
// up; it ends as early as possible. JobShop is for jobs whose parts have an order.
package shop
