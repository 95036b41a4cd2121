package markdown

import "strings"

// Style is what a colour sequence sets, for example "1" for bold or "38;5;75" for a colour of the 256; empty is none.
type Style string

// Render wraps text, one line, in the style.
func (s Style) Render(text string) string {
	if s == "" || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[m"
}

// With is s with t added; t wins where both set the same.
func (s Style) With(t Style) Style {
	switch {
	case s == "":
		return t
	case t == "":
		return s
	}
	return s + ";" + t
}

// Theme says how each part looks. The zero value draws without any sequence. Which theme fits is the caller's decision: it
// knows the terminal, the configuration and NO_COLOR.
type Theme struct {
	Heading, Strong, Emphasis, Strike Style
	Code                              Style // code inside a line
	Block, Label                      Style // text of a code block, and its language
	Quote, Bar                        Style // text of a quotation, and the bar before it
	Link, URL, Image, HTML            Style
	Mark, Done                        Style // list marks, and ticked tasks
	Rule, TableHead, TableRule        Style

	Syntax [syntaxClasses]Style // by token class

	Added, Removed, Hunk, LineNumber, FileName Style // of diffs
}

// Token classes, the indexes of [Theme.Syntax].
const (
	Plain = iota
	Keyword
	Type
	Constant
	Function
	String
	Number
	Comment
	Variable
	Key // names in data formats, attributes in markup
	Tag
	Insertion
	Deletion
	Section
	syntaxClasses
)

// Dark is for dark backgrounds, on a terminal with 256 colours.
func Dark() Theme {
	return colours(of256, "75", "180", "108", "139", "150", "243", "114", "174", "110", "245")
}

// Light is for light backgrounds.
func Light() Theme {
	return colours(of256, "25", "130", "28", "90", "64", "243", "22", "124", "31", "242")
}

// Sixteen is for terminals with the first colours only, on any background: what is read second is faint.
func Sixteen() Theme {
	return colours(func(c string) Style { return Style(c) }, "36", "33", "32", "35", "36", "2", "32", "31", "36", "2")
}

func of256(c string) Style { return Style("38;5;" + c) }

// colours builds a theme from ten colours.
func colours(fg func(c string) Style, heading, code, str, keyword, fn, comment, added, removed, typ, dim string) Theme {
	t := Theme{
		Heading: fg(heading).With("1"), Strong: "1", Emphasis: "3", Strike: "9", Code: fg(code),
		Label: fg(dim), Quote: fg(dim).With("3"), Bar: fg(dim), Link: fg(heading).With("4"), URL: fg(dim), Image: fg(code), HTML: fg(dim),
		Mark: fg(heading), Done: fg(str), Rule: fg(dim), TableHead: "1", TableRule: fg(dim),
		Added: fg(added), Removed: fg(removed), Hunk: fg(typ), LineNumber: fg(dim), FileName: "1",
	}
	t.Syntax = [syntaxClasses]Style{
		Keyword: fg(keyword), Type: fg(typ), Constant: fg(removed), Function: fg(fn), String: fg(str), Number: fg(code),
		Comment: fg(comment).With("3"), Variable: fg(code), Key: fg(typ), Tag: fg(keyword),
		Insertion: fg(added), Deletion: fg(removed), Section: fg(typ),
	}
	return t
}

// HighContrast uses the terminal's own strongest colours and never dims.
func HighContrast() Theme {
	t := Theme{
		Heading: "1;4", Strong: "1", Emphasis: "3", Strike: "9", Code: "1;33",
		Label: "1", Quote: "3", Link: "1;4", Image: "1", Mark: "1", Done: "1;32", TableHead: "1;4",
		Added: "1;32", Removed: "1;31", Hunk: "1;36", FileName: "1;4",
	}
	t.Syntax = [syntaxClasses]Style{
		Keyword: "1;35", Type: "1;36", Constant: "1;31", Function: "1;34", String: "1;32", Number: "1;33", Comment: "3",
		Variable: "1;33", Key: "1;36", Tag: "1;35", Insertion: "1;32", Deletion: "1;31", Section: "1;36",
	}
	return t
}

// None has no colours, for NO_COLOR: weight, slant and lines only.
func None() Theme {
	return Theme{
		Heading: "1;4", Strong: "1", Emphasis: "3", Strike: "9", Code: "1", Label: "2", Quote: "3", Link: "4", URL: "2", HTML: "2",
		TableHead: "1", TableRule: "2", Rule: "2", Hunk: "2", LineNumber: "2", FileName: "1",
		Syntax: [syntaxClasses]Style{Keyword: "1", Comment: "2;3"},
	}
}

// styled writes text, which may have several lines, so that each line opens and closes the style.
func styled(b *strings.Builder, style Style, text string) {
	for {
		line, rest, more := strings.Cut(text, "\n")
		b.WriteString(style.Render(line))
		if !more {
			return
		}
		b.WriteByte('\n')
		text = rest
	}
}
