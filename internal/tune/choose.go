package tune

import (
	"fmt"

	"github.com/kgen-go/kgen/ir"
)

// Use says for what settings are wanted.
type Use struct {
	Pipeline *ir.Pipeline
	Backend  string
	Device   *Device // where the program runs; nil if only text is emitted
	Class    *Class  // of the data; nil if that is not known
	Kgen     string
}

// Chosen are settings from a file.
type Chosen struct {
	Level, Schedule string
	// Notes say where the settings come from, and all ways in which the use is not what was
	// measured.
	Notes []string
}

// Choose returns the settings that are best for a use, by what was measured: on the same
// device, over data as alike as there is. Of a program that the file does not have, it
// returns no settings but a note; so it does for a backend for which nothing was measured.
func (f *File) Choose(u Use) Chosen {
	var of, stale *Entry
	digest := Digest(u.Pipeline)
	for i := range f.Entries {
		e := &f.Entries[i]
		switch {
		case e.Backend != u.Backend || e.Best() == nil:
		case e.Program == digest:
			if of == nil || u.nearer(e, of) {
				of = e
			}
		case e.Pipeline == u.Pipeline.Name:
			stale = e
		}
	}
	name := u.Pipeline.Name
	switch {
	case of == nil && stale != nil:
		return Chosen{Notes: []string{fmt.Sprintf("pipeline %s is not what was tuned on %s: its text has changed; settings are those that kgen chooses", name, stale.Name)}}
	case of == nil:
		return Chosen{Notes: []string{fmt.Sprintf("pipeline %s was not tuned for %s; settings are those that kgen chooses", name, u.Backend)}}
	}
	best := of.Best()
	c := Chosen{Level: best.Level, Schedule: best.Schedule}
	settings := "level " + best.Level
	if best.Schedule != "" {
		settings += ", " + best.Schedule
	}
	note := func(format string, args ...any) { c.Notes = append(c.Notes, fmt.Sprintf(format, args...)) }
	note("pipeline %s: %s, tuned on %s (%s) over %s", name, settings, of.Name, of.Hardware, of.Class)
	if u.Device != nil && u.Device.Hardware != of.Hardware {
		note("it was not measured on this device (%s)", u.Device.Hardware)
	} else if u.Device != nil && u.Device.Driver != of.Driver {
		note("it was not measured with this driver (%s, and then %s)", u.Device.Driver, of.Driver)
	}
	if u.Class != nil && !of.Class.Like(*u.Class) {
		note("it was not measured over such data (%s)", *u.Class)
	}
	if u.Kgen != of.Kgen {
		note("it was measured by kgen %s, whose kernels may be others", of.Kgen)
	}
	return c
}

// nearer reports whether a is nearer to the use than b: the device first, then the driver,
// then the data, or without data more rows.
func (u Use) nearer(a, b *Entry) bool {
	if u.Device != nil {
		if here, there := a.Hardware == u.Device.Hardware, b.Hardware == u.Device.Hardware; here != there {
			return here
		}
		if here, there := a.Driver == u.Device.Driver, b.Driver == u.Device.Driver; here != there {
			return here
		}
	}
	if u.Class != nil {
		return a.Class.distance(*u.Class) < b.Class.distance(*u.Class)
	}
	return a.Class.Rows > b.Class.Rows
}
