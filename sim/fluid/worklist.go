package fluid

// worklist is a set of bundles, or other small numbers, to be processed, each once.
type worklist struct {
	list []int32
	in   []bool
}

func newWorklist(n int) worklist { return worklist{in: make([]bool, n)} }

func (w *worklist) add(i int32) {
	if !w.in[i] {
		w.in[i] = true
		w.list = append(w.list, i)
	}
}

// take removes and returns all, in the order in which they were added. The result is valid
// until the next call of take.
func (w *worklist) take() []int32 {
	for _, i := range w.list {
		w.in[i] = false
	}
	all := w.list
	w.list = w.list[:0]
	return all
}
