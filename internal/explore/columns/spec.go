package columns

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/internal/table/generate"
	"github.com/kgen-go/kgen/ir"
)

// Automatic is the data of a pipeline of which nothing is said.
const Automatic = "auto"

// Spec says how the columns of a pipeline are generated.
type Spec struct {
	text   string
	all    *part            // of all columns of which nothing else is said; nil is Automatic
	params map[string]named // by the name of the parameter
}

// named is what a spec says of one parameter.
type named struct {
	text string // the value of a scalar
	part *part  // how a column is made
	err  error  // why text is no kind of data
}

// part is a kind of data with its options, as in zipf:s=1.1:values=1000.
type part struct {
	kind                            string
	min, max                        *big.Int
	values, meanRun, users, targets int64
	s, share                        float64
	sorted                          bool
	size, shape                     string
}

// Kinds lists the kinds of data, for messages.
func Kinds() []string {
	return slices.Concat([]string{Automatic}, generate.Distributions(), relations(), databases)
}

// Help describes the form that Parse reads, in lines of a help text.
var Help = `[PARAMETER=]KIND[:OPTION=VALUE]..., several joined by +, as in unique,
repeated:mean-run=8, zipf:s=1.1:values=1000:sorted, or
key=unique+value=uniform:max=99. A scalar takes a value, as in auto+bits=4. The
kinds are ` + strings.Join(Kinds()[:6], ", ") + ",\n" + strings.Join(Kinds()[6:], ", ") + "."

// Parse reads a Spec; see [Help].
func Parse(text string) (*Spec, error) {
	s := &Spec{text: text, params: map[string]named{}}
	for item := range strings.SplitSeq(text, "+") {
		name, rest, isNamed := strings.Cut(item, "=")
		if isNamed && strings.Contains(name, ":") { // it belongs to an option
			name, rest, isNamed = "", item, false
		}
		if !isNamed {
			rest = item
		}
		p, err := parsePart(rest)
		if err != nil {
			err = fmt.Errorf("%s: %w", text, err)
			if !isNamed || strings.Contains(rest, ":") { // which no scalar has
				return nil, err
			}
		}
		_, twice := s.params[name]
		switch {
		case isNamed && twice, !isNamed && s.all != nil:
			return nil, fmt.Errorf("%s: two kinds for the same columns", text)
		case isNamed:
			s.params[name] = named{rest, p, err}
		default:
			s.all = p
		}
	}
	return s, nil
}

// String returns the text that was parsed.
func (s *Spec) String() string { return s.text }

// check reports what the spec says of parameters that p does not have, or not so.
func (s *Spec) check(p *ir.Pipeline) error {
	for name, n := range s.params {
		at := slices.IndexFunc(p.Declared(), func(v *ir.Value) bool { return v.Name == name })
		switch {
		case at < 0:
			return fmt.Errorf("%s: pipeline %s has no column %s", s.text, p.Name, name)
		case !p.Params[at].Type.IsScalar() && n.err != nil:
			return n.err
		}
	}
	return nil
}

// optionsOf has the kinds that take an option. Every kind takes share.
var optionsOf = map[string][]string{
	"sorted": {generate.Uniform, generate.Zipf, generate.Unique}, "min": generate.Distributions(), "max": {generate.Uniform, generate.Zipf},
	"values": {generate.Uniform, generate.Zipf}, "mean-run": {generate.Repeated, "students"}, "s": {generate.Zipf}, "users": {"events"},
	"size": {"wisconsin"}, "shape": {"cube"}, "targets": {"cube"}, "share": Kinds(),
}

func parsePart(text string) (*part, error) {
	fields := strings.Split(text, ":")
	p := &part{kind: fields[0], meanRun: 8, s: 1, targets: 1, share: 1}
	if !slices.Contains(Kinds(), p.kind) {
		return nil, fmt.Errorf("there is no kind of data %q; there are %s", p.kind, strings.Join(Kinds(), ", "))
	}
	for _, field := range fields[1:] {
		key, value, _ := strings.Cut(field, "=")
		if !slices.Contains(optionsOf[key], p.kind) {
			return nil, fmt.Errorf("%s has no option %s", p.kind, key)
		}
		var err error
		ok := true
		switch key {
		case "sorted":
			p.sorted, ok = true, value == ""
		case "min":
			p.min, ok = new(big.Int).SetString(value, 10)
		case "max":
			p.max, ok = new(big.Int).SetString(value, 10)
		case "values":
			p.values, err = strconv.ParseInt(value, 10, 64)
		case "mean-run":
			p.meanRun, err = strconv.ParseInt(value, 10, 64)
		case "users":
			p.users, err = strconv.ParseInt(value, 10, 64)
		case "targets":
			p.targets, err = strconv.ParseInt(value, 10, 64)
		case "s":
			p.s, err = strconv.ParseFloat(value, 64)
		case "share":
			p.share, err = strconv.ParseFloat(value, 64)
			ok = p.share > 0 && p.share <= 1
		case "size":
			p.size = value
		case "shape":
			p.shape = value
		}
		if err != nil || !ok {
			return nil, fmt.Errorf("%s: a number is needed after %s=", field, key)
		}
	}
	return p, nil
}
