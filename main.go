// Command espy is a full-screen terminal coding assistant that sees. This file holds flags and wiring only.
package main

import (
	_ "espy/ui/early" // first: keeps Bubble Tea from asking the terminal before main

	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"espy/agent/guard/lifeline"
	"espy/agent/guard/sandbox"
	"espy/store"
	"espy/ui"
	"espy/ui/headless"
	"espy/ui/start"
)

// version is what --version prints and sessions record.
const version = "0.1.0"

func main() {
	sandbox.Serve() // first: a command that is to be confined starts as this program
	lifeline.Serve()
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		printVersion()
		return
	}
	os.Exit(execute())
}

func printVersion() { fmt.Println("espy " + version) }

// exit is an exit code on its way out of a command that has said all there is to say.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func execute() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	root := rootCommand()
	return exitCode(root.ExecuteContext(ctx))
}

// exitCode says what went wrong, where nothing has yet, and is the code to end with.
func exitCode(err error) int {
	var code exit
	var usage *start.UsageError
	switch {
	case err == nil:
		return headless.ExitDone
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, context.Canceled):
		return headless.ExitInterrupted
	case errors.As(err, &usage):
		output().Fail(err)
		return headless.ExitUsage
	}
	output().Fail(err)
	return headless.ExitFailed
}

func output() headless.Output { return headless.Output{Out: os.Stdout, Err: os.Stderr} }

// options are the flags, as far as several commands share them.
type options struct {
	start.Flags
	resume    string
	continues bool
	version   bool
	attach    []string
	json      bool
	events    bool
	maxTurns  int
	maxCost   float64
}

func rootCommand() *cobra.Command {
	var o options
	root := &cobra.Command{
		Use: "espy [DIR]", Short: "A coding assistant in the terminal that sees",
		Args: between(0, 1, "espy [DIR]"), SilenceErrors: true, SilenceUsage: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.version {
				printVersion()
				return nil
			}
			if len(args) == 1 {
				o.Folder = args[0]
			}
			return screenFace(cmd.Context(), o)
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &start.UsageError{Err: err} })
	root.CompletionOptions.HiddenDefaultCmd = true
	f := root.Flags()
	f.StringVar(&o.resume, "resume", "", "go on with a session; without an id, choose one")
	f.Lookup("resume").NoOptDefVal = chooseSession
	// Not cobra's own version flag: its template keeps every exported method of every type in the binary, 2.5 MB.
	f.BoolVarP(&o.version, "version", "v", false, "print the version")
	f.BoolVarP(&o.continues, "continue", "c", false, "go on with the newest session of this folder")
	f.StringArrayVar(&o.attach, "attach", nil, "put a picture on the row; may be given several times")
	modelFlags(root, &o)
	root.AddCommand(runCommand(), lookCommand(), sessionsCommand(), modelsCommand(), doctorCommand(), configCommand())
	return root
}

// chooseSession is --resume without an id.
const chooseSession = "?"

func modelFlags(cmd *cobra.Command, o *options) {
	cmd.Flags().StringVar(&o.Model, "model", "", "provider/model")
	cmd.Flags().StringVar(&o.Mode, "mode", "", "plan, ask, auto or full")
	cmd.Flags().StringVar(&o.Trace, "trace", "", "write requests and answers to this file as JSON lines, without keys and picture bytes")
}

func runCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use: "run [PROMPT|-]", Short: "Run one turn and print the answer", Args: between(0, 1, "espy run 'the whole prompt in quotes'"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.maxTurns < 0 || !(o.maxCost >= 0) {
				return &start.UsageError{Err: errors.New("--max-turns and --max-cost are limits, which cannot be below 0; 0 is no limit")}
			}
			prompt := ""
			if len(args) == 1 {
				prompt = args[0]
			}
			return runFace(cmd.Context(), o, prompt)
		},
	}
	modelFlags(cmd, &o)
	f := cmd.Flags()
	f.StringArrayVar(&o.attach, "attach", nil, "attach a picture; may be given several times")
	f.BoolVar(&o.json, "json", false, "print one JSON object at the end")
	f.BoolVar(&o.events, "events", false, "print a JSON line for each event")
	f.StringArrayVar(&o.Allow, "allow", nil, "a rule that lets calls run unasked, for example 'shell(go test *)'")
	f.StringVar(&o.resume, "resume", "", "go on with this session")
	f.IntVar(&o.maxTurns, "max-turns", 0, "stop after so many requests to the model")
	f.Float64Var(&o.maxCost, "max-cost", 0, "stop when the session has cost so many US dollars")
	f.BoolVar(&o.Accept, "accept-workspace", false, "accept this folder's instructions and settings as they are now")
	f.StringVarP(&o.Folder, "dir", "C", "", "the folder to work in")
	return cmd
}

func lookCommand() *cobra.Command {
	var look headless.LookOptions
	cmd := &cobra.Command{
		Use: "look FILE", Short: "Show what a model would see of a picture, and what it would cost", Args: between(1, 1, "espy look FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			look.File = args[0]
			s, err := start.Load(cmd.Context(), version, start.Flags{Reports: true})
			if err != nil {
				return err
			}
			return headless.Look(cmd.Context(), s.Gate, s.Secrets, look, output())
		},
	}
	f := cmd.Flags()
	f.StringVar(&look.Crop, "crop", "", "x,y,width,height in upright source pixels")
	f.StringVar(&look.Detail, "detail", "", "low, auto, high or original")
	f.StringVar(&look.Out, "out", "", "write what would be sent to this file")
	f.BoolVar(&look.JSON, "json", false, "print JSON")
	return cmd
}

// anyNumber is no upper bound on arguments.
const anyNumber = -1

// between bounds the number of arguments; a wrong one is bad usage.
func between(least, most int, usage string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return &start.UsageError{Err: fmt.Errorf("something is missing; expected %s", usage)}
		case most != anyNumber && len(args) > most:
			return &start.UsageError{Err: fmt.Errorf("%q is too much; expected %s", args[most], usage)}
		}
		return nil
	}
}

func sessionsCommand() *cobra.Command {
	var opt headless.ListOptions
	var everywhere bool
	list := func(cmd *cobra.Command, _ []string) error {
		return withStore(cmd.Context(), func(s *start.Settings) error {
			if opt.Folder = s.Folder; everywhere {
				opt.Folder = ""
			}
			return headless.ListSessions(cmd.Context(), s.Store, opt, output())
		})
	}
	cmd := &cobra.Command{Use: "sessions", Short: "List, show, copy, write out and remove sessions", Args: between(0, 0, "espy sessions [list|show|fork|export|rm|prune]"), RunE: list}
	listing := &cobra.Command{Use: "list", Short: "List the sessions of this folder", Args: between(0, 0, "espy sessions list"), RunE: list}
	for _, c := range []*cobra.Command{cmd, listing} {
		c.Flags().BoolVar(&opt.All, "all", false, "no limit to how many are listed")
		c.Flags().BoolVar(&everywhere, "everywhere", false, "of all folders")
		c.Flags().StringVar(&opt.Search, "search", "", "only those whose title, folder or id holds these words")
	}
	show := &cobra.Command{Use: "show ID", Short: "Print a session's conversation", Args: between(1, 1, "espy sessions show ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withStore(cmd.Context(), func(s *start.Settings) error {
				return headless.ShowSession(cmd.Context(), s.Store, args[0], output())
			})
		}}
	remove := &cobra.Command{Use: "rm ID…", Short: "Remove sessions", Args: between(1, anyNumber, "espy sessions rm ID…"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withStore(cmd.Context(), func(s *start.Settings) error {
				return headless.RemoveSessions(cmd.Context(), s.Store, args, output())
			})
		}}
	cmd.AddCommand(listing, show, remove, forkCommand(), exportCommand(), pruneCommand())
	return cmd
}

func forkCommand() *cobra.Command {
	var at string
	cmd := &cobra.Command{Use: "fork ID", Short: "Make a copy of a session that goes on by itself", Args: between(1, 1, "espy sessions fork ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withStore(cmd.Context(), func(s *start.Settings) error {
				return headless.ForkSession(cmd.Context(), s.Store, args[0], at, output())
			})
		}}
	cmd.Flags().StringVar(&at, "at", "", "the id of the last message to take over")
	return cmd
}

func exportCommand() *cobra.Command {
	var opt headless.ExportOptions
	cmd := &cobra.Command{Use: "export ID", Short: "Write a session's conversation as one document", Args: between(1, 1, "espy sessions export ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withStore(cmd.Context(), func(s *start.Settings) error {
				return headless.ExportSession(cmd.Context(), s.Store, args[0], opt, output())
			})
		}}
	cmd.Flags().StringVar(&opt.Format, "format", "md", "md, html or jsonl")
	cmd.Flags().BoolVar(&opt.Pictures, "pictures", false, "carry the pictures inside the document")
	cmd.Flags().StringVar(&opt.Out, "out", "", "a file to write, which must not exist; standard output otherwise")
	return cmd
}

func pruneCommand() *cobra.Command {
	var age string
	var yes bool
	var opt store.PruneOptions
	cmd := &cobra.Command{Use: "prune", Short: "Remove old sessions; without --yes only say which", Args: between(0, 0, "espy sessions prune"),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if age == "" && !cmd.Flags().Changed("keep") {
				return &start.UsageError{Err: errors.New("say which sessions may go: --older-than 30d, --keep 100, or both")}
			}
			if age != "" {
				if opt.OlderThan, err = headless.ParseAge(age); err != nil {
					return &start.UsageError{Err: err}
				}
			}
			if opt.Keep < 0 {
				return &start.UsageError{Err: errors.New("--keep takes how many of the newest sessions stay, 0 or more")}
			}
			opt.DryRun, opt.Now = !yes, time.Now()
			return withStore(cmd.Context(), func(s *start.Settings) error {
				return headless.PruneSessions(cmd.Context(), s.Store, opt, output())
			})
		}}
	cmd.Flags().StringVar(&age, "older-than", "", "only those last used so long ago: 30d, 2w, 6mo")
	cmd.Flags().IntVar(&opt.Keep, "keep", 0, "how many of the newest stay, whatever their age")
	cmd.Flags().BoolVar(&yes, "yes", false, "remove them")
	return cmd
}

func withStore(ctx context.Context, do func(*start.Settings) error) error {
	s, err := start.Load(ctx, version, start.Flags{Reports: true})
	if err != nil {
		return err
	}
	return do(s)
}

func modelsCommand() *cobra.Command {
	var sources, ask bool
	cmd := &cobra.Command{Use: "models [FILTER]", Short: "List every known model with its sight, window and price", Args: between(0, 1, "espy models [FILTER]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withStore(cmd.Context(), func(s *start.Settings) error {
				filter := ""
				if len(args) == 1 {
					filter = args[0]
				}
				if ask {
					headless.TellAnswers(s.Ask(cmd.Context()), output())
				}
				return headless.ListModels(s.Book.Routes(), filter, sources, output())
			})
		}}
	cmd.Flags().BoolVar(&sources, "sources", false, "print every value and where it comes from")
	cmd.Flags().BoolVar(&ask, "ask", false, "ask the servers on this machine, and the configured ones, what they serve")
	return cmd
}

func doctorCommand() *cobra.Command {
	var offline bool
	cmd := &cobra.Command{Use: "doctor", Short: "Say what works on this machine and terminal, and how to mend what does not", Args: between(0, 0, "espy doctor"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withStore(cmd.Context(), func(s *start.Settings) error {
				return headless.Doctor(cmd.Context(), start.Diagnose(cmd.Context(), s, offline), output())
			})
		}}
	cmd.Flags().BoolVar(&offline, "offline", false, "ask no server")
	return cmd
}

func configCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Where the settings are, and whether they are right", Args: between(0, 0, "espy config [path|check|show]"),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(
		&cobra.Command{Use: "path", Short: "Print where the settings file is", Args: between(0, 0, "espy config path"), RunE: func(cmd *cobra.Command, _ []string) error {
			return withStore(cmd.Context(), func(s *start.Settings) error { fmt.Println(s.Dirs.ConfigFile()); return nil })
		}},
		&cobra.Command{Use: "check", Short: "Say what is wrong in the settings", Args: between(0, 0, "espy config check"), RunE: func(cmd *cobra.Command, _ []string) error {
			return withStore(cmd.Context(), func(s *start.Settings) error { return headless.CheckConfig(s.Problems, s.Dirs.ConfigFile(), output()) })
		}},
		&cobra.Command{Use: "show", Short: "Print the settings in force and where each came from", Args: between(0, 0, "espy config show"), RunE: func(cmd *cobra.Command, _ []string) error {
			return withStore(cmd.Context(), func(s *start.Settings) error {
				return headless.ShowConfig(s.Config, ui.KeyTable(s.Config.Keys), output())
			})
		}})
	return cmd
}

// runFace runs one turn without a screen.
func runFace(ctx context.Context, o options, prompt string) error {
	text, err := headless.ReadPrompt(ctx, prompt, os.Stdin)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return &start.UsageError{Err: err}
	}
	s, err := start.Load(ctx, version, o.Flags)
	if err != nil {
		return err
	}
	out := output()
	for _, p := range s.Problems {
		out.Fail(errors.New(p))
	}
	room, err := start.Open(ctx, s, start.Request{Resume: o.resume, Model: o.Model, Mode: o.Mode, Headless: true, MaxTurns: o.maxTurns, MaxCost: o.maxCost})
	if err != nil {
		return err
	}
	defer room.Close()
	p, err := headless.Prompt(ctx, room.Intake, text, o.attach)
	if err != nil {
		return &start.UsageError{Err: err}
	}
	code := headless.Run(ctx, room.Agent, headless.RunOptions{Prompt: p, Events: o.events, JSON: o.json}, out)
	if err := room.Close(); err != nil {
		out.Fail(err)
	}
	return exit(code)
}

// screenFace opens the full-screen program.
func screenFace(ctx context.Context, o options) error {
	if o.resume == chooseSession && looksLikeSession(o.Folder) {
		o.resume, o.Folder = o.Folder, "" // "--resume ID": the flag's value may be left out, so the id came as an argument
	}
	if o.continues && o.resume != "" {
		return &start.UsageError{Err: errors.New("--continue and --resume choose different sessions; give one of them")}
	}
	if !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stdout.Fd()) {
		return &start.UsageError{Err: errors.New("the full-screen program needs a terminal for its input and output; in scripts and pipes use `espy run`")}
	}
	s, err := start.Load(ctx, version, o.Flags)
	if err != nil {
		return err
	}
	request := start.Request{Continue: o.continues, Model: o.Model, Mode: o.Mode}
	if o.resume != chooseSession {
		request.Resume = o.resume
	}
	screen, err := start.NewScreen(ctx, s, request)
	if err != nil {
		return err
	}
	defer screen.Close()
	opt := screen.Options()
	opt.Attach, opt.ChooseSession = o.attach, o.resume == chooseSession
	return errors.Join(ui.Run(ctx, opt), screen.Close())
}

// looksLikeSession tells a session's id, a ULID, from a folder.
func looksLikeSession(s string) bool {
	return len(s) == 26 && strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && (r < 'A' || r > 'Z') }) < 0
}
