package agent

import (
	"fmt"
	"slices"

	"espy/agent/guard"
)

// openPath carries out a person's answer about a path outside: closed again after the call, or after the session, or
// trusted. Then the call is planned again, now that its tool sees the path.
func (a *Agent) openPath(j *job, opening guard.Opening, answer Answer) {
	if !a.settled(j, answer) {
		return
	}
	if slices.Contains(j.opened, opening) {
		j.refuse(opening.Path + " was opened and is outside all the same.") // asked once more it would be asked for ever
		return
	}
	j.opened = append(j.opened, opening)
	if answer.Choice == guard.ChoiceAlways && a.opt.TrustPath != nil {
		if err := a.opt.TrustPath(opening.Folder); err != nil {
			a.notice(NoticeError, fmt.Sprintf("%s could not be trusted and is open for this session only: %v", opening.Folder, err))
		}
	}
	// Also what is now trusted is opened as the call names it, which may be through a link.
	closes, err := a.env.Roots.Grant(opening)
	if err != nil {
		j.refuse(err.Error())
		return
	}
	if answer.Choice == guard.ChoiceOnce {
		j.closes = append(j.closes, closes)
	}
	a.plan(j)
}
