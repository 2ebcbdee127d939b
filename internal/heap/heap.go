// Package heap provides a priority queue of values of one type.
package heap

// Heap is a binary heap. It takes O(log n) to push or to pop one of n values.
type Heap[T any] struct {
	list   []T
	before func(a, b *T) bool
}

// New returns an empty heap that gives out its values in an order.
func New[T any](before func(a, b *T) bool) *Heap[T] { return &Heap[T]{before: before} }

// Len returns the number of values.
func (h *Heap[T]) Len() int { return len(h.list) }

// Clear removes all values, and keeps their room.
func (h *Heap[T]) Clear() { h.list = h.list[:0] }

// Push adds a value.
func (h *Heap[T]) Push(x T) {
	h.list = append(h.list, x)
	i := len(h.list) - 1
	for i > 0 && h.before(&x, &h.list[(i-1)/2]) {
		h.list[i] = h.list[(i-1)/2]
		i = (i - 1) / 2
	}
	h.list[i] = x
}

// Pop removes the first value of the order, and returns it. The heap must not be empty.
func (h *Heap[T]) Pop() T {
	top, x := h.list[0], h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	if len(h.list) == 0 {
		return top
	}
	i := 0
	for child := 1; child < len(h.list); child = 2*i + 1 {
		if child+1 < len(h.list) && h.before(&h.list[child+1], &h.list[child]) {
			child++
		}
		if !h.before(&h.list[child], &x) {
			break
		}
		h.list[i] = h.list[child]
		i = child
	}
	h.list[i] = x
	return top
}
