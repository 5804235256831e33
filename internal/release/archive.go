package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"time"
)

// file is a file of an archive.
type file struct {
	name       string
	text       []byte
	executable bool
}

func (f file) mode() fs.FileMode {
	if f.executable {
		return 0o755
	}
	return 0o644
}

// writeFile writes an archive to a file, which it replaces only when the archive
// is complete, and returns its SHA-256 in hexadecimal. In the archive, files are in
// a folder.
func writeFile(name, folder string, files []file, t time.Time, write func(io.Writer, string, []file, time.Time) error) (string, error) {
	f, err := os.Create(name + ".part")
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	err = errors.Join(write(io.MultiWriter(f, sum), folder, files, t), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// writeTar writes a .tar.gz whose bytes depend on nothing but the arguments.
func writeTar(w io.Writer, folder string, files []file, t time.Time) error {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := tar.NewWriter(compressed)
	for _, f := range files {
		header := &tar.Header{Name: path.Join(folder, f.name), Size: int64(len(f.text)), Mode: int64(f.mode()), ModTime: t, Format: tar.FormatUSTAR}
		if err := out.WriteHeader(header); err != nil {
			return err
		}
		if _, err := out.Write(f.text); err != nil {
			return err
		}
	}
	return errors.Join(out.Close(), compressed.Close())
}

// writeZip is writeTar for .zip.
func writeZip(w io.Writer, folder string, files []file, t time.Time) error {
	out := zip.NewWriter(w)
	for _, f := range files {
		header := &zip.FileHeader{Name: path.Join(folder, f.name), Method: zip.Deflate, Modified: t}
		header.SetMode(f.mode())
		to, err := out.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := to.Write(f.text); err != nil {
			return err
		}
	}
	return out.Close()
}
