package meeting_test

import (
	"bufio"
	"context"
	"fmt"
	"net"

	"github.com/lightpath-net/lightpath/control/meeting"
)

// One rank goes through two stages.
func Example() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	m := &meeting.Meeting{Ranks: 1, Stages: 2, Set: func(_ context.Context, stage int) error {
		fmt.Println("circuits of stage", stage)
		return nil
	}}
	end := make(chan error)
	go func() { end <- m.Serve(context.Background(), l) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	from := bufio.NewReader(conn)
	for stage := 1; stage <= 2; stage++ {
		fmt.Fprintf(conn, "stage %d\n", stage)
		answer, _ := from.ReadString('\n')
		fmt.Print(answer)
	}
	conn.Close()
	fmt.Println(<-end)
	// Output:
	// circuits of stage 1
	// up 1
	// circuits of stage 2
	// up 2
	// <nil>
}
