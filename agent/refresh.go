package agent

import (
	"context"
	"errors"
	"reflect"

	"espy/agent/extend"
	"espy/providers"
)

// refresh lets what changed in the person's files come into force between two turns. It reports whether anything did.
func (a *Agent) refresh(ctx context.Context) bool {
	if a.opt.Refresh == nil || ctx.Err() != nil {
		return false
	}
	told := a.opt.Refresh(ctx)
	for _, sentence := range told {
		a.notice(NoticeInfo, sentence)
	}
	if len(told) > 0 {
		a.events.put(Reloaded{})
	}
	return len(told) > 0
}

// startReload reads files again as a piece of work of its own.
func (a *Agent) startReload(ctx context.Context, quiet bool) chan TurnEnded {
	return a.begin(ctx, func(ctx context.Context) (EndReason, error) { return ended(a.reload(ctx, quiet)) })
}

// reload is the person's wish for a refresh.
func (a *Agent) reload(ctx context.Context, quiet bool) error {
	if a.opt.Refresh == nil {
		return errors.New("nothing is read anew here")
	}
	if !a.refresh(ctx) && !quiet {
		a.notice(NoticeInfo, "Nothing changed in the settings, and in what files declare, since they were read.")
	}
	return nil
}

// bounds are how many pictures an eviction keeps, and how many more there have to be.
type bounds struct{ keep, step int }

func (a *Agent) evictions() bounds {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.images
}

// SetEvictions changes how many pictures an eviction keeps and how many more there have to be.
func (a *Agent) SetEvictions(keep, step int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.images = bounds{keep, step}
}

// SetHooks puts other hooks in the place of those of the session.
func (a *Agent) SetHooks(hooks []extend.Hook) { a.hooks.Replace(hooks) }

// SetEnviron changes what variables commands get. It is for Refresh only: no call runs between two turns.
func (a *Agent) SetEnviron(environ []string) { a.env.Environ = environ }

// Reroute gives the route that is in use what the settings now say of its model and server. Any other route changes
// nothing.
func (a *Agent) Reroute(route providers.Route) {
	a.mu.Lock()
	changed := a.route.Name() == route.Name() && !reflect.DeepEqual(a.route, route)
	if changed {
		a.route = route
	}
	a.mu.Unlock()
	if changed {
		a.events.put(RouteChanged{Route: a.Route(), Effort: a.effortNow(), Meter: a.meter()})
	}
}
