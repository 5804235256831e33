package table

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// Flags holds the command-line flags that say where the arguments of a pipeline
// come from.
type Flags struct {
	In   []string // FILE, or DOMAIN=FILE
	Bind []string // PARAMETER=COLUMN; by default a parameter binds to the column with its name
	Set  []string // PARAMETER=VALUE, for scalars
	// Format says how a CSV file writes the dates or timestamps of a parameter:
	// PARAMETER=PATTERN, as PatternHelp lists them.
	Format []string
	Round  []string // the timestamp parameters in which parts of a microsecond are rounded
}

// Binding says where each argument of a pipeline comes from.
type Binding struct {
	pipeline *ir.Pipeline
	columns  map[*ir.Value]string    // parameter to column name, if bound by hand
	scalars  map[*ir.Value]ir.Scalar // set by hand
	texts    map[*ir.Value]string    // those of kind Text
	all      *Texts                  // that columns and scalars of kind Text have
	files    map[*ir.Domain]string
	patterns map[*ir.Value]*pattern
	round    map[*ir.Value]rounding
}

// Bind checks flags against the parameters of p. It opens no file.
func Bind(p *ir.Pipeline, flags Flags) (*Binding, error) {
	b := &Binding{pipeline: p, columns: map[*ir.Value]string{}, scalars: map[*ir.Value]ir.Scalar{}, texts: map[*ir.Value]string{},
		all: &Texts{}, files: map[*ir.Domain]string{}, patterns: map[*ir.Value]*pattern{}, round: map[*ir.Value]rounding{}}
	for _, text := range flags.Bind {
		if err := b.bindColumn(text); err != nil {
			return nil, err
		}
	}
	for _, text := range flags.Set {
		if err := b.setScalar(text); err != nil {
			return nil, err
		}
	}
	for _, text := range flags.Format {
		if err := b.setPattern(text); err != nil {
			return nil, err
		}
	}
	for _, name := range flags.Round {
		if err := b.setRounding(name); err != nil {
			return nil, err
		}
	}
	for _, text := range flags.In {
		if err := b.addInput(text); err != nil {
			return nil, err
		}
	}
	return b, b.complete()
}

func (b *Binding) param(name string) *ir.Value {
	for _, p := range b.pipeline.Params {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// names lists the column parameters, or the scalar ones.
func (b *Binding) names(scalar bool) string {
	var names []string
	for _, p := range b.pipeline.Declared() {
		if p.Type.IsScalar() == scalar {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func (b *Binding) bindColumn(text string) error {
	name, column, ok := strings.Cut(text, "=")
	if !ok || name == "" || column == "" {
		return fmt.Errorf("--bind %s: write --bind PARAMETER=COLUMN", text)
	}
	p := b.param(name)
	if p == nil || p.Type.IsScalar() {
		return fmt.Errorf("--bind %s: pipeline %s has no column parameter %s; it has %s", text, b.pipeline.Name, name, b.names(false))
	}
	if p.Present != nil {
		return fmt.Errorf("--bind %s: %s tells which rows of %s have a value; bind %[3]s", text, name, p.Present.Name)
	}
	if _, twice := b.columns[p]; twice {
		return fmt.Errorf("--bind %s: %s is bound twice", text, name)
	}
	b.columns[p] = column
	return nil
}

func (b *Binding) setScalar(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return fmt.Errorf("--set %s: write --set PARAMETER=VALUE", text)
	}
	p := b.param(name)
	if p == nil || !p.Type.IsScalar() {
		return fmt.Errorf("--set %s: pipeline %s has no scalar parameter %s; it has %s", text, b.pipeline.Name, name, b.names(true))
	}
	if _, twice := b.scalars[p]; twice {
		return fmt.Errorf("--set %s: %s is set twice", text, name)
	}
	if p.Type.Kind == ir.Text {
		b.texts[p], b.scalars[p] = value, ir.Scalar{Kind: ir.Text}
		return nil
	}
	if kind := p.Type.Kind; kind != ir.Char8 && trim(value) == "" {
		return fmt.Errorf("--set %s: no value is given; %s is needed", text, expected(kind))
	}
	s, err := ParseScalar(p.Type.Kind, value)
	if err != nil {
		return fmt.Errorf("--set %s: %w", text, err)
	}
	b.scalars[p] = s
	return nil
}

// setPattern takes PARAMETER=PATTERN.
func (b *Binding) setPattern(text string) error {
	name, form, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return fmt.Errorf("--format %s: write --format PARAMETER=PATTERN, as in --format day=%%d.%%m.%%Y", text)
	}
	p, err := b.paramThat(TakesFormat, "a date or timestamp", name)
	if err != nil {
		return fmt.Errorf("--format %s: %w", text, err)
	}
	if b.patterns[p] != nil {
		return fmt.Errorf("--format %s: %s has a pattern already, %s", text, name, b.patterns[p].text)
	}
	read, err := parsePattern(form)
	if err != nil {
		return fmt.Errorf("--format %s: %w", text, err)
	}
	b.patterns[p] = &read
	return nil
}

func (b *Binding) setRounding(name string) error {
	p, err := b.paramThat(TakesRounding, "a timestamp", name)
	if err != nil {
		return fmt.Errorf("--round %s: %w", name, err)
	}
	b.round[p] = rounded
	return nil
}

// TakesFormat reports whether a parameter may have a pattern in Flags.Format.
func TakesFormat(t ir.Type) bool {
	return !t.IsScalar() && (t.Kind == ir.Date || t.Kind == ir.Timestamp)
}

// TakesRounding reports whether a parameter may stand in Flags.Round.
func TakesRounding(t ir.Type) bool { return !t.IsScalar() && t.Kind == ir.Timestamp }

// paramThat returns a parameter whose type a flag takes.
func (b *Binding) paramThat(takes func(ir.Type) bool, what, name string) (*ir.Value, error) {
	var names []string
	for _, p := range b.pipeline.Declared() {
		if !takes(p.Type) {
			continue
		}
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	if names == nil {
		names = []string{"none"}
	}
	return nil, fmt.Errorf("pipeline %s has no column %s of %s; it has %s", b.pipeline.Name, name, what, strings.Join(names, ", "))
}

// Domains returns the domains of p's column parameters in order of first use.
func Domains(p *ir.Pipeline) []*ir.Domain {
	var domains []*ir.Domain
	for _, param := range p.Params {
		if d := param.Type.Domain; d != nil && !slices.Contains(domains, d) {
			domains = append(domains, d)
		}
	}
	return domains
}

// FileOf returns the file among values of the flag --in that has the column of a
// parameter, or "" if there is none.
func FileOf(p *ir.Pipeline, param string, in []string) string {
	b := &Binding{pipeline: p}
	v := b.param(param)
	for _, text := range in {
		if domain, path, err := b.splitInput(text, Domains(p)); err == nil && v != nil && v.Type.Domain == domain {
			return path
		}
	}
	return ""
}

func (b *Binding) addInput(text string) error {
	domains := Domains(b.pipeline)
	if len(domains) == 0 {
		return fmt.Errorf("--in %s: pipeline %s takes no columns", text, b.pipeline.Name)
	}
	domain, path, err := b.splitInput(text, domains)
	if err != nil {
		return err
	}
	if path == "" {
		return fmt.Errorf("--in %s: no file is named", text)
	}
	if _, err := ReaderOf(path); err != nil {
		return fmt.Errorf("--in %w", err)
	}
	if first, twice := b.files[domain]; twice {
		return fmt.Errorf("--in %s: the columns of %s already come from %s", text, domain, first)
	}
	for other, file := range b.files {
		if file == path && path == Standard {
			return fmt.Errorf("--in %s: standard input already gives the columns of %s", text, other)
		}
	}
	b.files[domain] = path
	return nil
}

// splitInput separates DOMAIN=FILE. A name before the first = is a domain;
// ./a=b.csv names a file with = in its name.
func (b *Binding) splitInput(text string, domains []*ir.Domain) (*ir.Domain, string, error) {
	name, path, ok := strings.Cut(text, "=")
	if ok && !strings.ContainsAny(name, `/\.`) {
		for _, d := range domains {
			if d.Name == name {
				return d, path, nil
			}
		}
		return nil, "", fmt.Errorf("--in %s: pipeline %s has no column domain %s; it has %s", text, b.pipeline.Name, name, domainNames(domains))
	}
	if len(domains) > 1 {
		return nil, "", fmt.Errorf("--in %s: pipeline %s has the column domains %s; write %s", text, b.pipeline.Name, domainNames(domains), inputForm(domains))
	}
	return domains[0], text, nil
}

func domainNames(domains []*ir.Domain) string {
	var names []string
	for _, d := range domains {
		names = append(names, d.Name)
	}
	return strings.Join(names, ", ")
}

// inputForm shows the --in flags that domains need.
func inputForm(domains []*ir.Domain) string {
	if len(domains) == 1 {
		return "--in FILE"
	}
	var flags []string
	for _, d := range domains {
		flags = append(flags, "--in "+d.Name+"=FILE")
	}
	return strings.Join(flags, " ")
}

// complete reports what is still missing, all at once.
func (b *Binding) complete() error {
	var faults []error
	var missing []*ir.Domain
	for _, d := range Domains(b.pipeline) {
		if b.files[d] == "" {
			missing = append(missing, d)
		}
	}
	if len(missing) > 0 {
		faults = append(faults, fmt.Errorf("pipeline %s needs its columns (%s): add %s", b.pipeline.Name, b.names(false), inputForm(missing)))
	}
	for _, p := range b.pipeline.Params {
		if path := b.files[p.Type.Domain]; b.patterns[p] != nil && path != "" && !isCSV(path) {
			faults = append(faults, fmt.Errorf("--format %s=%s: %s is no CSV file; others need no pattern, their times are no texts", p.Name, b.patterns[p].text, path))
		}
	}
	for _, p := range b.pipeline.Declared() {
		if _, set := b.scalars[p]; p.Type.IsScalar() && !set && p.Const.Kind == ir.Invalid {
			faults = append(faults, fmt.Errorf("the scalar parameter %s (%s) has no default: add --set %s=VALUE", p.Name, p.Type.Kind, p.Name))
		}
	}
	return errors.Join(faults...)
}

// field returns the column of a file that a parameter takes. One that tells of another
// parameter takes the column of that one.
func (b *Binding) field(p *ir.Value) Field {
	f := Field{Column: p.Name, Param: p.Name, Kind: p.Type.Kind, Missing: p.Missing, Like: p.Like, Present: p.Present != nil, Pattern: b.patterns[p], Round: b.round[p]}
	if f.Kind == ir.Text {
		f.Texts = b.all
	}
	if p.Literal != nil {
		f.MissingText = *p.Literal
	}
	from := p
	if f.Present {
		from, f.Column = p.Present, p.Present.Name
	}
	if bound, ok := b.columns[from]; ok {
		f.Column = bound
	}
	return f
}

// Read reads the files and returns one column per parameter, in order; a
// scalar is a column of one row.
func (b *Binding) Read(source *Source) ([]ir.Column, error) {
	in := make([]ir.Column, len(b.pipeline.Params))
	b.all.space = source.Memory
	for _, d := range Domains(b.pipeline) {
		fields, places := b.fields(d)
		columns, err := b.readFields(source, d, fields)
		if err != nil {
			return nil, err
		}
		for i, place := range places {
			in[place] = columns[i]
		}
	}
	if err := b.readScalars(in); err != nil {
		return nil, err
	}
	b.all.Finish(in)
	return in, nil
}

// fields returns the columns of a domain's file that parameters take, and the places of these.
func (b *Binding) fields(d *ir.Domain) (fields []Field, places []int) {
	for i, p := range b.pipeline.Params {
		if p.Type.Domain == d {
			fields, places = append(fields, b.field(p)), append(places, i)
		}
	}
	return fields, places
}

// readFields reads columns of the file of a domain.
func (b *Binding) readFields(source *Source, d *ir.Domain, fields []Field) ([]ir.Column, error) {
	columns, err := source.Read(b.files[d], fields)
	if full := b.all.fullError(); full != nil { // which no message about a value says
		return nil, full
	}
	return columns, err
}

// readScalars sets the columns of scalar parameters.
func (b *Binding) readScalars(in []ir.Column) error {
	for i, p := range b.pipeline.Params {
		if !p.Type.IsScalar() {
			continue
		}
		in[i] = ir.NewColumn(p.Type.Kind, 1)
		s := b.scalar(p)
		if p.Type.Kind == ir.Text {
			code, err := b.all.Code(b.text(p))
			if err != nil {
				return err
			}
			s = ir.Int(ir.Text, int64(code))
		}
		in[i].Set(0, s)
	}
	return nil
}
