package table

import (
	"encoding/binary"
	"errors"
)

// thriftLength returns how many bytes the structure at the start of data has,
// in the compact protocol of
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md.
// The decoder of parquet-go trusts a file: it allocates a list before it has
// seen the elements, and recurses as deep as structures are nested. What
// thriftLength accepts takes little memory and a shallow stack.
func thriftLength(data []byte) (int, error) {
	s := thriftScan{data: data}
	err := s.structure()
	return s.at, err
}

var (
	errThriftShort = errors.New("it ends within a structure")
	errThriftDeep  = errors.New("its structures are nested too deeply")
	errThriftType  = errors.New("it has a value of an unknown type")
	errThriftEmpty = errors.New("it has a list of empty structures")
)

// The types of the compact protocol.
const (
	thriftStop = iota
	thriftTrue
	thriftFalse
	thriftByte
	thriftI16
	thriftI32
	thriftI64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
)

// maxThriftDepth is far above what Parquet nests.
const maxThriftDepth = 32

type thriftScan struct {
	data  []byte
	at    int
	depth int
}

func (s *thriftScan) structure() error {
	if s.depth++; s.depth > maxThriftDepth {
		return errThriftDeep
	}
	defer func() { s.depth-- }()
	for {
		header, err := s.byte()
		if err != nil {
			return err
		}
		kind := header & 0xF
		if kind == thriftStop {
			return nil
		}
		if header>>4 == 0 { // the number of the field follows
			if _, err := s.varint(); err != nil {
				return err
			}
		}
		if kind == thriftTrue || kind == thriftFalse { // the kind is the value
			continue
		}
		if err := s.value(kind); err != nil {
			return err
		}
	}
}

func (s *thriftScan) value(kind byte) error {
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		return s.skip(1)
	case thriftI16, thriftI32, thriftI64:
		_, err := s.varint()
		return err
	case thriftDouble:
		return s.skip(8)
	case thriftBinary:
		n, err := s.varint()
		if err != nil {
			return err
		}
		return s.skip(n)
	case thriftList, thriftSet:
		return s.list()
	case thriftMap:
		return s.pairs()
	case thriftStruct:
		return s.structure()
	}
	return errThriftType
}

func (s *thriftScan) list() error {
	header, err := s.byte()
	if err != nil {
		return err
	}
	n, kind := uint64(header>>4), header&0xF
	if n == 15 {
		if n, err = s.varint(); err != nil {
			return err
		}
	}
	if s.depth++; s.depth > maxThriftDepth {
		return errThriftDeep
	}
	defer func() { s.depth-- }()
	for range n {
		start := s.at
		if err := s.value(kind); err != nil {
			return err
		}
		if s.at-start == 1 && kind == thriftStruct {
			return errThriftEmpty
		}
	}
	return nil
}

func (s *thriftScan) pairs() error {
	n, err := s.varint()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := s.byte()
	if err != nil {
		return err
	}
	if s.depth++; s.depth > maxThriftDepth {
		return errThriftDeep
	}
	defer func() { s.depth-- }()
	for range n {
		if err := s.value(kinds >> 4); err != nil {
			return err
		}
		if err := s.value(kinds & 0xF); err != nil {
			return err
		}
	}
	return nil
}

func (s *thriftScan) byte() (byte, error) {
	if s.at >= len(s.data) {
		return 0, errThriftShort
	}
	s.at++
	return s.data[s.at-1], nil
}

func (s *thriftScan) varint() (uint64, error) {
	v, n := binary.Uvarint(s.data[s.at:])
	if n <= 0 {
		return 0, errThriftShort
	}
	s.at += n
	return v, nil
}

func (s *thriftScan) skip(n uint64) error {
	if n > uint64(len(s.data)-s.at) {
		return errThriftShort
	}
	s.at += int(n)
	return nil
}
