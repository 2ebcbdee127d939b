package command_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/field"
)

// hello is a user's command.
type hello struct {
	Name string `json:"name"`
}

func (h *hello) Complete() error {
	if h.Name == "" {
		return field.Errorf("name", "missing")
	}
	return nil
}

type greeting struct {
	Text string `json:"text"`
}

func greet(_ context.Context, h hello, _ ...command.Option) (*greeting, error) {
	if err := h.Complete(); err != nil {
		return nil, err
	}
	return &greeting{"hello " + h.Name}, nil
}

func ExampleNew() {
	c := command.New("greet", "Say hello", `{"name":"fabric"}`, greet)
	for _, text := range []string{c.Example, `{}`, `{"nme":"x"}`} {
		request, err := c.Read([]byte(text))
		if err != nil {
			fmt.Println("read:", err)
			continue
		}
		answer, err := c.Ask(context.Background(), request)
		if err != nil {
			fmt.Println("ask:", err)
			continue
		}
		fmt.Println(answer.(*greeting).Text)
	}
	// Output:
	// hello fabric
	// ask: name: missing
	// read: nme: unknown; want name
}
