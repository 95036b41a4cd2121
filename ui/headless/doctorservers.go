package headless

import (
	"fmt"
	"strings"

	"espy/providers"
	"espy/providers/discover"
)

// serverChecks says which servers answer. A server that the person configured, or that the model is at, must; those
// that merely might run on this machine need not.
func serverChecks(f DoctorFacts) []Check {
	if f.Silent {
		return []Check{{"servers", "note", "not asked", "leave --offline out to ask them"}}
	}
	var list []Check
	var absent []string
	for _, a := range f.Asked {
		server := serverOf(f, a.Server)
		switch {
		case a.Err == nil:
			list = append(list, Check{"server", "ok", answerSentence(a) + seeing(a), ""})
		case server.Own || server.Name == f.Route.Server.Name || server.Key != "":
			list = append(list, Check{"server", "bad", answerSentence(a), serverRemedy(server, a.Err)})
		default:
			absent = append(absent, a.Server)
		}
	}
	if len(absent) > 0 {
		list = append(list, Check{"servers", "note", "none answers at the usual address of " + strings.Join(absent, ", "), "start one if it is meant to be there, or give its address as [providers.NAME] base_url"})
	}
	return list
}

func serverOf(f DoctorFacts, name string) providers.Server {
	for _, s := range f.Servers {
		if s.Name == name {
			return s
		}
	}
	return providers.Server{Name: name}
}

func serverRemedy(s providers.Server, err error) string {
	switch providers.ClassOf(err) {
	case providers.ClassAuth:
		if s.KeyEnv != "" {
			return "its key is not taken: set " + s.KeyEnv + " anew, or type one with /key " + s.Name
		}
		return "it wants a key: set api_key in [providers." + s.Name + "]"
	case providers.ClassQuota:
		return "add credit there, or choose another model"
	case providers.ClassRateLimit, providers.ClassOverloaded:
		return "wait and try again"
	}
	return "start it, or correct its base_url (" + s.BaseURL + "); behind a proxy set HTTPS_PROXY"
}

// seeing counts the models of an answer that see pictures, where the server says so.
func seeing(a discover.Answer) string {
	sees, said := 0, 0
	for _, m := range a.Models {
		switch m.Cells["image_input"] {
		case string(providers.Supported):
			sees, said = sees+1, said+1
		case string(providers.Unsupported):
			said++
		}
	}
	if said == 0 {
		return "; it does not say which of them see pictures"
	}
	return fmt.Sprintf("; %d of them see pictures", sees)
}
