package agent

import (
	"fmt"

	"espy/providers"
)

// remedied adds to a server's refusal what the person can do about it; a server says only what it found.
func remedied(err error, route providers.Route) error {
	key := "the key"
	if route.Server.KeyEnv != "" {
		key += " in " + route.Server.KeyEnv
	}
	switch providers.ClassOf(err) {
	case providers.ClassAuth:
		return fmt.Errorf("%w; %s does not let %s use this model: check it, or choose another model with /model", err, route.Server.Name, key)
	case providers.ClassNotFound:
		return fmt.Errorf("%w; check the model's name %q and the base_url of %s, or choose another model with /model", err, route.Model.ID, route.Server.Name)
	case providers.ClassQuota:
		return fmt.Errorf("%w; top up the account of %s, or choose another model with /model", err, route.Server.Name)
	}
	return err
}
