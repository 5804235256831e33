package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/dustin/go-humanize"

	"github.com/kgen-go/kgen/generated/partials"
)

func init() {
	register.Function1x2(countFile)
	register.Function1x0(deliverWords)
	register.Combiner1[[]byte](&addWords{})
}

// countFile returns the partial of the words of a file. Words are letters, in lower case, of
// which the first 16 bytes count.
func countFile(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var head, tail [][8]byte
	for word := range bytes.FieldsFuncSeq(bytes.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		var h, t [8]byte
		copy(t[:], word[copy(h[:], word):])
		head, tail = append(head, h), append(tail, t)
	}
	p := partials.NewWordsPartial()
	if err := p.Add(head, tail, partials.WithWorkers(1)); err != nil {
		return nil, err
	}
	return p.MarshalBinary()
}

// addWords combines partials in whatever order Beam hands them over: groups of equal keys
// and their counts are the same in any order.
type addWords struct{}

func (*addWords) MergeAccumulators(a, b []byte) ([]byte, error) {
	var whole, later partials.WordsPartial
	for _, p := range []struct {
		partial *partials.WordsPartial
		data    []byte
	}{{&whole, a}, {&later, b}} {
		if len(p.data) == 0 { // Beam's own empty accumulator
			continue
		}
		if err := p.partial.UnmarshalBinary(p.data); err != nil {
			return nil, err
		}
	}
	if err := whole.Merge(&later); err != nil {
		return nil, err
	}
	return whole.MarshalBinary()
}

// deliveredWords is what the pipeline has made.
var deliveredWords atomic.Pointer[[]byte]

func deliverWords(whole []byte) { deliveredWords.Store(&whole) }

// countWords counts the words of files on Beam, a shard for each file.
func countWords(ctx context.Context, files []string) (result partials.WordsResult, err error) {
	if !beam.Initialized() {
		beam.Init()
	}
	deliveredWords.Store(nil)
	p, scope := beam.NewPipelineWithRoot()
	counted := beam.ParDo(scope, countFile, beam.CreateList(scope, files))
	beam.ParDo0(scope, deliverWords, beam.Combine(scope, &addWords{}, counted))
	if _, err := prism.Execute(ctx, p); err != nil {
		return result, err
	}
	data := deliveredWords.Load()
	if data == nil {
		return result, fmt.Errorf("the pipeline has delivered no partial of %d files", len(files))
	}
	var whole partials.WordsPartial
	if err := whole.UnmarshalBinary(*data); err != nil {
		return result, err
	}
	return whole.Result()
}

// words prints the most frequent words of files.
func words(ctx context.Context, files []string) error {
	start := time.Now()
	result, err := countWords(ctx, files)
	if err != nil {
		return err
	}
	var total int64
	byCount := make([]int, len(result.Count))
	for i, count := range result.Count {
		total += count
		byCount[i] = i
	}
	slices.SortStableFunc(byCount, func(a, b int) int { return int(result.Count[b] - result.Count[a]) })
	for _, i := range byCount[:min(10, len(byCount))] {
		fmt.Printf("%-16s %d\n", word(result.Head[i], result.Tail[i]), result.Count[i])
	}
	fmt.Printf("%s words of %d files, %s different, in %v\n", humanize.Comma(total), len(files),
		humanize.Comma(int64(len(result.Count))), time.Since(start).Round(time.Millisecond))
	return nil
}

// word returns the text of a word.
func word(head, tail [8]byte) string {
	return strings.TrimRight(string(head[:])+string(tail[:]), "\x00")
}
