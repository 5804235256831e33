package difftest

import (
	"fmt"
	"strconv"
	"strings"
)

// Input is the input of a run whose length is given instead of random.
type Input struct {
	Own   bool // the data of the program, if it has some
	Tiles int  // of rows, ...
	Rows  int  // and rows more
}

// String returns an input in the form that ParseInputs reads.
func (in Input) String() string {
	switch {
	case in.Own:
		return "own"
	case in.Tiles == 0:
		return strconv.Itoa(in.Rows)
	}
	return fmt.Sprintf("%dtile%+d", in.Tiles, in.Rows)
}

// ParseInputs reads inputs as in own,0,1,tile+1,3tile-7.
func ParseInputs(text string) ([]Input, error) {
	var list []Input
	for item := range strings.SplitSeq(text, ",") {
		in, ok := parseInput(item)
		if !ok {
			return nil, fmt.Errorf("there is no input %q: an input is a number of rows, as in 0, tile+1 or 3tile-7, or own for the data beside a pipeline", item)
		}
		list = append(list, in)
	}
	return list, nil
}

func parseInput(text string) (in Input, ok bool) {
	if text == "own" {
		return Input{Own: true}, true
	}
	var err error
	rows := text
	if tiles, rest, found := strings.Cut(text, "tile"); found {
		rows, in.Tiles = rest, 1
		if tiles != "" {
			if in.Tiles, err = strconv.Atoi(tiles); err != nil {
				return in, false
			}
		}
		if rows == "" {
			rows = "+0"
		}
		if rows[0] != '+' && rows[0] != '-' {
			return in, false
		}
	}
	in.Rows, err = strconv.Atoi(rows)
	const most = 1 << 20 // what the interpreter can do in reasonable time
	return in, err == nil && in.Tiles >= 0 && in.Tiles <= most && in.Rows <= most && (in.Rows >= 0 || in.Tiles > 0)
}

// rows returns the number of rows, given the rows of a tile.
func (in Input) rows(tile int) int { return max(in.Tiles*tile+in.Rows, 0) }
