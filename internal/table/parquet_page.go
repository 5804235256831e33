package table

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"unsafe"

	"github.com/dsnet/compress/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

const (
	// maxPageBytes limits the size of a page, compressed or not.
	maxPageBytes = 1 << 28
	// maxPageHeader limits the header of a page, which holds statistics.
	maxPageHeader = 1 << 24
	// readAhead is how many bytes of a column chunk are read at once.
	readAhead = 1 << 20
	// paddingBytes follow encoded data, since decoders load whole vectors.
	paddingBytes = 64
)

// pageBuffers is the memory and the decompressors of one goroutine.
type pageBuffers struct {
	input        []byte // of the column chunk
	uncompressed []byte
	values       []uint64 // stored values on their way to elements
	dictionary   []uint64
	present      []byte // of the rows of a page: whether there is a value

	gzip   *gzip.Reader
	brotli *brotli.Reader
	zstd   *zstd.Decoder
}

func (b *pageBuffers) close() {
	if b.zstd != nil {
		b.zstd.Close()
	}
}

// sized returns *buffer with n bytes, followed by padding. Its contents are lost.
func sized(buffer *[]byte, n int) []byte {
	if cap(*buffer) < n+paddingBytes {
		*buffer = make([]byte, n+paddingBytes)
	}
	return (*buffer)[:n]
}

// alignedSized is sized for elements of up to 8 bytes.
func alignedSized(buffer *[]uint64, n int) []byte {
	if words := (n + paddingBytes + 7) / 8; cap(*buffer) < words {
		*buffer = make([]uint64, words)
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(*buffer))), cap(*buffer)*8)[:n]
}

// pageReader reads the pages of a column chunk.
type pageReader struct {
	in      *Input
	chunk   chunk
	buffers *pageBuffers
	at      int64  // the position in the chunk
	ahead   []byte // the bytes from at on that have been read, in buffers.input
}

// peek returns the next n bytes, or what is left of the chunk.
func (r *pageReader) peek(n int) ([]byte, error) {
	left := r.chunk.size - r.at
	n = int(min(int64(n), left))
	if n > len(r.ahead) {
		more := int(min(int64(max(n, readAhead)), left))
		input := r.buffers.input
		if cap(input) < more+paddingBytes {
			input = make([]byte, more+paddingBytes)
		}
		input = input[:more]
		held := copy(input, r.ahead)
		if _, err := r.in.ReadAt(input[held:], r.chunk.start+r.at+int64(held)); err != nil {
			if err == io.EOF {
				err = damaged("it ends within a column")
			}
			return nil, err
		}
		r.buffers.input, r.ahead = input, input
	}
	return r.ahead[:n], nil
}

// skip advances past n bytes, which peek has returned.
func (r *pageReader) skip(n int) {
	r.at += int64(n)
	r.ahead = r.ahead[n:]
}

// next returns the header and the body of the next page. The body is valid until
// the next call.
func (r *pageReader) next() (header format.PageHeader, body []byte, err error) {
	length := 0
	for window := 1 << 10; length == 0; window *= 8 {
		data, err := r.peek(window)
		if err != nil {
			return header, nil, err
		}
		length, err = thriftLength(data)
		switch {
		case err == nil:
			err = decodeThrift(data[:length], &header)
		case errors.Is(err, errThriftShort) && len(data) == window && window < maxPageHeader:
			length = 0
			continue
		}
		if err != nil {
			return header, nil, damaged("the header of a page: %v", err)
		}
	}
	r.skip(length)
	size, uncompressed := int64(header.CompressedPageSize), int64(header.UncompressedPageSize)
	switch {
	case size < 0 || uncompressed < 0:
		return header, nil, damaged("a page of %d bytes, %d uncompressed", size, uncompressed)
	case size > r.chunk.size-r.at:
		return header, nil, damaged("a page of %d bytes, where %d are left of its column", size, r.chunk.size-r.at)
	case size > maxPageBytes || uncompressed > maxPageBytes:
		return header, nil, &DataError{Msg: fmt.Sprintf("a page has %d bytes, %d uncompressed; pages of up to %d are read; write the file with smaller pages", size, uncompressed, maxPageBytes)}
	}
	if body, err = r.peek(int(size)); err != nil {
		return header, nil, err
	}
	r.skip(int(size))
	if header.CRC != 0 && uint32(header.CRC) != crc32.ChecksumIEEE(body) {
		return header, nil, damaged("the checksum of a page is wrong")
	}
	return header, body, nil
}

// rowsPerByte is the number of rows per byte from which on a file is checked for
// the rows that it claims, before memory is allocated for them.
const rowsPerByte = 64

// countValues compares the rows that a file claims with the values that the
// headers of its pages claim, if the file claims very many rows for its size.
func (f *parquetFile) countValues(in *Input, readers []columnReader) error {
	if f.rows/rowsPerByte < in.Size {
		return nil
	}
	buffers := &pageBuffers{}
	for g := range f.meta.RowGroups {
		for i := range readers {
			chunk, err := f.chunk(g, readers[i].leaf)
			if err != nil {
				return err
			}
			rows := int64(0)
			for r := (pageReader{in: in, chunk: chunk, buffers: buffers}); r.at < chunk.size; {
				header, _, err := r.next()
				if err != nil {
					return err
				}
				rows += int64(header.DataPageHeader.V.NumValues) + int64(header.DataPageHeaderV2.V.NumValues)
			}
			if claim := f.meta.RowGroups[g].NumRows; rows < claim {
				return &DataError{Column: readers[i].field.Column, Row: rows, Msg: damaged("the column claims %d values and has %d", claim, rows).Msg}
			}
		}
	}
	return nil
}

// mostRatio bounds the ratio of each codec. A page that claims a greater one is
// damaged, and no memory is allocated for it. Other codecs have no bound.
var mostRatio = map[format.CompressionCodec]int{
	format.Snappy: 32,
	format.Gzip:   1032,
	format.Lz4Raw: 255,
}

// decompress returns the size bytes of data, followed by padding. It calls the
// libraries under the codecs of parquet-go, because those codecs allocate as
// much memory as the data claims.
func (b *pageBuffers) decompress(codec format.CompressionCodec, data []byte, size int) ([]byte, error) {
	if codec == format.Uncompressed {
		return data, nil
	}
	if ratio := mostRatio[codec]; ratio > 0 && size > (len(data)+1)*ratio {
		return nil, damaged("a page of %d bytes claims to hold %d", len(data), size)
	}
	out := sized(&b.uncompressed, size)
	got := 0
	var err error
	switch codec {
	case format.Snappy:
		if got, err = snappy.DecodedLen(data); err == nil && got == size {
			_, err = snappy.Decode(out, data)
		}
	case format.Gzip:
		if b.gzip == nil {
			b.gzip = new(gzip.Reader)
		}
		if err = b.gzip.Reset(bytes.NewReader(data)); err == nil {
			got, err = readAll(b.gzip, out)
		}
	case format.Brotli:
		if b.brotli == nil {
			b.brotli = new(brotli.Reader)
		}
		if err = b.brotli.Reset(bytes.NewReader(data)); err == nil {
			got, err = readAll(b.brotli, out)
		}
	case format.Zstd:
		if b.zstd == nil {
			b.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(maxPageBytes))
			if err != nil {
				return nil, err
			}
		}
		var decoded []byte
		decoded, err = b.zstd.DecodeAll(data, out[:0:size])
		got = len(decoded)
	case format.Lz4Raw:
		got, err = lz4.UncompressBlock(data, out)
	default:
		return nil, &DataError{Msg: fmt.Sprintf("the compression %v is not supported; SNAPPY, GZIP, BROTLI, ZSTD and LZ4_RAW are", codec)}
	}
	if err != nil {
		return nil, damaged("a page does not decompress (%v): %v", codec, err)
	}
	if got != size {
		return nil, damaged("a page decompresses to %d bytes and claims %d", got, size)
	}
	return out, nil
}

// readAll reads r into out and returns the number of bytes, or len(out) + 1 if r
// has more.
func readAll(r io.Reader, out []byte) (int, error) {
	n, err := io.ReadFull(r, out)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return n, nil
	}
	if err != nil {
		return n, err
	}
	var more [1]byte
	m, err := io.ReadFull(r, more[:])
	if err == io.EOF {
		err = nil
	}
	return n + m, err
}
