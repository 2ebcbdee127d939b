// Package mscclpp reads and writes the execution plans of MSCCL++: JSON in which thread blocks
// put chunks into the memory of peers and then signal.
//
// Ranks send over one channel for every direction between them. Before the first put, the
// receiver signals over the channel that it has entered the kernel, so the data of an earlier
// call is no longer needed. Then every put is followed by a signal, and every wait consumes one
// signal. Thread blocks of a rank synchronise with semaphores, one for each pair that must wait,
// with releases and acquires in the same order.
package mscclpp
