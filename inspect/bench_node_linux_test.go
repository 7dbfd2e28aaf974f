package inspect

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// nodeLoop asks for one path after the other, once for every line that it is
// given, and says how long that took in wall and in processor time.
const nodeLoop = `
const { lstat } = require('node:fs/promises');
const lines = require('node:readline').createInterface({ input: process.stdin })[Symbol.asyncIterator]();
(async () => {
  const paths = JSON.parse((await lines.next()).value);
  while (!(await lines.next()).done) {
    const before = process.cpuUsage(), start = process.hrtime.bigint();
    for (const path of paths) await lstat(path);
    const took = process.hrtime.bigint() - start, cpu = process.cpuUsage(before);
    console.log(took + ' ' + (cpu.user + cpu.system) * 1000);
  }
})();`

// BenchmarkBatchAgainstNode reports on 10,000 files in turns with a sequential
// loop of Node's fs.lstat, and compares the best turn of each.
func BenchmarkBatchAgainstNode(b *testing.B) {
	node, err := exec.LookPath("node")
	if err != nil {
		b.Skip("Node is not installed")
	}
	paths := manyFiles(b, 10_000)
	for _, plain := range []bool{false, true} {
		b.Run(fmt.Sprintf("plain=%t", plain), func(b *testing.B) {
			ask := startNode(b, node, paths)
			var best, cpu, theirs, theirCPU time.Duration
			for b.Loop() {
				before, start := cpuTime(), time.Now()
				DefaultPool.Batch(context.Background(), paths, BatchOptions{Options: Options{Plain: plain}})
				keepBest(&best, time.Since(start))
				keepBest(&cpu, cpuTime()-before)
				took, processor := ask()
				keepBest(&theirs, took)
				keepBest(&theirCPU, processor)
			}
			perPath := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(len(paths)) }
			b.ReportMetric(perPath(best), "ns/path")
			b.ReportMetric(perPath(cpu), "cpu-ns/path")
			b.ReportMetric(perPath(theirs), "node-ns/path")
			b.ReportMetric(perPath(theirCPU), "node-cpu-ns/path")
			b.ReportMetric(float64(theirs)/float64(best), "times-as-fast")
		})
	}
}

func keepBest(best *time.Duration, d time.Duration) {
	if *best == 0 || d < *best {
		*best = d
	}
}

// cpuTime is what this process has used.
func cpuTime() time.Duration {
	var use unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &use)
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// startNode returns a function that lets Node ask for all paths once.
func startNode(b *testing.B, node string, paths []string) func() (took, cpu time.Duration) {
	b.Helper()
	cmd := exec.Command(node, "-e", nodeLoop)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	if err := json.NewEncoder(in).Encode(paths); err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewReader(out)
	return func() (time.Duration, time.Duration) {
		if _, err := io.WriteString(in, "\n"); err != nil {
			b.Fatal(err)
		}
		line, err := lines.ReadString('\n')
		if err != nil {
			b.Fatal(err)
		}
		took, cpu, _ := strings.Cut(strings.TrimSpace(line), " ")
		return nanoseconds(b, took), nanoseconds(b, cpu)
	}
}

func nanoseconds(b *testing.B, text string) time.Duration {
	b.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return time.Duration(n)
}
