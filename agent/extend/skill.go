package extend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/providers"
)

// Skill is a skills/NAME/SKILL.md: how to do a kind of work, read by the model when it needs it.
type Skill struct {
	Name        string
	Description string
	Body        string
	Path        string
	Project     bool
}

// maxSkill bounds a skill's file, in bytes.
const maxSkill = 128 << 10

func parseSkill(f File) (Skill, error) {
	if len(f.Data) > maxSkill {
		return Skill{}, fmt.Errorf("the file has %d bytes; a skill has at most %d", len(f.Data), maxSkill)
	}
	fields, body, err := frontMatter(f.Data)
	if err != nil {
		return Skill{}, err
	}
	s := Skill{Name: fields["name"], Description: fields["description"], Body: strings.TrimSpace(body), Path: f.Path, Project: f.Project}
	if s.Name == "" {
		s.Name = path.Base(path.Dir(placeOf(f.Path)))
	}
	switch {
	case !toolName.MatchString(s.Name):
		return Skill{}, fmt.Errorf("name %q: expected a letter and then letters, digits, - and _, 64 at most", s.Name)
	case s.Description == "":
		return Skill{}, errors.New("description is missing from the front matter: it tells the model when to use the skill")
	case s.Body == "":
		return Skill{}, errors.New("nothing stands below the front matter")
	}
	return s, nil
}

// SkillTool is the name of the tool that skills are read with.
const SkillTool = "skill"

// skillTool offers the skills by name and description; a body is read when it is asked for.
func skillTool(skills []Skill) (tools.Tool, bool) {
	if len(skills) == 0 {
		return tools.Tool{}, false
	}
	var about strings.Builder
	about.WriteString("Read how to do a kind of work, before doing it. There are:\n")
	byName := make(map[string]Skill, len(skills))
	names := make([]string, len(skills))
	for i, s := range skills {
		fmt.Fprintf(&about, "- %s: %s\n", s.Name, strings.Join(strings.Fields(s.Description), " "))
		byName[s.Name], names[i] = s, s.Name
	}
	d := declaration{Name: SkillTool, Parameters: map[string]parameter{"name": {Type: "string", Required: true, Enum: names, Description: "The skill's name."}}}
	return tools.Tool{
		Spec:     providers.ToolSpec{Name: d.Name, Description: strings.TrimSpace(about.String()), Schema: d.schema()},
		ReadOnly: true,
		Effect: func(_ *tools.Env, args string) (guard.Effect, error) {
			a, err := d.decode(args)
			if err != nil {
				return guard.Effect{}, err
			}
			return guard.Effect{Tool: d.Name, Kind: guard.KindNone, Summary: "skill " + a["name"][0]}, nil
		},
		Run: func(_ context.Context, env *tools.Env, call message.ToolCall) (tools.Outcome, error) {
			a, err := d.decode(call.Args)
			if err != nil {
				return failed(call, err.Error()), nil
			}
			s := byName[a["name"][0]]
			return tools.Outcome{Result: message.ToolResult{CallID: call.ID, Text: s.Read(env.Workspace, env.Roots), Meta: map[string]string{message.MetaSummary: "read the skill " + s.Name}}}, nil
		},
	}, true
}

// Read is the skill's text. Where there are other files beside it, it names their folder, which is opened for reading
// where it lies outside the workspace: the person's own.
func (s Skill) Read(workspace string, roots *guard.Roots) string {
	return s.Body + s.beside(workspace, roots)
}

func (s Skill) beside(workspace string, roots *guard.Roots) string {
	dir := filepath.Dir(s.Path)
	if s.Project {
		dir = filepath.Join(workspace, dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) < 2 {
		return ""
	}
	if !s.Project {
		if err := roots.AddSkill(dir); err != nil {
			return ""
		}
	}
	return "\n\n[The other files of this skill lie in " + guard.Printable(dir) + "]"
}

// argumentsWord stands in a command's text for what was typed behind its name.
const argumentsWord = "$ARGUMENTS"

// Command is a commands/NAME.md: a slash command whose text is sent to the model.
type Command struct {
	Name        string // without the slash
	Hint        string // of its arguments
	Description string
	Text        string
	Path        string
}

// Reserve takes out the commands whose names are taken, and says so.
func (s *Set) Reserve(names []string) {
	s.Commands = slices.DeleteFunc(s.Commands, func(c Command) bool {
		taken := slices.Contains(names, c.Name)
		if taken {
			s.Problems = append(s.Problems, fmt.Sprintf("%s: /%s is a command of espy's own; this one is not used, give its file another name", c.Path, c.Name))
		}
		return taken
	})
}

func parseCommand(f File) (Command, error) {
	if len(f.Data) > maxDeclaration {
		return Command{}, fmt.Errorf("the file has %d bytes; a command has at most %d", len(f.Data), maxDeclaration)
	}
	fields, body, err := frontMatter(f.Data)
	if err != nil {
		return Command{}, err
	}
	c := Command{Name: strings.TrimSuffix(path.Base(placeOf(f.Path)), ".md"), Hint: fields["arguments"], Description: fields["description"], Text: strings.TrimSpace(body), Path: f.Path}
	if !toolName.MatchString(c.Name) {
		return Command{}, fmt.Errorf("the file's name gives the command %q: expected a letter and then letters, digits, - and _", c.Name)
	}
	if c.Text == "" {
		return Command{}, errors.New("nothing stands below the front matter")
	}
	return c, nil
}

// Fill is the command's text with the arguments in it: in place of $ARGUMENTS, $1, $2 …, or below the text where
// it names none of them.
func (c Command) Fill(args string) string {
	words, named := strings.Fields(args), false
	text := places().ReplaceAllStringFunc(c.Text, func(place string) string {
		named = true
		if place == argumentsWord {
			return args
		}
		if n := int(place[1] - '0'); n <= len(words) {
			return words[n-1]
		}
		return ""
	})
	if !named && strings.TrimSpace(args) != "" {
		text += "\n\n" + args
	}
	return text
}

// places finds where arguments go. They are filled in once: what was typed may say $1 itself.
var places = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$(ARGUMENTS|[1-9])`) })

// compactJSON is a value as JSON without spaces, for results.
func compactJSON(v any) string {
	encoded, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(encoded)
}
