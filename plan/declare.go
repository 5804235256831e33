package plan

import (
	"fmt"
	"slices"
	"strconv"
)

// declarations checks everything except the steps.
func (v *validator) declarations() {
	v.lengths = map[string]bool{}
	for i := range v.p.Domains {
		v.domain(i)
	}
	for i := range v.p.Scalars {
		s, path := &v.p.Scalars[i], fmt.Sprintf("scalars[%d]", i)
		if v.storedKind(path+".kind", s.Kind) {
			v.literal(path+".init", s.Kind, s.Init)
		}
	}
	for i := range v.p.Buffers {
		v.buffer(fmt.Sprintf("buffers[%d]", i), &v.p.Buffers[i])
	}
	for i := range v.p.Ports {
		v.port(fmt.Sprintf("ports[%d]", i), &v.p.Ports[i])
	}
	for i := range v.p.Kernels {
		v.kernel(fmt.Sprintf("kernels[%d]", i), &v.p.Kernels[i])
	}
	for i := range v.p.Sites {
		v.site(i)
	}
	if v.abort != nil && v.p.Fallback == nil {
		v.report("fallback", "the buffer %q can make the plan give up, so it needs a fallback", v.abort.Name)
	}
}

func (v *validator) buffer(path string, b *Buffer) {
	if !v.storedKind(path+".kind", b.Kind) {
		return
	}
	v.literal(path+".fill", b.Kind, b.Fill)
	if b.Role == Input {
		if !b.Length.IsZero() {
			v.report(path+".length", "an input has the length of its domain; leave this out")
		}
	} else {
		v.expr(path+".length", b.Length, anywhere)
	}
	switch b.Role {
	case Input, Output, Temporary, Status, Counter:
	case Errors:
		if v.errors != nil {
			v.report(path, "a plan has one errors buffer; %q is another", v.errors.Name)
		}
		v.errors = b
		if b.Kind.NoRow() == 0 {
			v.report(path+".kind", "%s cannot hold rows; use i32, u32, i64 or u64", b.Kind)
		}
		if b.Fill != "" {
			v.report(path+".fill", "an errors buffer starts as \"no row\" by itself; leave this out")
		}
		if b.Length.Op != OpConst || b.Length.Const != int64(len(v.p.Sites)) {
			v.report(path+".length", "%s; an errors buffer has a word for each of the %d sites", b.Length, len(v.p.Sites))
		}
	case Abort:
		if v.abort != nil {
			v.report(path, "a plan has one abort buffer; %q is another", v.abort.Name)
		}
		v.abort = b
		if b.Kind != I32 && b.Kind != U32 {
			v.report(path+".kind", "the abort word is i32 or u32, not %s", b.Kind)
		}
		if b.Fill != "" || b.Length.Op != OpConst || b.Length.Const != 1 {
			v.report(path, "an abort buffer is one word that starts as 0")
		}
	default:
		v.report(path+".role", "there is no role %q; there are input, output, temporary, status, counter, errors, abort", b.Role)
	}
}

func (v *validator) port(path string, port *Port) {
	if port.Direction != In && port.Direction != Out {
		v.report(path+".direction", "%q; a port is %q or %q", port.Direction, In, Out)
		return
	}
	if !v.kind(path+".kind", port.Kind) {
		return
	}
	if (port.Domain == "") != (port.Buffer == "") || (port.Domain == "") == (port.Scalar == "") {
		v.report(path, "a port has a domain and a buffer, or a scalar")
		return
	}
	v.literal(path+".default", port.Kind, port.Default)
	if port.Default != "" && (port.Direction == Out || port.Scalar == "") {
		v.report(path+".default", "only a scalar parameter has a default")
	}
	if port.Text != "" {
		if _, err := strconv.Unquote(string(port.Text)); err != nil || port.Text[0] != '"' {
			v.report(path+".text", "%s is no string in double quotes", port.Text)
		}
		if port.Direction == Out || port.Kind != Text {
			v.report(path+".text", "only a parameter of kind text has a text")
		}
	}
	v.optional(path+".depth", port.Depth, anywhere)
	if !port.Depth.IsZero() && port.Direction == In {
		v.report(path+".depth", "only a result has a depth")
	}
	if port.Scalar != "" {
		if s := lookup(v, path+".scalar", "scalar", port.Scalar, v.scalars); s != nil && s.Kind != port.Kind.Stored() {
			v.report(path, "the port is %s and its scalar %q is %s", port.Kind, s.Name, s.Kind)
		}
		return
	}
	domain := lookup(v, path+".domain", "domain", port.Domain, v.domains)
	b := lookup(v, path+".buffer", "buffer", port.Buffer, v.buffers)
	if b == nil || domain == nil {
		return
	}
	if b.Kind != port.Kind.Stored() {
		v.report(path, "the port is %s and its buffer %q is %s", port.Kind, b.Name, b.Kind)
	}
	if port.Direction == In && b.Role != Input {
		v.report(path+".buffer", "a parameter is held in an input buffer; %q is %s", b.Name, b.Role)
	}
	if port.Direction == Out && b.Role != Output && b.Role != Input {
		v.report(path+".buffer", "a result is held in an output or input buffer; %q is %s", b.Name, b.Role)
	}
	if port.Direction == Out && !v.lengths[domain.Name] {
		v.report(path+".domain", "the length of %q is on the device only: read it into a scalar and give the domain a len", domain.Name)
	}
	if port.Direction == In && !domain.Len.IsZero() {
		v.report(path+".domain", "a parameter is over a domain without a len; %q has one", domain.Name)
	}
}

func (v *validator) domain(i int) {
	d, path := &v.p.Domains[i], fmt.Sprintf("domains[%d]", i)
	before := where{domains: i}
	v.optional(path+".len", d.Len, before)
	v.optional(path+".bound", d.Bound, before)
	if d.Counter != nil {
		b := lookup(v, path+".counter", "buffer", d.Counter.Buffer, v.buffers)
		if b != nil && !b.Kind.IsInteger() {
			v.report(path+".counter", "the buffer %q is %s; a length is an integer", b.Name, b.Kind)
		}
		if d.Counter.Index < 0 {
			v.report(path+".counter.index", "%d is negative", d.Counter.Index)
		}
	}
	over := func(port Port) bool { return port.Direction == In && port.Domain == d.Name }
	input := slices.ContainsFunc(v.p.Ports, over)
	v.lengths[d.Name] = input || !d.Len.IsZero()
	if !v.lengths[d.Name] && d.Counter == nil {
		v.report(path, "the domain %q has neither a len nor a counter nor an input column", d.Name)
	}
}

func (v *validator) kernel(path string, k *Kernel) {
	if len(k.Variants) == 0 {
		v.report(path+".variants", "a kernel needs at least one")
	}
	for i := range k.Variants {
		variant, path := &k.Variants[i], fmt.Sprintf("%s.variants[%d]", path, i)
		if variant.Entry == "" {
			v.report(path+".entry", "a variant names its function")
		}
		s := variant.Schedule
		if sizes := []int{s.Workgroup, s.Items, s.Chunk, s.Ring, s.Lookahead, s.Occupancy}; slices.Min(sizes) < 0 || slices.Max(sizes) > 1<<20 {
			v.report(path+".schedule", "workgroup, items, chunk, ring, lookahead and occupancy lie between 0 and %d", 1<<20)
		}
		if now := FormerSchemes[s.Scheme]; now != "" {
			v.report(path+".schedule", "scheme %s is called %s now", s.Scheme, now)
		}
		v.optional(path+".grid", variant.Grid, launched)
		if variant.GridLimit < 0 {
			v.report(path+".gridLimit", "%d is negative", variant.GridLimit)
		}
		if variant.OwnBytes < 0 {
			v.report(path+".ownBytes", "%d is negative", variant.OwnBytes)
		}
		v.optional(path+".localBytes", variant.LocalBytes, building)
		index(v, path+".spec", variant.Spec, func(s *Spec) string { return s.Name })
		for j, spec := range variant.Spec {
			v.expr(fmt.Sprintf("%s.spec[%d].value", path, j), spec.Value, building)
		}
		index(v, path+".args", variant.Args, func(a *Arg) string { return a.Name })
		for j := range variant.Args {
			v.arg(fmt.Sprintf("%s.args[%d]", path, j), &variant.Args[j])
		}
		v.forward(path+".forward", variant)
	}
}

func (v *validator) forward(path string, variant *Variant) {
	switch variant.Forward {
	case ForwardNone:
	case ForwardTicket, ForwardStatic, ForwardResident:
		writesAbort := func(a Arg) bool { return v.buffers[a.Buffer] != nil && v.buffers[a.Buffer].Role == Abort }
		if !slices.ContainsFunc(variant.Args, writesAbort) {
			v.report(path, "work-groups that wait for each other must be able to give up: an abort buffer is missing among the arguments")
		}
	default:
		v.report(path, "there is no forward progress %q; there are %q, %q and %q", variant.Forward, ForwardTicket, ForwardStatic, ForwardResident)
	}
}

func (v *validator) arg(path string, a *Arg) {
	given := 0
	for _, is := range []bool{a.Buffer != "", a.Scalar != "", !a.Value.IsZero()} {
		if is {
			given++
		}
	}
	if given != 1 {
		v.report(path, "an argument is a buffer, a scalar or a value")
		return
	}
	if a.Buffer == "" && a.Access != Reads {
		v.report(path+".access", "only a buffer has an access")
	}
	switch {
	case a.Scalar != "":
		lookup(v, path+".scalar", "scalar", a.Scalar, v.scalars)
	case a.Buffer == "":
		v.expr(path+".value", a.Value, launched)
	default:
		if a.Access != Reads && a.Access != Writes && a.Access != ReadsWrites {
			v.report(path+".access", "there is no access %q; there are %q and %q, and none for reading", a.Access, Writes, ReadsWrites)
		}
		if b := lookup(v, path+".buffer", "buffer", a.Buffer, v.buffers); b != nil && b.Role == Input && a.Access != Reads {
			v.report(path+".access", "the input %q is never written", b.Name)
		}
	}
}

func (v *validator) site(i int) {
	s, path := &v.p.Sites[i], fmt.Sprintf("sites[%d]", i)
	if s.Number != i {
		v.report(path+".number", "%d; a site's number is its position", s.Number)
	}
	if s.Position == "" || s.Kind == "" || s.Message == "" {
		v.report(path, "a site has a position, a kind and a message")
	}
	if s.Domain != "" {
		lookup(v, path+".domain", "domain", s.Domain, v.domains)
	}
	if !s.When.IsZero() {
		v.expr(path+".when", s.When, deciding)
		if s.Domain != "" {
			v.report(path+".when", "a check of host scalars has no rows; leave out the domain")
		}
	} else if v.errors == nil {
		v.report(path, "a site needs an errors buffer, or a when")
	}
}
