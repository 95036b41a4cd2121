// Command late is Bubble Tea without espy/ui/early in front of it.
package main

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"
)

func main() { fmt.Println("late", tea.WindowSizeMsg{}.Width) }
