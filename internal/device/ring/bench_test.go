package ring

import "testing"

// BenchmarkPingPong is a message of so many bytes each way, to an end that looks.
func BenchmarkPingPong(b *testing.B) {
	one, other, hangUp := ends(b)
	go func() {
		var in [100]byte
		for {
			n, err := other.Read(in[:])
			if err != nil {
				return
			}
			other.Write(in[:n])
		}
	}()
	var message [100]byte
	for b.Loop() {
		one.Write(message[:])
		for n := 0; n < len(message); {
			got, err := one.Read(message[n:])
			if err != nil {
				b.Fatal(err)
			}
			n += got
		}
	}
	hangUp()
}
