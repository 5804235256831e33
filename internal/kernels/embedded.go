package kernels

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/plan"
)

// Folder is the folder, below that of a Go package, with the kernels that the package
// embeds: in BACKEND/NAME.plan.json and the files that this names.
const Folder = "kgen_kernels"

// planFile returns the name of a plan's file.
func planFile(base string) string { return base + ".plan.json" }

// encoded returns the files of a program: its texts and its plan.
func (p *Program) encoded(base string) ([]backends.File, error) {
	text, err := plan.Encode(p.Plan)
	if err != nil {
		return nil, err
	}
	return append(p.Files[:len(p.Files):len(p.Files)], backends.File{Name: planFile(base), Text: text}), nil
}

// On returns the emitter for a machine, the one With a capability that the machine has. Launches bring no more
// local memory than there is. A GPU whose probe has shown that work-groups start in the order of their
// numbers takes no tickets; where one waits in vain all the same, the plan gives up. A CPU runs the work-items of a
// work-group one after the other.
func (e Emitter) On(m plan.Machine) Emitter {
	for c, able := range e.With {
		if m.Has(c) {
			able.IDs = cmp.Or(e.IDs, able.IDs)
			e = able
		}
	}
	if e.IDs == "" && m.Subgroup > 1 && m.Caps[plan.CapStatic] == plan.Probed {
		e.IDs = plan.Static
	}
	if m.LocalBytes > 0 && m.LocalBytes < e.Dialect.LaunchedLocal {
		dialect := *e.Dialect
		dialect.LaunchedLocal, e.Dialect = m.LocalBytes, &dialect
	}
	e.Rounds = m.Has(plan.CapResident) && m.Has(plan.CapBulkCopy)
	if m.RunsInTurn() {
		e.Cores = max(m.Units, 1)
	}
	return e
}

// Over returns the emitter for so many rows of each domain of the parameters; nil if they are
// not known.
func (e Emitter) Over(rows map[string]int64) Emitter {
	if e.Rounds {
		e.Rows = rows
	}
	return e
}

// Walks names the domains over which kernels may walk in rounds, since they have many rows.
func (e Emitter) Walks() (domains []string) {
	for domain, n := range e.Rows {
		if n >= simt.RoundRows {
			domains = append(domains, domain)
		}
	}
	slices.Sort(domains)
	return domains
}

// ForDrivers returns a schedule as devices with a driver take it: tiles are numbered as suits
// them, unless the schedule says how, or its scheme numbers none.
func (e Emitter) ForDrivers(s plan.Schedule) plan.Schedule {
	if numbered := s; numbered.IDs == "" {
		if numbered.IDs = e.IDs; simt.CheckSchedule(numbered) == nil {
			return numbered
		}
	}
	return s
}

// Embed returns the files, below [Folder], of a pipeline's kernels: those of short, for
// columns that a launch spans, and of long, which is compiled for parts of plan.PartRows.
func (e Emitter) Embed(base string, short, long *backends.Program, s plan.Schedule) ([]backends.File, error) {
	s = e.ForDrivers(s)
	parts := s
	parts.Part = plan.PartRows
	var files []backends.File
	for _, of := range []struct {
		base     string
		program  *backends.Program
		schedule plan.Schedule
	}{{base, short, s}, {longBase(base), long, parts}} {
		made, err := e.makeAs(of.base, of.program, of.schedule)
		if err != nil {
			return nil, err
		}
		encoded, err := made.encoded(of.base)
		if err != nil {
			return nil, err
		}
		for _, f := range encoded {
			files = append(files, backends.File{Name: path.Join(Folder, e.Embeds(), f.Name), Text: f.Text})
		}
	}
	return files, nil
}

// longBase is the name of the files for columns that one launch does not span.
func longBase(base string) string { return base + ".long" }

// Embedded reads what Embed has made: the kernels for short columns, or for long ones. It
// returns nil if none are for this backend.
func (e Emitter) Embedded(files fs.FS, base string, forLong bool) (*Program, error) {
	if forLong {
		base = longBase(base)
	}
	folder := path.Join(Folder, e.Embeds())
	text, err := fs.ReadFile(files, path.Join(folder, planFile(base)))
	switch {
	case errors.Is(err, fs.ErrNotExist) && !forLong:
		return nil, nil
	case err != nil:
		return nil, err
	}
	p := &Program{}
	if p.Plan, err = plan.Decode(text); err != nil {
		return nil, fmt.Errorf("%s: %w", path.Join(folder, planFile(base)), err)
	}
	read := map[string]bool{}
	for host := p.Plan; host != nil; host = host.Fallback {
		p.addOptions(e.Dialect.CompilerOptions(host.Needs))
		for _, kernel := range host.Kernels {
			for _, v := range kernel.Variants {
				if v.File == "" || read[v.File] {
					continue
				}
				read[v.File] = true
				source, err := fs.ReadFile(files, path.Join(folder, v.File))
				if err != nil {
					return nil, err
				}
				p.Files = append(p.Files, backends.File{Name: v.File, Text: source})
			}
		}
	}
	return p, nil
}
