package headless

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"espy/config"
	"espy/ui"
)

// CheckConfig prints the faults of the settings, or that there are none.
func CheckConfig(problems []string, file string, out Output) error {
	for _, p := range problems {
		fmt.Fprintln(out.Out, oneLine(p))
	}
	switch n := len(problems); n {
	case 0:
	case 1:
		return errors.New("the settings have a fault")
	default:
		return fmt.Errorf("the settings have %d faults", n)
	}
	fmt.Fprintln(out.Out, "no faults in "+oneLine(file))
	return nil
}

// ShowConfig prints the settings in force and every action with its keys, each with where it came from. Providers' keys and headers are never printed.
func ShowConfig(c config.Config, keys []ui.KeyRow, out Output) error {
	show := func(key string, value any) {
		source := c.Sources[key]
		if source == "" {
			source = "default"
		}
		fmt.Fprintf(out.Out, "%-22s %-30v # %s\n", key, value, oneLine(source))
	}
	show("model", orNone(c.Model))
	show("mode", c.Mode)
	show("history.max_images", c.History.MaxImages)
	show("history.evict_step", c.History.EvictStep)
	show("ui.theme", c.UI.Theme)
	show("ui.previews", c.UI.Previews)
	show("ui.mouse", c.UI.Mouse)
	show("ui.vim", c.UI.Vim)
	show("ui.title", c.UI.Title)
	show("ui.notify", c.UI.Notify)
	show("permissions.sandbox", c.Permissions.Sandbox)
	show("permissions.network", c.Permissions.Network)
	show("permissions.allow", list(c.Permissions.Allow))
	show("permissions.ask", list(c.Permissions.Ask))
	show("permissions.deny", list(c.Permissions.Deny))
	show("tools.always_load", list(c.Tools.AlwaysLoad))
	show("tools.defer", list(c.Tools.Defer))
	names := make([]string, 0, len(c.Providers))
	for name := range c.Providers {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		p := c.Providers[name]
		show("providers."+name, fmt.Sprintf("%s %s", p.Protocol, oneLine(p.BaseURL)))
	}
	for _, row := range keys {
		written := strings.Join(row.Keys, " ")
		if written == "" {
			written = "(none)"
		}
		source := c.Sources["keys."+row.Action]
		if source == "" {
			source = "default"
		}
		fmt.Fprintf(out.Out, "%-22s %-30s # %s; %s: %s\n", "keys."+row.Action, written, oneLine(source), row.Where, row.About)
	}
	return nil
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return oneLine(s)
}

func list(items []string) string {
	if len(items) == 0 {
		return "(none)"
	}
	return oneLine(strings.Join(items, ", "))
}
