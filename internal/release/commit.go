package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	modulezip "golang.org/x/mod/zip"
)

// commit is what is released.
type commit struct {
	root    string // of the repository
	hash    string
	time    time.Time
	version string
	dirty   bool // the working copy differs
}

// head returns the commit that is checked out in a folder's repository.
func head(ctx context.Context, folder string) (*commit, error) {
	c := &commit{root: folder}
	var seconds string
	for arguments, to := range map[string]*string{
		"rev-parse --show-toplevel": &c.root,
		"rev-parse HEAD":            &c.hash,
		"show -s --format=%ct HEAD": &seconds,
	} {
		out, err := git(ctx, folder, strings.Fields(arguments)...)
		if err != nil {
			return nil, err
		}
		*to = strings.TrimSpace(string(out))
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the time of the commit: %w", err)
	}
	c.time = time.Unix(unix, 0).UTC()
	status, err := git(ctx, folder, "status", "--porcelain")
	if err != nil {
		return nil, err
	}
	c.dirty = len(status) > 0
	here, err := git(ctx, folder, "tag", "--points-at", "HEAD")
	if err != nil {
		return nil, err
	}
	before, err := git(ctx, folder, "tag", "--merged", "HEAD")
	if err != nil {
		return nil, err
	}
	c.version = versionOf(strings.Fields(string(here)), strings.Fields(string(before)), c.time, c.hash)
	return c, nil
}

// versionOf returns the highest version among the tags of a commit or, without
// any, the pseudo-version that follows the highest tag before it.
func versionOf(here, before []string, t time.Time, hash string) string {
	if v := highest(here); v != "" {
		return v
	}
	older := highest(before)
	major := "v0"
	if older != "" {
		major = semver.Major(older)
	}
	return module.PseudoVersion(major, older, t, hash[:12])
}

// highest returns the highest of the tags that are versions of this module, or "".
func highest(tags []string) (best string) {
	for _, tag := range tags {
		if semver.IsValid(tag) && semver.Canonical(tag) == tag && module.Check(modulePath, tag) == nil && semver.Compare(tag, best) > 0 {
			best = tag
		}
	}
	return best
}

// file returns a file of the commit.
func (c *commit) file(ctx context.Context, name string) ([]byte, error) {
	return git(ctx, c.root, "show", c.hash+":"+name)
}

// pack writes the commit as a module zip. (zip.CreateFromVCS finds no repository
// in a git worktree.)
func (c *commit) pack(w io.Writer, v module.Version) (err error) {
	text, err := git(context.Background(), c.root, "archive", "--format=zip", c.hash)
	if err != nil {
		return err
	}
	files, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "kgen-release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if err := os.CopyFS(folder, files); err != nil {
		return err
	}
	return modulezip.CreateFromDir(w, v, folder)
}

func git(ctx context.Context, folder string, arguments ...string) ([]byte, error) {
	var stderr bytes.Buffer
	command := exec.CommandContext(ctx, "git", arguments...)
	command.Dir, command.Stderr = folder, &stderr
	out, err := command.Output()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("git %s: %w", strings.Join(arguments, " "), err), errors.New(strings.TrimSpace(stderr.String())))
	}
	return out, nil
}
