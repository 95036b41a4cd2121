package tools_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"espy/agent/tools"
	"espy/providers"
)

// named makes tools that only have a name and say in their description where they come from.
func named(about string, names ...string) []tools.Tool {
	list := make([]tools.Tool, len(names))
	for i, n := range names {
		list[i].Spec = providers.ToolSpec{Name: n, Description: about, Schema: `{"type":"object"}`}
	}
	return list
}

func listing(r *tools.Registry) string {
	var s []string
	for _, t := range r.All() {
		s = append(s, t.Spec.Name+":"+t.Spec.Description+":"+t.Source)
	}
	return strings.Join(s, " ")
}

func TestOfTwoToolsWithOneNameTheEarlierSourceStaysWhateverCameFirst(t *testing.T) {
	r := tools.New()
	r.Replace(tools.SourceServer("b"), named("b", "look", "b_only"))
	r.Replace(tools.SourceServer("a"), named("a", "look", "a_only"))
	r.Replace(tools.SourceFiles, named("f", "look", "lint"))
	r.Replace(tools.SourceBuiltin, named("own", "read"))
	if got, want := listing(r), "read:own: look:f:files lint:f:files a_only:a:mcp:a b_only:b:mcp:b"; got != want {
		t.Errorf("the tools are\n%s, want\n%s", got, want)
	}
	r.Replace(tools.SourceFiles, nil)
	if got, want := listing(r), "read:own: look:a:mcp:a a_only:a:mcp:a b_only:b:mcp:b"; got != want {
		t.Errorf("without the files the tools are\n%s, want\n%s", got, want)
	}
}

func TestAReplacedListIsNotTheCallersAnyMore(t *testing.T) {
	r, list := tools.New(), named("f", "lint")
	r.Replace(tools.SourceFiles, list)
	list[0].Spec.Name = "other"
	if _, ok := r.Lookup("lint"); !ok || list[0].Source != "" {
		t.Errorf("the registry shares the list it was given: %s", listing(r))
	}
}

func TestASubsetKeepsItsToolsWhenTheWholeChanges(t *testing.T) {
	r := tools.New(append(named("own", "read", "write"), named("own", "shell")...)...)
	r.Replace(tools.SourceFiles, named("f", "lint"))
	some := r.Only("lint", "read", "nothing")
	r.Replace(tools.SourceFiles, nil)
	if got, want := listing(some), "read:own: lint:f:files"; got != want {
		t.Errorf("the subset is %s, want %s", got, want)
	}
}

func TestToolsAreReplacedWhileOthersLookThemUp(t *testing.T) {
	r := tools.New(tools.Builtin()...)
	var all sync.WaitGroup
	for i := range 4 {
		all.Add(2)
		go func() {
			defer all.Done()
			for n := range 50 {
				r.Replace(tools.SourceServer(fmt.Sprint(i)), named("s", fmt.Sprintf("tool_%d_%d", i, n)))
			}
		}()
		go func() {
			defer all.Done()
			for range 50 {
				r.Specs()
				r.Nearest("tool")
				if _, ok := r.Lookup("read"); !ok {
					t.Error("read is gone while other sources change")
				}
			}
		}()
	}
	all.Wait()
	if got, want := len(r.All()), len(tools.Builtin())+4; got != want {
		t.Errorf("%d tools are left, want %d", got, want)
	}
}
