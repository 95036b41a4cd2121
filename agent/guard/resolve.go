package guard

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

var errEOF = io.EOF

// purpose says what a name is looked up for.
type purpose int

const (
	forReading purpose = iota
	forWriting
	forNaming // nothing is opened: deny rules for reading do not speak yet
)

// place is where a name leads: elements below a root, none of them a link when they were looked at.
type place struct {
	root *root
	rel  []string
	info fs.FileInfo // of the last element, links not followed; nil where it does not exist
	path Path
	gone int // how many of the last elements do not exist
}

func (p place) relName() string {
	if len(p.rel) == 0 {
		return "."
	}
	return filepath.Join(p.rel...)
}

func (p place) open() (*os.File, error) {
	return p.root.handle.OpenFile(p.relName(), openFlags, 0)
}

// holds reports whether the place still is, without any link on the way, what info describes.
func (p place) holds(info fs.FileInfo) bool {
	if len(p.rel) == 0 {
		now, err := p.root.handle.Lstat(".")
		return err == nil && os.SameFile(now, info)
	}
	for i := range p.rel {
		now, err := p.root.handle.Lstat(filepath.Join(p.rel[:i+1]...))
		if err != nil {
			return false
		}
		if i == len(p.rel)-1 {
			return os.SameFile(now, info) && now.Mode()&fs.ModeSymlink == 0
		}
		if !now.IsDir() {
			return false
		}
	}
	return false
}

// locate follows a name to its place and refuses what lies outside, is a credential, or is denied.
func (r *Roots) locate(name string, why purpose) (place, error) {
	if name == "" || strings.ContainsRune(name, 0) || len(name) > maxNameBytes {
		return place{}, Refuse(FaultMissing, name)
	}
	abs := r.absolute(name)
	w := walker{roots: r.roots(), name: name}
	volume, elements := splitName(abs)
	w.pending, w.typed = elements, len(elements)
	w.enter(volume)
	p, err := w.walk()
	if err != nil {
		return place{}, err
	}
	p.path.Abs = filepath.Join(append([]string{p.root.physical()}, p.rel...)...)
	p.path.Display = r.display(p.path.Abs)
	return p, r.judge(p, name, filepath.Clean(abs), why)
}

// judge refuses credentials by name and what deny rules name, both as written and as resolved.
func (r *Roots) judge(p place, name, written string, why purpose) error {
	if kernelPath(p.path.Abs) {
		return Refuse(FaultSpecial, name)
	}
	if r.inBlobs(p.path.Abs) {
		if why == forWriting {
			return refuseBecause(FaultOutside, name, "is one of the session's own pictures, which are never written")
		}
		return nil
	}
	named := r.secrets.named(p.path.Abs) || written != p.path.Abs && r.secrets.named(written)
	if r.inKind(rootSkill, p.path.Abs) {
		if why == forWriting {
			return refuseBecause(FaultOutside, name, "belongs to a skill, whose files are never written")
		}
		named = r.secrets.namedElsewhere(p.path.Abs)
	}
	if named {
		return Refuse(FaultCredential, name)
	}
	if d := r.denied.Load(); why == forReading && d != nil {
		if rule := d.match(r, p.path.Abs, written); rule != "" {
			return refuseBecause(FaultDenied, name, "is refused by the rule deny "+rule)
		}
	}
	return nil
}

// walker follows one name. It is either outside every root, at an absolute name that nothing was read of,
// or inside one, at elements that are no links.
type walker struct {
	roots   []*root
	name    string // for messages
	pending []string
	typed   int  // how many of the last pending elements are the name's own, not a link's
	linked  bool // the element under the hand came from a link
	links   int

	outside string // absolute, clean; "" while inside
	root    *root
	rel     []string
	info    fs.FileInfo
	via     string // where the last link led, for messages
}

func (w *walker) walk() (place, error) {
	for len(w.pending) > 0 {
		element := w.pending[0]
		if w.linked = len(w.pending) > w.typed; !w.linked {
			w.typed--
		}
		w.pending = w.pending[1:]
		var err error
		switch {
		case element == "" || element == ".":
			continue
		case element == "..":
			err = w.up()
		case w.root == nil:
			w.enter(filepath.Join(w.outside, element))
		default:
			err = w.down(element)
		}
		if err != nil {
			return place{}, err
		}
		if w.root != nil && w.info == nil && len(w.rel) > 0 {
			return w.absent()
		}
	}
	if w.root == nil || (w.root.only != "" && len(w.rel) == 0) {
		return place{}, w.refuseOutside()
	}
	if w.info == nil {
		info, err := w.root.handle.Lstat(w.relName())
		if err != nil {
			return place{}, refuseSystem(w.name, err)
		}
		w.info = info
	}
	return place{root: w.root, rel: w.rel, info: w.info}, nil
}

func (w *walker) relName() string { return place{rel: w.rel}.relName() }

// enter moves to an absolute name outside; if it is a root's name the walk goes on inside.
func (w *walker) enter(abs string) {
	w.outside = abs
	for _, r := range w.roots {
		if r.handle == nil {
			continue
		}
		for _, name := range r.names {
			if r.only == "" && sameName(name, abs) {
				w.inside(r)
				return
			}
			if r.only != "" && sameName(filepath.Join(name, r.only), abs) {
				w.inside(r)
				w.pending = append([]string{r.only}, w.pending...)
				if !w.linked {
					w.typed++
				}
				return
			}
		}
	}
}

func (w *walker) inside(r *root) {
	w.root, w.rel, w.info, w.outside = r, nil, nil, ""
}

// up goes to the parent, which may lie outside.
func (w *walker) up() error {
	if w.root == nil {
		w.enter(filepath.Dir(w.outside))
		return nil
	}
	if len(w.rel) > 1 || (len(w.rel) == 1 && w.root.only == "") {
		w.rel, w.info = w.rel[:len(w.rel)-1], nil
		if len(w.rel) > 0 {
			info, err := w.root.handle.Lstat(w.relName())
			if err != nil {
				return refuseSystem(w.name, err)
			}
			w.info = info
		}
		return nil
	}
	parent := w.root.physical()
	if w.root.only == "" {
		parent = filepath.Dir(parent)
	}
	w.root, w.rel, w.info = nil, nil, nil
	w.enter(parent)
	return nil
}

// down looks at one element of the folder reached.
func (w *walker) down(element string) error {
	if w.info != nil && !w.info.IsDir() {
		return Refuse(FaultNotFolder, w.name)
	}
	if w.root.only != "" && (len(w.rel) > 0 || element != w.root.only) {
		return w.refuseOutside()
	}
	w.rel = append(w.rel[:len(w.rel):len(w.rel)], element)
	info, err := w.root.handle.Lstat(w.relName())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.info = nil
		return nil
	case err != nil:
		return refuseSystem(w.name, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return w.follow()
	case irregularLink(info):
		return Refuse(FaultSpecial, w.name)
	}
	w.info = info
	return nil
}

// irregularLink reports Windows junctions and other reparse points, which are neither file nor folder.
func irregularLink(info fs.FileInfo) bool { return info.Mode()&fs.ModeIrregular != 0 }

// follow reads the link just reached and goes on where it leads.
func (w *walker) follow() error {
	if w.links++; w.links > maxLinks {
		return refuseBecause(FaultUnreadable, w.name, "passes too many links; it leads nowhere")
	}
	target, err := w.root.handle.Readlink(w.relName())
	if err != nil {
		return refuseSystem(w.name, err)
	}
	parent := w.rel[:len(w.rel)-1]
	if filepath.IsAbs(target) {
		volume, elements := splitName(target)
		w.root, w.rel, w.info = nil, nil, nil
		w.via = filepath.Clean(target)
		w.pending = append(elements, w.pending...)
		w.enter(volume)
		return nil
	}
	w.via = filepath.Join(append([]string{w.root.physical()}, append(parent, target)...)...)
	_, elements := splitName(string(filepath.Separator) + filepath.FromSlash(target))
	w.pending = append(elements, w.pending...)
	if w.root.only != "" { // the folder of a trusted file is not itself inside
		w.outside = w.root.physical()
		w.root, w.rel, w.info = nil, nil, nil
		w.enter(w.outside)
		return nil
	}
	w.rel, w.info = parent, nil
	if len(parent) > 0 {
		if w.info, err = w.root.handle.Lstat(w.relName()); err != nil {
			return refuseSystem(w.name, err)
		}
	}
	return nil
}

// absent ends the walk at the first element that does not exist: the rest is taken as it is written, so
// that it can be made.
func (w *walker) absent() (place, error) {
	if w.linked {
		return place{}, refuseDangling(w.name, w.via)
	}
	gone := 1
	for _, element := range w.pending {
		switch element {
		case "", ".":
		case "..":
			return place{}, Refuse(FaultMissing, w.name)
		default:
			w.rel = append(w.rel[:len(w.rel):len(w.rel)], element)
			gone++
		}
	}
	if w.root.only != "" && len(w.rel) != 1 {
		return place{}, w.refuseOutside()
	}
	return place{root: w.root, rel: w.rel, gone: gone}, nil
}

func (w *walker) refuseOutside() error {
	at := w.outside
	if w.root != nil {
		at = filepath.Join(append([]string{w.root.physical()}, w.rel...)...)
	}
	if kernelPath(at) {
		return Refuse(FaultSpecial, w.name)
	}
	fault := Refuse(FaultOutside, w.name)
	if w.via != "" {
		fault = refuseLink(w.name, w.via)
	}
	if w.root == nil {
		fault.at = filepath.Clean(w.outside)
	}
	return fault
}
