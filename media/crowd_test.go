package media

import "testing"

func TestNoMoreThanFourPicturesAreDecodedAtOnceAndALargeOneAlone(t *testing.T) {
	gate := NewGate()
	var leave []func()
	enter := func(bytes int64) {
		l, err := gate.enter(t.Context(), bytes)
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, l)
	}
	for range mostDecodes {
		if len(leave) > 0 && !free(gate) {
			t.Fatalf("after %d small pictures no other may be decoded, %d are allowed", len(leave), mostDecodes)
		}
		enter(1)
	}
	if free(gate) {
		t.Errorf("beside %d pictures another may be decoded", len(leave))
	}
	leave[0]()
	if !free(gate) {
		t.Error("where one is done the next may not begin")
	}
	for _, l := range leave[1:] {
		l()
	}
	leave = nil
	enter(MaxDecodeAllocBytes * 2)
	if free(gate) {
		t.Error("beside a picture that takes all memory another may be decoded")
	}
	leave[0]()
}

// free reports whether another small picture could be decoded now.
func free(g *Gate) bool {
	least := int64(MaxDecodeAllocBytes / mostDecodes)
	if !g.memory.TryAcquire(least) {
		return false
	}
	g.memory.Release(least)
	return true
}
