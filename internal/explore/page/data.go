package page

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"slices"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/explore"
)

// What page.js reads. Names are short words, since there are many results.
type (
	pageData struct {
		Pipelines []pipelineData       `json:"pipelines"`
		Devices   []explore.DeviceInfo `json:"devices"`
		Results   []explore.Result     `json:"results"`
		Plans     []planData           `json:"plans"`
		Texts     []string             `json:"texts"` // pieces of emitted text, each once; none if they are more than mostText

		Experiments []experimentData `json:"experiments"`
		Paths       []pathData       `json:"paths,omitempty"`
	}
	// pathData is how a search went, from settings to settings.
	pathData struct {
		Pipeline string         `json:"pipeline"`
		Data     string         `json:"data"`
		Rows     int64          `json:"rows"`
		Device   string         `json:"device"`
		Search   string         `json:"search"`
		Moves    []explore.Move `json:"moves"`
	}
	// experimentData is an experiment; results are their places in Results, -1 for none.
	experimentData struct {
		Title   string      `json:"title"`
		Results []int       `json:"results"`
		Ways    []string    `json:"ways"`
		Rows    []figureRow `json:"rows"`
	}
	figureRow struct {
		Name  string `json:"name"`
		Cells []int  `json:"cells"` // for each of the ways
	}
	pipelineData struct {
		Argument string    `json:"argument"`
		Name     string    `json:"name"`
		File     string    `json:"file"`
		Segments []segment `json:"segments"`
	}
	planData struct {
		Pipeline  string                `json:"pipeline"`
		Device    string                `json:"device"`
		Level     string                `json:"level"`
		Schedule  string                `json:"schedule"`
		Data      string                `json:"data"`
		Rows      int64                 `json:"rows"`
		Refused   string                `json:"refused,omitempty"`
		Plan      string                `json:"plan,omitempty"`
		Machine   string                `json:"machine,omitempty"`
		Searched  string                `json:"searched,omitempty"`
		Kernels   []kernelData          `json:"kernels"`
		Stages    []stageData           `json:"stages"`
		Values    []fuse.ExplainedValue `json:"values"`
		Pairs     []fuse.Pair           `json:"pairs"`
		Dropped   []fuse.DroppedKernel  `json:"dropped,omitempty"`
		Ways      []fuse.ExplainedWay   `json:"ways,omitempty"`
		Bytes     int64                 `json:"bytes"`
		Predicted float64               `json:"predicted"`
		Lengths   []fuse.AssumedLength  `json:"lengths"`
		Helpers   []int                 `json:"helpers,omitempty"` // the rest of the emitted text
	}
	kernelData struct {
		fuse.ExplainedKernel
		Texts []int `json:"texts"` // of its functions
	}
	stageData struct {
		Name       string           `json:"name"`
		Kernel     string           `json:"kernel"`
		Domain     string           `json:"domain"`
		Makes      string           `json:"makes,omitempty"`
		Statements []fuse.Statement `json:"statements"`
		Segments   []int            `json:"segments"` // that contain the statements
	}
)

// mostText is how many bytes of emitted text a page has; kgen emit prints more.
const mostText = 8 << 20

// data collects what the page shows.
func (p *Page) data() *pageData {
	d := &pageData{Devices: p.Report.Devices, Pipelines: []pipelineData{}, Plans: []planData{}, Results: []explore.Result{}, Texts: []string{}}
	if d.Devices == nil {
		d.Devices = []explore.DeviceInfo{}
	}
	for _, r := range p.Report.Results {
		r.Samples = nil // the log has them
		r.Kernels = slices.Clone(r.Kernels)
		for i := range r.Kernels {
			r.Kernels[i].Samples = nil
		}
		d.Results = append(d.Results, r)
	}
	d.Experiments = experiments(p.Report)
	for _, path := range p.Paths {
		d.Paths = append(d.Paths, pathData{path.Pipeline, path.Data, path.Rows, path.Device, path.Search, path.Moves})
	}
	segments := map[string][]segment{}
	for _, one := range p.Pipelines {
		segments[one.Argument] = split(one.Source)
		d.Pipelines = append(d.Pipelines, pipelineData{one.Argument, one.Name, one.File, segments[one.Argument]})
	}
	known := map[string]int{}
	intern := func(text string) int {
		if at, ok := known[text]; ok {
			return at
		}
		known[text] = len(d.Texts)
		d.Texts = append(d.Texts, text)
		return known[text]
	}
	for _, plan := range p.Plans {
		d.Plans = append(d.Plans, planOf(plan, segments[plan.Pipeline], intern))
	}
	size := 0
	for _, text := range d.Texts {
		size += len(text)
	}
	if size > mostText {
		d.Texts = nil
	}
	return d
}

// experiments returns the experiments of a report, of which there is at least one.
func experiments(r *explore.Report) []experimentData {
	place := map[*explore.Result]int{nil: -1}
	for i := range r.Results {
		place[&r.Results[i]] = i
	}
	list := []experimentData{}
	for _, g := range r.Header.Grids {
		results := r.Of(g)
		figure := explore.FigureOf(results)
		e := experimentData{Title: g.Title, Results: places(place, results), Ways: figure.Ways, Rows: []figureRow{}}
		for _, row := range figure.Rows {
			e.Rows = append(e.Rows, figureRow{row.Name, places(place, row.Cells)})
		}
		list = append(list, e)
	}
	return list
}

func places(place map[*explore.Result]int, results []*explore.Result) []int {
	list := []int{}
	for _, x := range results {
		list = append(list, place[x])
	}
	return list
}

// pack returns the data as JSON by gzip, which makes it small: levels are much alike.
func (d *pageData) pack() ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(w).Encode(d); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// planOf returns what the page shows of a plan.
func planOf(p Plan, segments []segment, intern func(string) int) planData {
	d := planData{Pipeline: p.Pipeline, Device: p.Device, Level: p.Level, Schedule: p.Schedule, Data: p.Data, Rows: p.Rows, Refused: p.Refused,
		Kernels: []kernelData{}, Stages: []stageData{}, Values: []fuse.ExplainedValue{}, Pairs: []fuse.Pair{}, Lengths: []fuse.AssumedLength{}}
	e := p.Explanation
	if e == nil {
		return d
	}
	d.Plan, d.Machine, d.Searched, d.Values, d.Pairs, d.Dropped = e.Plan, e.Machine, e.Searched, e.Values, e.Pairs, e.Dropped
	d.Ways = e.Ways
	d.Bytes, d.Predicted, d.Lengths = e.Total.Bytes, e.Total.Predicted, e.Assumed
	var names []string
	for _, k := range e.Kernels {
		d.Kernels = append(d.Kernels, kernelData{ExplainedKernel: k, Texts: []int{}})
		names = append(names, k.Name)
	}
	for _, text := range p.Texts {
		for _, piece := range pieces(text.Text, names) {
			at := intern(piece.text)
			if piece.kernel < 0 {
				d.Helpers = append(d.Helpers, at)
			} else {
				k := &d.Kernels[piece.kernel]
				k.Texts = append(k.Texts, at)
			}
		}
	}
	for _, s := range e.Stages {
		stage := stageData{Name: s.Name, Kernel: s.Kernel, Domain: s.Domain, Makes: s.Makes, Statements: s.Statements, Segments: []int{}}
		for _, statement := range s.Statements {
			if at := find(segments, statement.Line, statement.Column); at >= 0 && !slices.Contains(stage.Segments, at) {
				stage.Segments = append(stage.Segments, at)
			}
		}
		d.Stages = append(d.Stages, stage)
	}
	return d
}
