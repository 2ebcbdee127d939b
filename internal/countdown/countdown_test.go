package countdown_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/internal/countdown"
)

func ExampleNew() {
	ctx := countdown.New(context.Background(), 2)
	for range 4 {
		fmt.Println(ctx.Err())
	}
	<-ctx.Done()
	fmt.Println(ctx.Asked(), ctx.After())
	// Output:
	// <nil>
	// <nil>
	// context canceled
	// context canceled
	// 4 2
}
