//go:build opencl

package opencl

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/kgen-go/kgen/internal/device/cache"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/plan"
)

//go:embed probe.cl
var probeText string

//go:embed probe64.cl
var probe64Text string

// probed is the result of a probe in the cache.
type probed struct {
	Machine  plan.Machine     `json:"machine"`
	Findings []worker.Finding `json:"findings"`
	Resident int64            `json:"resident"`
}

// probe tests the device: once per device and driver, then from the cache. If it
// has to, it calls probing first, unless that is nil.
func (d *device) probe(ctx context.Context, probing func()) error {
	var p probed
	key := cache.Key(append(d.identity(), probeText, probe64Text, probePTXText, probeBulkText, probeVersion)...)
	err := d.cache.Do(ctx, key,
		func(data []byte) error { return p.decode(data) },
		func() ([]byte, error) {
			if probing != nil {
				probing()
			}
			s, err := d.session(worker.SessionOptions{})
			if err != nil {
				return nil, err
			}
			defer s.Close()
			if p, err = (&prober{session: s, facts: d.facts}).run(ctx); err != nil {
				return nil, err
			}
			return json.Marshal(p)
		})
	d.machine, d.findings, d.resident = p.Machine, p.Findings, p.Resident
	d.machine.Memory, d.machine.MaxAlloc = d.memory, d.maxAlloc // some drivers report what is free at present
	return err
}

// decode reads what the cache has kept. An entry of another form is an error,
// so that the device is probed again: what it lacks would read as 0.
func (p *probed) decode(data []byte) error {
	*p = probed{}
	if err := json.Unmarshal(data, p, json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	if p.Machine.MaxWorkgroup < 1 {
		return errors.New("the probe's result has no maxWorkgroup")
	}
	return nil
}

// probeVersion changes with the Go side of the probe, and with what it returns.
const probeVersion = "5"

// prober is one probe.
type prober struct {
	*session
	facts
	probed probed
	limit  int64 // polls of a bounded wait
}

func (p *prober) run(ctx context.Context) (probed, error) {
	p.probed.Machine = p.facts.machine()
	p.probed.Machine.Subgroup = 1
	if err := p.calibrate(ctx); err != nil {
		return probed{}, err
	}
	for _, step := range []func(context.Context) error{p.subgroup, p.local, p.progress, p.residency, p.atomics, p.doubles, p.floats, p.inlinePTX} {
		if err := step(ctx); err != nil {
			return probed{}, err
		}
	}
	return p.probed, nil
}

func (p *prober) find(name, value string, evidence plan.Evidence, format string, args ...any) {
	p.probed.Findings = append(p.probed.Findings, worker.Finding{Name: name, Value: value, Evidence: evidence, Detail: fmt.Sprintf(format, args...)})
}

// capability records whether the device has c.
func (p *prober) capability(c plan.Cap, has bool, evidence plan.Evidence, format string, args ...any) {
	value := "no"
	if has {
		value = "yes"
		p.probed.Machine.Caps[c] = evidence
	}
	p.find(string(c), value, evidence, format, args...)
}

// waitTime is how long a wait may last before it counts as endless: the threads
// of a CPU device may be suspended for some time slices.
const waitTime = 300 * time.Millisecond

// calibrate finds how many polls a wait of waitTime has. The first launch takes
// longer than the kernel runs: texts are compiled, and drivers load programs
// late. Any other launch may be suspended for a while, but hardly three in a
// row.
func (p *prober) calibrate(ctx context.Context) error {
	if _, err := p.spin(ctx, 1); err != nil {
		return err
	}
	for n := int64(1 << 10); ; n *= 8 {
		shortest := time.Duration(math.MaxInt64)
		for range 3 {
			elapsed, err := p.spin(ctx, n)
			if err != nil {
				return err
			}
			shortest = min(shortest, elapsed)
		}
		if shortest > 10*time.Millisecond || n > 1<<26 {
			p.limit = min(max(int64(float64(n)*float64(waitTime)/float64(shortest)), 1<<10), 1<<30)
			return nil
		}
	}
}

// spin returns the time of that many polls.
func (p *prober) spin(ctx context.Context, looks int64) (time.Duration, error) {
	words := p.zeros(2)
	defer p.release(words)
	if err := p.Sync(); err != nil {
		return 0, err
	}
	start := time.Now()
	err := p.launch(ctx, "spin", 1, 1, 0, words, int32(looks))
	return time.Since(start), err
}

func (p *prober) subgroup(ctx context.Context) error {
	if p.isCPU {
		p.find("subgroup", "1", plan.Declared, "a CPU device runs the work-items of a work-group one after the other")
		return nil
	}
	kernel, err := p.entry(ctx, "spin", probeText)
	if err != nil {
		return err
	}
	n, err := kernel.PreferredWorkGroupSizeMultiple(p.device.id)
	if err != nil || n < 1 {
		n = 1
	}
	p.probed.Machine.Subgroup = n
	p.find("subgroup", fmt.Sprint(n), plan.Queried, "the multiple that the driver prefers for work-groups")
	return nil
}

// progress: do work-groups that wait for the previous one end?
func (p *prober) progress(ctx context.Context) error {
	units := p.units
	for _, kind := range []struct {
		capability plan.Cap
		ticketed   int32
		how        string
	}{{plan.CapTicket, 1, "by ticket"}, {plan.CapStatic, 0, "by the number of the work-group"}} {
		passed, failed := "", ""
		for _, shape := range [][2]int64{{units + 1, 1}, {8*units + 7, 64}, {4099, 64}, {20011, min(256, p.maxWorkgroup)}} {
			workgroups, size := shape[0], min(shape[1], p.maxWorkgroup)
			done, err := p.patiently(func(limit int64) (bool, error) { return p.chain(ctx, workgroups, size, kind.ticketed, limit) })
			if err != nil {
				return err
			}
			if !done {
				failed = fmt.Sprintf("of %d work-groups of %d work-items in a chain %s, one waited more than %d times", workgroups, size, kind.how, p.limit)
				break
			}
			passed = fmt.Sprintf("%d work-groups of %d work-items in a chain %s, all ended", workgroups, size, kind.how)
		}
		if failed != "" {
			passed = failed
		}
		p.capability(kind.capability, failed == "", plan.Probed, "%s", passed)
	}
	return nil
}

// patiently retries with longer waits, because the machine may have been busy.
func (p *prober) patiently(try func(limit int64) (bool, error)) (bool, error) {
	for attempt := range 3 {
		if done, err := try(p.limit << attempt); done || err != nil {
			return done, err
		}
	}
	return false, nil
}

func (p *prober) chain(ctx context.Context, workgroups, size int64, ticketed int32, limit int64) (bool, error) {
	words := p.zeros(workgroups + 2)
	defer p.release(words)
	if err := p.launch(ctx, "chain", workgroups, size, 0, words, ticketed, int32(min(limit, 1<<30))); err != nil {
		return false, err
	}
	got, err := p.read(words, workgroups+2)
	if err != nil {
		return false, err
	}
	for _, flag := range got[2:] {
		if flag != 1 {
			return false, fmt.Errorf("a work-group of the probe left no flag: 32-bit atomics do not work")
		}
	}
	return got[1] == 0, nil
}

// residency: how many work-groups run at once?
func (p *prober) residency(ctx context.Context) error {
	size := min(256, p.maxWorkgroup)
	// A work-group that takes most of the local memory, so at most one per
	// compute unit.
	local := max(p.localBytes*3/4, size*4)
	for workgroups := p.units; workgroups >= 1; workgroups /= 2 {
		met, err := p.patiently(func(limit int64) (bool, error) { return p.meet(ctx, workgroups, size, local, limit) })
		if err != nil {
			return err
		}
		if met {
			p.probed.Resident = workgroups
			break
		}
	}
	p.probed.Resident = max(p.probed.Resident, 1)
	p.capability(plan.CapResident, p.probed.Resident == p.units, plan.Probed,
		"%d of %d work-groups of %d work-items with %d bytes of local memory each met", p.probed.Resident, p.units, size, local)
	most := p.probed.Resident
	for workgroups := 2 * p.units; workgroups <= 64*p.units; workgroups *= 2 {
		met, err := p.meet(ctx, workgroups, size, size*4, p.limit)
		if err != nil {
			return err
		}
		if !met {
			break
		}
		most = workgroups
	}
	p.find("resident", fmt.Sprint(most), plan.Probed, "small work-groups of %d work-items that met; plans count on %d", size, p.probed.Resident)
	return nil
}

func (p *prober) meet(ctx context.Context, workgroups, size, local, limit int64) (bool, error) {
	words := p.zeros(3)
	defer p.release(words)
	if err := p.launch(ctx, "meet", workgroups, size, local, words, int32(min(limit, 1<<30))); err != nil {
		return false, err
	}
	got, err := p.read(words, 3)
	return err == nil && got[1] == 0, err
}

// atomics: do 64-bit atomics exist and work?
func (p *prober) atomics(ctx context.Context) error {
	const base, extended = "cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"
	for _, extension := range []string{base, extended} {
		if !p.hasExtension(extension) {
			p.capability(plan.CapAtomicsI64, false, plan.Queried, "the driver has no %s", extension)
			return nil
		}
	}
	const n = 4096
	words := p.zeros(12)
	defer p.release(words)
	kernel, err := p.entry(ctx, "atomics", probe64Text)
	if err == nil {
		err = p.start(kernel, n/64, 64, 0, words)
	}
	if err != nil {
		p.capability(plan.CapAtomicsI64, false, plan.Probed, "the driver declares them, but: %v", err)
		return nil
	}
	got, err := p.read64(words, 6)
	if err != nil {
		return err
	}
	want := []int64{(n * (n - 1) / 2) << 20, (n - 1) << 33, -((n - 1) << 33), -1, 1 << 40, 5 << 40}
	for i := range want {
		if got[i] != want[i] {
			p.capability(plan.CapAtomicsI64, false, plan.Probed, "operation %d of %d gave %d, not %d", i, len(want), got[i], want[i])
			return nil
		}
	}
	p.capability(plan.CapAtomicsI64, true, plan.Probed, "%s, %s; %d work-items at the same words gave the right results", base, extended, n)
	return nil
}

func (f facts) hasExtension(name string) bool {
	return strings.Contains(" "+f.extensions+" ", " "+name+" ")
}

func (p *prober) doubles(context.Context) error {
	detail := "the driver has a configuration of double precision"
	if !p.fp64 {
		detail = "the driver has no double precision"
	}
	p.capability(plan.CapFP64, p.fp64, plan.Queried, "%s", detail)
	return nil
}
