// Command chain runs three pipelines, each on the results of the one before, which never
// leave the device: clicks become sessions, sessions become users, and the users with the
// most sessions come back.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/kgen-go/kgen"
)

const text = `// A session of a user ends with a pause of half an hour.
pipeline sessions(user: [n]i32, time: [n]i64) {
	new = user != prev(user, 1, -1) || time - prev(time, 1, 0) > 1800
	s = starts(new)
	return user: first(user, by: s), clicks: count(by: s)
}

pipeline users(user: [n]i32, clicks: [n]i64) {
	u = runs(user)
	return user: first(user, by: u), sessions: count(by: u), clicks: sum(clicks, by: u)
}

pipeline top(user: [n]i32, sessions: [n]i64, clicks: [n]i64, most: i64 = 5) {
	o = order(desc(sessions), user, limit: most)
	return user: user[o], sessions: sessions[o], clicks: clicks[o]
}
`

func main() {
	name := flag.String("device", "gocpu", "the device, as kgen devices lists them")
	rows := flag.Int("rows", 1<<20, "how many clicks there are")
	flag.Parse()
	if err := run(context.Background(), *name, *rows); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, name string, rows int) error {
	user, at := make([]int32, rows), make([]int64, rows)
	for i := 1; i < rows; i++ {
		user[i], at[i] = user[i-1], at[i-1]+rand.Int64N(1000)
		switch {
		case rand.N(100) == 0:
			user[i]++
		case rand.N(10) == 0:
			at[i] += 3600
		}
	}
	device, err := kgen.Open(ctx, name)
	if err != nil {
		return err
	}
	defer device.Close()

	args := kgen.Args{"user": user, "time": at}
	var out *kgen.Results
	for _, name := range []string{"sessions", "users", "top"} {
		program, err := kgen.Compile(text, name)
		if err != nil {
			return err
		}
		step, err := program.On(ctx, device)
		if err != nil {
			return err
		}
		before := out
		if out, err = step.Run(ctx, args, kgen.KeepAll()); err != nil {
			return err
		}
		if before != nil {
			before.Free()
		}
		args = kgen.Args{}
		for _, result := range out.Names() {
			args[result] = out.Column(result)
		}
	}
	users, err := kgen.Read[int32](ctx, out.Column("user"))
	if err != nil {
		return err
	}
	sessions, err := kgen.Read[int64](ctx, out.Column("sessions"))
	if err != nil {
		return err
	}
	clicks, err := kgen.Read[int64](ctx, out.Column("clicks"))
	if err != nil {
		return err
	}
	for i := range users {
		fmt.Printf("user %d: %d sessions, %d clicks\n", users[i], sessions[i], clicks[i])
	}
	return nil
}
