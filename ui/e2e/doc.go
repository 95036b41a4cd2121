// Package e2e holds the end-to-end tests: they build the program as a person would and drive it in real
// terminals, with real clipboards, real files, real signals and a strict model service on loopback.
//
// Contract: every test has a home, a state, a configuration and a workspace of its own and reaches no network
// beyond loopback. Tests wait for what the screen must show and never sleep; where a program they need is
// missing they are skipped with the reason, and fail under CI=true. Under the race detector the program is
// built with it too, and a race in it fails the test that met it.
//
// The package holds tests only. It knows the program by its screen, its files, its exit codes and its lines.
package e2e
