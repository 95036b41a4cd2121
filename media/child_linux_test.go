package media

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	_ "image/gif"
	stdjpeg "image/jpeg"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"
	"golang.org/x/sync/errgroup"
)

// roleVariable makes this test program another one: its value is one of roles.
const roleVariable = "ESPY_MEDIA_TEST_ROLE"

// roles are the programs that are measured from outside. Each does one thing, prints one line of JSON and ends.
var roles = map[string]func(args []string) (any, error){
	"idle":       func([]string) (any, error) { return peakRSS() },
	"gate":       gateRole,
	"gate-many":  manyRole,
	"gate-crowd": crowdRole,
	"library":    libraryRole,
	"launch":     launchRole,
}

func TestMain(m *testing.M) {
	role, ok := roles[os.Getenv(roleVariable)]
	if !ok {
		os.Exit(m.Run())
	}
	v, err := role(os.Args[1:])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(v)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// roleLimit is how long a program in a role may take: the slowest takes some seconds on an idle machine.
const roleLimit = 10 * time.Minute

// inRole runs this program in a role and reads what it prints.
func inRole(t testing.TB, role string, into any, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), roleLimit)
	defer cancel()
	cmd := roleCommand(ctx, role, args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		t.Fatalf("%s %q: %v: %s", role, args, err, complaint.String())
	}
}

func roleCommand(ctx context.Context, role string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role, "GOGC=100", "VIPS_CONCURRENCY=1")
	return cmd
}

// peakRSS is the most memory this process has held, in KiB.
func peakRSS() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, found := strings.Cut(string(status), "VmHWM:")
	if !found {
		return 0, fmt.Errorf("the system does not say how much memory a process held at most")
	}
	return strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
}

// gateRole renders one file: detail, path of the source, path of the result.
func gateRole(args []string) (any, error) {
	if err := render(NewGate(), args[0], args[1], args[2]); err != nil {
		return nil, err
	}
	return peakRSS()
}

func render(gate *Gate, detail, source, result string) error {
	f, err := os.Open(source)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	src := Source{Name: info.Name(), Bytes: f, Size: info.Size()}
	_, err = gate.Ingest(context.Background(), &firstToFile{path: result}, src, Options{Detail: Detail(detail)})
	return err
}

// firstToFile writes what is sent to a file, as others do, and only reads the original.
type firstToFile struct {
	path string
	done bool
}

func (s *firstToFile) PutBlob(_ context.Context, ext string, r io.Reader) (string, error) {
	var w io.Writer = io.Discard
	if !s.done && s.path != "" {
		f, err := os.Create(s.path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		w = f
	}
	s.done = true
	_, err := io.Copy(w, r)
	return "blobs/0." + ext, err
}

// manyResult is how far a process came, and the file at which it held more than it may.
type manyResult struct {
	Files, Read int
	Peak        int64 // KiB
	Worst       string
}

// manyRole renders every file named in a list, one after the other: detail, path of the list, KiB it may hold.
func manyRole(args []string) (any, error) {
	list, err := os.ReadFile(args[1])
	if err != nil {
		return nil, err
	}
	most, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return nil, err
	}
	var result manyResult
	for _, path := range strings.Fields(string(list)) {
		result.Files++
		if _, err := gateRole([]string{args[0], path, ""}); err == nil {
			result.Read++
		}
		if result.Peak, err = peakRSS(); err != nil {
			return nil, err
		}
		if result.Peak > most {
			result.Worst = path
			break
		}
	}
	return result, nil
}

// crowdRole renders the files named at once through one gate: detail, paths.
func crowdRole(args []string) (any, error) {
	gate := NewGate()
	var group errgroup.Group
	for _, path := range args[1:] {
		group.Go(func() error { return render(gate, args[0], path, "") })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return peakRSS()
}

// libraryRole does the same with what Go and its x/image bring: decode whole, scale, encode.
func libraryRole(args []string) (any, error) {
	f, err := os.Open(args[0])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, _, err := image.Decode(f)
	if err != nil {
		return nil, err
	}
	out := image.NewNRGBA(image.Rectangle{Max: fitSide(m.Bounds().Size(), sideAuto)})
	draw.CatmullRom.Scale(out, out.Bounds(), m, m.Bounds(), draw.Src, nil)
	w, err := os.Create(args[1])
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if strings.HasSuffix(args[1], ".png") {
		err = fastPNG.Encode(w, out)
	} else {
		err = stdjpeg.Encode(w, out, &stdjpeg.Options{Quality: 90})
	}
	if err != nil {
		return nil, err
	}
	return peakRSS()
}

// cost is what a process took.
type cost struct {
	CPU time.Duration // user and system
	RSS int64         // KiB, at most
}

// launchRole starts a program and says what it took. It stands between because a process counts as its own what its
// parent held when it was started, and this parent holds little.
func launchRole(args []string) (any, error) {
	cmd := exec.Command(args[0], args[1:]...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	cmd.Env = append(os.Environ(), roleVariable+"="+os.Getenv("ESPY_MEDIA_TEST_NEXT"))
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, complaint.String())
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return cost{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), usage.Maxrss}, nil
}

// launched measures a program; next is the role of this one, where it is started itself.
func launched(next string, program ...string) (cost, error) {
	cmd := roleCommand(context.Background(), "launch", program...)
	cmd.Env = append(cmd.Env, "ESPY_MEDIA_TEST_NEXT="+next)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return cost{}, fmt.Errorf("%w: %s", err, bytes.TrimSpace(complaint.Bytes()))
	}
	var c cost
	return c, json.Unmarshal(out, &c)
}
