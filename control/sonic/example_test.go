package sonic_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/sonic"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "config_db.json")
	if err := os.WriteFile(name, []byte(`{"OCS_PORT":{"1A":{},"1B":{},"2A":{},"2B":{}}}`), 0o600); err != nil {
		fmt.Println(err)
	}
	c := &sonic.Client{File: name}
	err = c.Change(context.Background(), control.Change{Connect: []control.Cross{{Ingress: 1, Egress: 4}}})
	text, _ := os.ReadFile(name)
	fmt.Println(string(text), err)
	// Output:
	// {
	//     "OCS_CROSS_CONNECT": {
	//         "1A-2B": {
	//             "a_side": "1A",
	//             "b_side": "2B"
	//         }
	//     },
	//     "OCS_PORT": {
	//         "1A": {},
	//         "1B": {},
	//         "2A": {},
	//         "2B": {}
	//     }
	// }
	//  <nil>
}
