package start

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"espy/config"
	"espy/providers"
)

// reads is what the program reads: each selector's last two names, "Limits.MaxSide" of route.Model.Limits.MaxSide,
// and the last one alone, by the folder it stands in. What is only assigned to does not count.
type reads map[string]map[string]bool // folder -> names

func readProgram(t *testing.T) reads {
	t.Helper()
	root := filepath.Join("..", "..")
	all := reads{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, _ := filepath.Rel(root, filepath.Dir(path))
		folder = filepath.ToSlash(folder)
		if all[folder] == nil {
			all[folder] = map[string]bool{}
		}
		gather(file, all[folder])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// gather notes every selector of a file that is not merely assigned to.
func gather(file *ast.File, into map[string]bool) {
	written := map[ast.Expr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				written[left] = true
			}
		case *ast.SelectorExpr:
			if written[n] {
				return true
			}
			into[n.Sel.Name] = true
			switch x := n.X.(type) {
			case *ast.Ident:
				into[x.Name+"."+n.Sel.Name] = true
			case *ast.SelectorExpr:
				into[x.Sel.Name+"."+n.Sel.Name] = true
			}
		}
		return true
	})
}

// has reports whether any of the folders reads the name.
func (r reads) has(name string, folders ...string) bool {
	for _, f := range folders {
		if r[f][name] {
			return true
		}
	}
	return false
}

// fieldsOf lists the fields of a struct.
func fieldsOf(v any) (names []string) {
	t := reflect.TypeOf(v)
	for i := range t.NumField() {
		names = append(names, t.Field(i).Name)
	}
	return names
}

func TestEveryColumnOfAModelRowIsReadBySomething(t *testing.T) {
	program := readProgram(t)
	readers := []string{"agent", "agent/projection", "agent/tools", "providers/anthropic", "providers/chat", "providers/responses", "ui", "ui/start", "ui/headless"}
	for what, row := range map[string]any{"quirks": providers.Quirks{}, "limits": providers.Limits{}, "price": providers.Price{}} {
		for _, field := range fieldsOf(row) {
			if !program.has(field, readers...) {
				t.Errorf("nothing reads the column %s.%s: take it out or make it matter", what, field)
			}
		}
	}
	for _, field := range []string{"Name", "ImageInput", "Tools", "Thinking", "ContextWindow", "MaxOutput", "ImageCost", "Efforts"} {
		if !program.has("Model."+field, readers...) && !program.has("model."+field, readers...) && !program.has("m."+field, readers...) {
			t.Errorf("nothing reads the column %s: take it out or make it matter", field)
		}
	}
	if program.has("NoSuchColumn", readers...) || program.has("Model.NoSuchColumn", readers...) {
		t.Error("this test finds what is not there")
	}
}

func TestEveryConfigurationKeyIsReadBySomething(t *testing.T) {
	program := readProgram(t)
	readers := []string{".", "ui", "ui/start", "ui/headless"}
	for table, fields := range map[string]any{"Tools": config.Tools{}, "History": config.History{}, "Permissions": config.Permissions{}, "UI": config.UI{}} {
		for _, field := range fieldsOf(fields) {
			if table+"."+field == "UI.Vim" {
				continue // the composer has no modal editing
			}
			if !program.has(table+"."+field, readers...) {
				t.Errorf("nothing reads the key %s.%s: take it out or make it matter", table, field)
			}
		}
	}
	for what, row := range map[string]any{"p": config.Provider{}, "m": config.Model{}} {
		for _, field := range fieldsOf(row) {
			if !program.has(what+"."+field, "ui/start") {
				t.Errorf("nothing reads the key %s of a provider or model table", field)
			}
		}
	}
	for _, field := range []string{"Model", "Mode", "Providers", "Models", "Keys"} {
		if !program.has("Config."+field, readers...) {
			t.Errorf("nothing reads the key %s", field)
		}
	}
}
