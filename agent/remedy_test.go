package agent

import (
	"errors"
	"strings"
	"testing"

	"espy/providers"
)

func TestAServersRefusalSaysWhatThePersonCanDo(t *testing.T) {
	route := providers.Route{Server: providers.Server{Name: "local", KeyEnv: "LOCAL_KEY"}, Model: providers.Model{ID: "llama"}}
	for class, want := range map[providers.Class]string{
		providers.ClassAuth: "LOCAL_KEY", providers.ClassNotFound: `"llama"`, providers.ClassQuota: "top up",
	} {
		cause := &providers.Error{Class: class, Status: 400, Message: "no"}
		err := remedied(cause, route)
		if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "/model") || !errors.Is(err, cause) {
			t.Errorf("%s: %v", class, err)
		}
	}
	if cause := errors.New("else"); remedied(cause, route) != cause {
		t.Error("another failure was dressed up")
	}
}
