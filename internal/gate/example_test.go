package gate_test

import (
	"fmt"
	"net/http/httptest"

	"github.com/lightpath-net/lightpath/internal/gate"
)

// A page of another site sends its own host name.
func ExampleGate_Admit() {
	g := &gate.Gate{}
	for _, url := range []string{"http://127.0.0.1:8080/status", "http://evil.example/status"} {
		fmt.Println(g.Admit(httptest.NewRequest("GET", url, nil)))
	}
	g.SetToken("secret")
	fmt.Println(g.Admit(httptest.NewRequest("GET", "http://localhost/status", nil)))
	// Output:
	// 0 <nil>
	// 421 host "evil.example" is not a name of this service; whoever runs it can add names
	// 401 want the token of this service, as Authorization: Bearer TOKEN
}
