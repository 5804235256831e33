// Command partials compares emitted partials with the functions of the whole:
// random rows of the corpus, in random shards, combined in a random order.
package main

import (
	"bytes"
	"encoding"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
)

// pipeline is an emitted function with its partials and the corpus's arguments.
type pipeline struct {
	name       string
	whole      any // func(arguments..., options ...Option) (result, error)
	newPartial any // func(scalars...) *Partial
	params     []param
}

// param is a column over a domain, or a scalar.
type param struct {
	domain string
	value  any
}

func main() {
	trials := 0
	for i, p := range pipelines {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		for range 150 {
			trials++
			if err := p.compare(r); err != nil {
				fmt.Printf("%s: %v\n", p.name, err)
				os.Exit(1)
			}
		}
	}
	fmt.Printf("%d pipelines, %d trials\n", len(pipelines), trials)
}

// compare makes one trial.
func (p pipeline) compare(r *rand.Rand) error {
	columns := p.pick(r)
	shards := 1 + r.IntN(6)
	if p.noRows(columns) {
		shards = r.IntN(2)
	}
	cuts := p.cut(r, columns, shards)
	want, wantErr := call(p.whole, p.arguments(columns, nil, nil))
	var parts []reflect.Value
	for s := range shards {
		part := p.new()
		if s > 0 && r.IntN(3) == 0 { // goes on where the one before has ended
			part, parts = parts[len(parts)-1], parts[:len(parts)-1]
		}
		if err := method(part, "Add", p.columns(columns, cuts[s], cuts[s+1])...); err != nil {
			return err
		}
		parts = append(parts, part)
	}
	if shards == 0 || r.IntN(4) == 0 {
		parts = slices.Insert(parts, r.IntN(len(parts)+1), p.new())
	}
	for i, part := range parts {
		if r.IntN(2) == 0 {
			parts[i] = reflect.New(part.Type().Elem())
			if err := parts[i].Interface().(encoding.BinaryUnmarshaler).UnmarshalBinary(encode(part)); err != nil {
				return err
			}
		}
	}
	for len(parts) > 1 {
		i := r.IntN(len(parts) - 1)
		later := encode(parts[i+1])
		if err := method(parts[i], "Merge", parts[i+1]); err != nil {
			return err
		}
		if !bytes.Equal(later, encode(parts[i+1])) {
			return fmt.Errorf("Merge has changed its argument")
		}
		parts = slices.Delete(parts, i+1, i+2)
	}
	before := encode(parts[0])
	got, gotErr := call(parts[0].MethodByName("Result").Interface(), nil)
	if !bytes.Equal(before, encode(parts[0])) {
		return fmt.Errorf("Result has changed the partial")
	}
	if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) || reflect.TypeOf(gotErr) != reflect.TypeOf(wantErr) {
		return fmt.Errorf("%d shards cut at %v: error %v, the whole has %v", shards, cuts, gotErr, wantErr)
	}
	if wantErr == nil {
		for f := range want.NumField() {
			if err := equal(got.Field(f), want.Field(f)); err != nil {
				return fmt.Errorf("%d shards cut at %v: %s: %v", shards, cuts, want.Type().Field(f).Name, err)
			}
		}
	}
	return nil
}

// pick returns the arguments with random rows: mostly the one after the last,
// or the same, so that there are runs.
func (p pipeline) pick(r *rand.Rand) []reflect.Value {
	rows := map[string][]int{}
	var columns []reflect.Value
	for _, param := range p.params {
		v := reflect.ValueOf(param.value)
		if param.domain == "" {
			columns = append(columns, v)
			continue
		}
		picked, known := rows[param.domain]
		if !known {
			n := r.IntN(1 << r.IntN(8))
			row := 0
			for range n {
				switch row++; r.IntN(6) {
				case 0:
					row = r.IntN(v.Len() + 1)
				case 1, 2, 3:
					row--
				}
				if v.Len() > 0 {
					row %= v.Len()
					picked = append(picked, row)
				}
			}
			rows[param.domain] = picked
		}
		column := reflect.MakeSlice(v.Type(), len(picked), len(picked))
		for i, row := range picked {
			column.Index(i).Set(v.Index(row))
		}
		columns = append(columns, column)
	}
	return columns
}

func (p pipeline) noRows(columns []reflect.Value) bool {
	for i, v := range columns {
		if p.params[i].domain != "" && v.Len() > 0 {
			return false
		}
	}
	return true
}

// cut returns, for each boundary of shards and each domain, the row.
func (p pipeline) cut(r *rand.Rand, columns []reflect.Value, shards int) []map[string]int {
	cuts := make([]map[string]int, shards+1)
	for i := range cuts {
		cuts[i] = map[string]int{}
	}
	for i, param := range p.params {
		if _, known := cuts[0][param.domain]; known || param.domain == "" {
			continue
		}
		n := columns[i].Len()
		at := []int{0, n}
		for range shards - 1 {
			at = append(at, r.IntN(n+1))
		}
		slices.Sort(at)
		for s := range cuts {
			cuts[s][param.domain] = at[s]
		}
	}
	return cuts
}

// arguments are all parameters, with the columns from from to to, or whole.
func (p pipeline) arguments(columns []reflect.Value, from, to map[string]int) (arguments []reflect.Value) {
	for i, param := range p.params {
		v := columns[i]
		if param.domain != "" && to != nil {
			v = v.Slice(from[param.domain], to[param.domain])
		}
		arguments = append(arguments, v)
	}
	return arguments
}

// columns are the arguments of Add.
func (p pipeline) columns(all []reflect.Value, from, to map[string]int) (columns []reflect.Value) {
	for i, v := range p.arguments(all, from, to) {
		if p.params[i].domain != "" {
			columns = append(columns, v)
		}
	}
	return columns
}

// new returns the partial of no rows.
func (p pipeline) new() reflect.Value {
	var scalars []reflect.Value
	for _, param := range p.params {
		if param.domain == "" {
			scalars = append(scalars, reflect.ValueOf(param.value))
		}
	}
	return reflect.ValueOf(p.newPartial).Call(scalars)[0]
}

// call calls a function that returns a struct and an error.
func call(f any, arguments []reflect.Value) (reflect.Value, error) {
	out := reflect.ValueOf(f).Call(arguments)
	err, _ := out[1].Interface().(error)
	return out[0], err
}

// method calls a method that returns an error.
func method(v reflect.Value, name string, arguments ...reflect.Value) error {
	err, _ := v.MethodByName(name).Call(arguments)[0].Interface().(error)
	return err
}

func encode(part reflect.Value) []byte {
	data, err := part.Interface().(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		panic(err)
	}
	return data
}

// equal compares results: floats up to a rounding of their sums.
func equal(got, want reflect.Value) error {
	if want.Kind() == reflect.Slice {
		if got.Len() != want.Len() {
			return fmt.Errorf("%d rows %v, the whole has %d: %v", got.Len(), got, want.Len(), want)
		}
		for i := range want.Len() {
			if err := equal(got.Index(i), want.Index(i)); err != nil {
				return fmt.Errorf("row %d: %w", i, err)
			}
		}
		return nil
	}
	if want.CanFloat() {
		g, w := got.Float(), want.Float()
		if math.IsNaN(g) && math.IsNaN(w) || g == w && math.Signbit(g) == math.Signbit(w) || w != 0 && math.Abs(g-w) <= 1e-12*math.Abs(w) {
			return nil
		}
	} else if got.Equal(want) {
		return nil
	}
	return fmt.Errorf("%v, the whole has %v", got, want)
}
