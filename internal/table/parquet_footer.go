package table

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kgen-go/kgen/ir"
)

// parquetFile is a file's footer; the parts that locate rows have been checked.
type parquetFile struct {
	meta   format.FileMetaData
	rows   int64
	end    int64 // of the column chunks
	names  []string
	fields []*format.SchemaElement // the columns that names gives; groups too
	leaves []int                   // the position of each in a row group, of groups that of the first column within
}

const (
	parquetMagic     = "PAR1"
	parquetEncrypted = "PARE"
	// maxParquetRows keeps sizes in bytes far from overflow.
	maxParquetRows = 1 << 40
)

// openParquet reads the footer. It does not go through parquet.OpenFile, which
// allocates what a footer's lengths claim.
func openParquet(in *Input) (file *parquetFile, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = damaged("%v", p)
		}
	}()
	if in.Size < 0 {
		return nil, &DataError{Msg: "Parquet begins at its end, so that a stream cannot be read; save it as a file first"}
	}
	const least = 2*len(parquetMagic) + 4
	if in.Size < int64(least) {
		return nil, damaged("it has %d bytes, and even a Parquet file without rows has more", in.Size)
	}
	var head [len(parquetMagic)]byte
	var tail [4 + len(parquetMagic)]byte
	if _, err := in.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	if _, err := in.ReadAt(tail[:], in.Size-int64(len(tail))); err != nil {
		return nil, err
	}
	switch magic := string(tail[4:]); {
	case magic == parquetEncrypted:
		return nil, &DataError{Msg: "the file is encrypted"}
	case magic != parquetMagic && string(head[:]) == parquetMagic:
		return nil, damaged("it begins as a Parquet file and does not end as one; it may be cut off")
	case magic != parquetMagic || string(head[:]) != parquetMagic:
		return nil, &DataError{Msg: "this is no Parquet file: those begin and end with " + parquetMagic}
	}
	length := int64(binary.LittleEndian.Uint32(tail[:4]))
	end := in.Size - int64(len(tail)) - length
	if end < int64(len(head)) {
		return nil, damaged("its footer of %d bytes would be longer than the file", length)
	}
	footer := make([]byte, length)
	if _, err := in.ReadAt(footer, end); err != nil {
		return nil, err
	}
	file = &parquetFile{end: end}
	if err := decodeThrift(footer, &file.meta); err != nil {
		return nil, damaged("its footer: %v", err)
	}
	if err := file.countRows(); err != nil {
		return nil, err
	}
	return file, file.flatten()
}

// decodeThrift decodes a structure after checking that it ends within data,
// because the decoder allocates lists by their claimed lengths.
func decodeThrift(data []byte, structure any) error {
	if _, err := thriftLength(data); err != nil {
		return err
	}
	return thrift.NewDecoder(new(thrift.CompactProtocol).NewReaderFromBytes(bytes.Clone(data))).Decode(structure)
}

func (f *parquetFile) countRows() error {
	for i := range f.meta.RowGroups {
		rows := f.meta.RowGroups[i].NumRows
		if rows < 0 || rows > maxParquetRows || f.rows+rows > maxParquetRows {
			return damaged("row group %d claims %d rows", i, rows)
		}
		f.rows += rows
	}
	if f.rows != f.meta.NumRows {
		return damaged("it claims %d rows, and its row groups have %d", f.meta.NumRows, f.rows)
	}
	return nil
}

// keep leaves out the row groups that are not asked for, and returns the rows before those that
// are.
func (f *parquetFile) keep(groups *groupRange) (before int64, err error) {
	if groups == nil {
		return 0, nil
	}
	if groups.to > len(f.meta.RowGroups) {
		return 0, errChanged
	}
	for i := range f.meta.RowGroups[:groups.from] {
		before += f.meta.RowGroups[i].NumRows
	}
	f.meta.RowGroups, f.rows = f.meta.RowGroups[groups.from:groups.to], 0
	for i := range f.meta.RowGroups {
		f.rows += f.meta.RowGroups[i].NumRows
	}
	return before, nil
}

// flatten finds the columns below the root of the schema.
func (f *parquetFile) flatten() error {
	schema := f.meta.Schema
	if len(schema) == 0 {
		return damaged("it has no schema")
	}
	next, leaf := 1, 0
	for range schema[0].NumChildren.V {
		if next >= len(schema) {
			return damaged("its schema names more columns than it describes")
		}
		f.names = append(f.names, schema[next].Name)
		f.fields = append(f.fields, &schema[next])
		f.leaves = append(f.leaves, leaf)
		for open := 1; open > 0; open-- { // the column and all below it
			if next >= len(schema) {
				return damaged("its schema names more columns than it describes")
			}
			children := schema[next].NumChildren
			switch {
			case children.V < 0:
				return damaged("its schema has a group of %d columns", children.V)
			case children.V > 0:
				open += int(children.V)
			case schema[next].Type.Valid:
				leaf++
			}
			next++
		}
	}
	for i := range f.meta.RowGroups {
		if n := len(f.meta.RowGroups[i].Columns); n != leaf {
			return damaged("row group %d has %d columns, the schema %d", i, n, leaf)
		}
	}
	return nil
}

// readers returns the reader of each field.
func (f *parquetFile) readers(fields []Field) ([]columnReader, error) {
	readers := make([]columnReader, len(fields))
	for i, field := range fields {
		var err error
		if readers[i], err = f.reader(field); err != nil {
			return nil, err
		}
	}
	return readers, nil
}

// reader finds the column of a field and how its values become f.Kind.
func (f *parquetFile) reader(field Field) (columnReader, error) {
	place := -1
	for i, name := range f.names {
		if name != field.Column {
			continue
		}
		if place >= 0 {
			return columnReader{}, &DataError{Msg: fmt.Sprintf("the file names the column %q twice, as number %d and %d", name, place+1, i+1)}
		}
		place = i
	}
	if place < 0 {
		err := missingColumn(field, f.names)
		var data *DataError
		if errors.As(err, &data) {
			data.Line = 0 // that of a CSV file's header
		}
		return columnReader{}, err
	}
	element := f.fields[place]
	r := columnReader{field: field, leaf: f.leaves[place], physical: element.Type.V, length: int(element.TypeLength.V)}
	r.optional = element.RepetitionType.V == format.Optional
	var ok bool
	if r.conversion, ok = conversionTo(field, element); !ok && !field.Present {
		return r, &DataError{Msg: fmt.Sprintf("column %s for parameter %s has the type %s; %s is read from %s",
			quoteName(field.Column), field.Param, typeName(element), field.what(), field.readFrom())}
	}
	return r, nil
}

// chunk is the position of the pages of one column in a row group.
type chunk struct {
	start, size int64
	codec       format.CompressionCodec
}

func (f *parquetFile) chunk(group, leaf int) (chunk, error) {
	row := &f.meta.RowGroups[group]
	column := &row.Columns[leaf]
	meta := &column.MetaData
	where := fmt.Sprintf("column %s of row group %d", quoteName(strings.Join(meta.PathInSchema, ".")), group)
	if column.FilePath != "" {
		return chunk{}, &DataError{Msg: fmt.Sprintf("%s is in another file, %s", where, quote(column.FilePath))}
	}
	if column.CryptoMetadata.Value != nil || len(column.EncryptedColumnMetadata) > 0 {
		return chunk{}, &DataError{Msg: where + " is encrypted"}
	}
	if meta.NumValues != row.NumRows {
		return chunk{}, damaged("%s claims %d values for %d rows", where, meta.NumValues, row.NumRows)
	}
	c := chunk{start: meta.DataPageOffset, size: meta.TotalCompressedSize, codec: meta.Codec}
	if d := meta.DictionaryPageOffset; d > 0 && d < c.start {
		c.start = d
	}
	if c.start < int64(len(parquetMagic)) || c.size < 0 || c.start > f.end || c.size > f.end-c.start {
		return chunk{}, damaged("%s would lie at byte %d to %d; the columns end at byte %d", where, c.start, c.start+c.size, f.end)
	}
	if (c.size == 0) != (row.NumRows == 0) && row.NumRows > 0 {
		return chunk{}, damaged("%s claims %d values in no bytes", where, row.NumRows)
	}
	return c, nil
}

// what names what a field has.
func (f Field) what() string {
	if f.Like != nil {
		return fmt.Sprintf("whether a text is like %q", *f.Like)
	}
	return f.Kind.String()
}

// readFrom describes the columns that hold values of a field.
func (f Field) readFrom() string {
	switch k := f.Kind; {
	case f.Like != nil:
		return "STRING columns, and byte arrays without a type"
	case k == ir.Bool:
		return "BOOLEAN columns and from integers that are 0 or 1"
	case k == ir.Date:
		return "DATE columns, and from TIMESTAMP columns of midnights"
	case k == ir.Timestamp:
		return "TIMESTAMP, INT96 and DATE columns"
	case k == ir.Text:
		return "STRING columns, and byte arrays without a type"
	case k == ir.Char8:
		return "STRING columns, byte arrays without a type, and fixed-length ones of at most 8 bytes"
	case k.IsDecimal():
		return "columns of DECIMAL and of integers; an f64 parameter takes FLOAT and DOUBLE, and decimal(x, 2) rounds it"
	case k.IsFloat():
		return "columns of integers, FLOAT, DOUBLE and DECIMAL"
	}
	return "columns of integers, and of DECIMAL without fractions"
}
