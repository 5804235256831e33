package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// peersText is a program in CUDA C++ that answers commands by what NVIDIA's
// library CUB does; nvcc compiles it on the machine with the GPU.
//
//go:embed peers.cu
var peersText []byte

// buildPeers returns the compiled peers, which the folder keeps.
func buildPeers(ctx context.Context, folder string) (string, error) {
	nvcc, err := exec.LookPath("nvcc")
	if err != nil {
		nvcc = "/usr/local/cuda/bin/nvcc"
		if _, err := os.Stat(nvcc); err != nil {
			return "", fmt.Errorf("there is no nvcc on PATH or in /usr/local/cuda/bin")
		}
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	sum := sha256.Sum256(peersText)
	path := filepath.Join(folder, fmt.Sprintf("peers-%x", sum[:6]))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	partial, err := os.MkdirTemp(folder, "partial")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(partial)
	source, program := filepath.Join(partial, "peers.cu"), filepath.Join(partial, "peers")
	if err := os.WriteFile(source, peersText, 0o666); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, nvcc, "-O3", "-std=c++17", "-arch=native", "-o", program, source).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %v\n%s", nvcc, err, out)
	}
	return path, os.Rename(program, path)
}

// peers is the running program.
type peers struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func startPeers(path string) (*peers, error) {
	p := &peers{command: exec.Command(path)}
	p.command.Stderr = os.Stderr
	var err error
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.command.Start()
}

func (p *peers) close() {
	p.in.Close()
	p.command.Wait()
}

// measured is a response of the peers.
type measured struct {
	answer
	Times []int64 `json:"times"` // nanoseconds
	Error string  `json:"error"`
}

// run sends a command: its name and own arguments, how often to repeat it, the
// rows, and the columns as files.
func (p *peers) run(command string, repeat int, rows int64, files []string) (answer, []time.Duration, error) {
	line := fmt.Sprintf("%s %d %d", command, repeat, rows)
	for _, f := range files {
		line += " " + f
	}
	if _, err := fmt.Fprintln(p.in, line); err != nil {
		return answer{}, nil, fmt.Errorf("peers: %w", err)
	}
	text, err := p.out.ReadBytes('\n')
	if err != nil {
		return answer{}, nil, fmt.Errorf("peers ended at %q: %w", line, err)
	}
	var m measured
	if err := json.Unmarshal(text, &m); err != nil {
		return answer{}, nil, fmt.Errorf("peers said %q: %w", text, err)
	}
	if m.Error != "" {
		return answer{}, nil, fmt.Errorf("peers, %s: %s", command, m.Error)
	}
	var times []time.Duration
	for _, ns := range m.Times {
		times = append(times, time.Duration(ns))
	}
	return m.answer, times, nil
}

// median is the median of the times without the first two, which warm up.
func median(times []time.Duration) time.Duration {
	if len(times) > 4 {
		times = times[2:]
	}
	times = slices.Sorted(slices.Values(times))
	return times[len(times)/2]
}
