package ir

type facts struct{}

func analyze(p *Pipeline) *facts { return &facts{} }

func (f *facts) warnings(p *Pipeline) []Error { return nil }
