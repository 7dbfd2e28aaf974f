package auth

import (
	"encoding/binary"
	"hash/maphash"
	"net/netip"
	"sync/atomic"
	"time"
)

// Failures holds back clients that show one wrong credential after the other.
//
// It never holds back a credential that can be told from a guess for free: a
// token that this service made, which has 260 random bits, is looked up however
// many wrong ones came from the same address, and so is a JWT that was verified
// a moment ago. Else one agent could lock everybody out behind the same address,
// and behind loopback that is everybody. What is held back are texts that a
// person chose and signatures that cost time to verify: of these, an address
// that has spent its failures gets one try a second.
//
// Memory is bounded: addresses share a fixed number of slots by a seeded hash.
type Failures struct {
	seed  maphash.Seed
	start time.Time
	now   func() time.Time
	slots [1 << 12]meter
	all   meter
}

const (
	failuresAtOnce = 20          // by one address
	failureCost    = time.Second // after that, one in this time
	totalAtOnce    = 2000        // by all
	totalCost      = 5 * time.Millisecond
)

// NewFailures returns a count of no failures.
func NewFailures() *Failures {
	return &Failures{seed: maphash.MakeSeed(), start: time.Now(), now: time.Now}
}

// meter is the time up to which what it counts is paid for, in nanoseconds.
type meter struct{ paid atomic.Int64 }

// wait is how long until one more fits; 0 if it does now.
func (m *meter) wait(now int64, cost time.Duration, burst int) time.Duration {
	return time.Duration(max(0, m.paid.Load()-now-int64(cost)*int64(burst-1)))
}

// take counts one, if it fits, and reports whether it does. What does not fit is
// not counted, so that a flood cannot push the next try further and further away.
func (m *meter) take(now int64, cost time.Duration, burst int) bool {
	for {
		paid := m.paid.Load()
		if paid > now+int64(cost)*int64(burst-1) {
			return false
		}
		if m.paid.CompareAndSwap(paid, max(paid, now)+int64(cost)) {
			return true
		}
	}
}

// wait is how long the origin must wait before another credential of a kind
// that can be guessed is looked at.
func (f *Failures) wait(from origin) time.Duration {
	now := int64(f.now().Sub(f.start))
	return max(f.slot(from).wait(now, failureCost, failuresAtOnce), f.all.wait(now, totalCost, totalAtOnce))
}

func (f *Failures) add(from origin) {
	now := int64(f.now().Sub(f.start))
	f.slot(from).take(now, failureCost, failuresAtOnce)
	f.all.take(now, totalCost, totalAtOnce)
}

func (f *Failures) slot(from origin) *meter {
	var key [25]byte
	address := from.address.As16()
	copy(key[:], address[:])
	binary.BigEndian.PutUint64(key[16:], from.uid)
	if from.local {
		key[24] = 1
	}
	return &f.slots[maphash.Bytes(f.seed, key[:])%uint64(len(f.slots))]
}

// origin is whom failures are counted for: an IPv4 address, a network that one
// IPv6 host is given, all of loopback, or a user of this machine.
type origin struct {
	address netip.Addr
	local   bool
	uid     uint64
}

func remoteOrigin(hostport string) origin {
	at, err := netip.ParseAddrPort(hostport)
	if err != nil {
		return origin{address: netip.IPv6Unspecified()} // all that is unreadable counts as one
	}
	address := at.Addr().Unmap().WithZone("")
	if address.IsLoopback() {
		// Whoever is on this machine has all of 127.0.0.0/8 to choose from.
		return origin{address: netip.IPv6Loopback()}
	}
	if address.Is6() {
		if network, err := address.Prefix(64); err == nil {
			address = network.Addr()
		}
	}
	return origin{address: address}
}
