package agent

// Pasted is what a paste, a drop or a look at the clipboard came to.
type Pasted struct {
	Attachments []Attachment
	Text        string   // what belongs into the composer as text, byte for byte
	Notes       []string // sentences about what was found and could not be attached
}
