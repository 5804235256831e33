package gocpu

import (
	"bytes"
	"context"
	"fmt"
	goversion "go/version"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/kgen-go/kgen/internal/device/tree"
)

// Toolchain is a Go toolchain found on PATH.
type Toolchain struct {
	Path    string // of the go command
	Version string // as in go1.26.8
	target  string // all settings that change the compiled code
}

// NoToolchainError says why no Go toolchain can be used.
type NoToolchainError struct{ Reason string }

func (e *NoToolchainError) Error() string { return "no Go toolchain: " + e.Reason }

// FindGo looks for the go command on PATH and asks it for its version.
func FindGo(ctx context.Context) (Toolchain, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return Toolchain{}, &NoToolchainError{"the go command is not on PATH"}
	}
	var out, stderr bytes.Buffer
	command := exec.CommandContext(ctx, path, "env", "GOVERSION", "GOOS", "GOARCH", "GO386", "GOAMD64", "GOARM", "GOARM64", "GOPPC64", "GORISCV64")
	command.Env, command.Stdout, command.Stderr = buildEnvironment(), &out, &stderr
	err = tree.Run(ctx, command)
	if ctx.Err() != nil {
		return Toolchain{}, ctx.Err()
	}
	if err != nil {
		return Toolchain{}, &NoToolchainError{fmt.Sprintf("%s env: %v%s", path, err, below(stderr.Bytes()))}
	}
	target := out.String()
	version, _, _ := strings.Cut(target, "\n")
	version = strings.TrimSpace(version)
	if !strings.Contains(version, "go") {
		return Toolchain{}, &NoToolchainError{fmt.Sprintf("%s reports the version %q", path, version)}
	}
	release, _, _ := strings.Cut(version, " ") // before experiments
	if goversion.IsValid(release) && goversion.Compare(release, "go"+oldestGo) < 0 {
		return Toolchain{}, &NoToolchainError{fmt.Sprintf("%s is %s, and emitted Go needs %s or later", path, release, oldestGo)}
	}
	return Toolchain{Path: path, Version: version, target: target}, nil
}

// below puts the output of a command below a message.
func below(text []byte) string {
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return ""
	}
	return "\n" + string(text)
}

// buildEnvironment is the caller's environment with everything fixed that
// would make a build depend on the network, on a workspace or on a cross
// compilation the caller has set up.
func buildEnvironment() []string {
	return append(os.Environ(),
		"GO111MODULE=on", "GOFLAGS=", "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local", "GOEXPERIMENT=",
		"CGO_ENABLED=0", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
}
