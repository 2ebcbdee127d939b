package climb

import (
	"math/rand/v2"
	"testing"
)

// TestBallsAreSearches: both measure the same, of random lifts of every kind, whatever the steps.
func TestBallsAreSearches(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for range 3000 {
		task := Task{Degree: 1 + random.IntN(MaxDegree), TwoWay: random.IntN(2) == 0, Width: 1 + random.IntN(9)}
		task.Nodes = task.Width * (1 + random.IntN(30))
		l := newLift(task, random)
		for range random.IntN(4) {
			l.exchange(random)
		}
		m := newMeter(task.Nodes, task.Degree)
		steps := 1 + random.IntN(task.Nodes)
		for _, lists := range [][]int32{l.in, l.out} {
			got := m.gather(lists, l.width, steps)
			gotSteps := m.steps()
			want, wantSteps := m.search(lists, l.width, steps), m.steps()
			m.peaksOnly = true
			peaks := m.gather(lists, l.width, steps)
			if peaks.time != want.time || peaks.missing != want.missing {
				t.Fatalf("%+v, %d steps: %+v by peaks, want %+v", task, steps, peaks, want)
			}
			m.peaksOnly = false
			if got != want || gotSteps != wantSteps {
				t.Fatalf("%+v, %d steps: %+v in %d, want %+v in %d", task, steps, got, gotSteps, want, wantSteps)
			}
		}
	}
}

// BenchmarkMeasure: the two ways to measure.
func BenchmarkMeasure(b *testing.B) {
	for _, c := range []struct {
		name string
		Task
	}{
		{"n=32,d=2,w=32", Task{Nodes: 32, Degree: 2, Width: 32, Diameter: 5}},
		{"n=32,d=4,w=32", Task{Nodes: 32, Degree: 4, Width: 32, Diameter: 3}},
		{"n=64,d=4,w=4", Task{Nodes: 64, Degree: 4, Width: 4, Diameter: 4}},
		{"n=64,d=8,w=64", Task{Nodes: 64, Degree: 8, Width: 64, Diameter: 3}},
		{"n=200,d=4,w=8", Task{Nodes: 200, Degree: 4, Width: 8, Diameter: 5}},
		{"n=1000,d=3,w=8", Task{Nodes: 1000, Degree: 3, Width: 8, Diameter: 8}},
		{"n=1000,d=8,w=8", Task{Nodes: 1000, Degree: 8, Width: 8, Diameter: 4}},
	} {
		l := newLift(c.Task, rand.New(rand.NewPCG(1, 1)))
		m := newMeter(c.Nodes, c.Degree)
		b.Run(c.name+"/balls", func(b *testing.B) {
			for range b.N {
				m.gather(l.in, l.width, c.Diameter)
			}
		})
		b.Run(c.name+"/searches", func(b *testing.B) {
			for range b.N {
				m.search(l.in, l.width, c.Diameter)
			}
		})
	}
}
