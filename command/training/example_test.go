package training_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/command/training"
	"github.com/lightpath-net/lightpath/train"
)

// With GPUs ten times as fast, almost all network time is still hidden.
func ExampleTrain() {
	trace, err := train.Builtin("resnet50")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, speedup := range []float64{1, 10} {
		t, err := training.Train(context.Background(), training.TrainRequest{Trace: trace, Topology: "Torus(4,4)", Speedup: speedup})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(t.MinibatchNs)
	}
	// Output:
	// 66.77ms
	// 6.681ms
}
