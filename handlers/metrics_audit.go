package handlers

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/agent-pdp/pdp/internal/audit"
)

// AuditMeter counts what becomes of audit records.
type AuditMeter struct {
	records  *prometheus.CounterVec
	dropped  prometheus.Counter
	failures prometheus.Counter
}

// AuditMeter registers the metrics of the audit log. lag tells how long the
// oldest record that is not stored has waited. It is called once.
func (m *Metrics) AuditMeter(lag func() time.Duration) *AuditMeter {
	a := &AuditMeter{
		records: counterVec("pdp_audit_records_total", "Records that were stored.", "kind", "outcome"),
		dropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "pdp_audit_dropped_total", Help: "Records that were not kept, as audit.on_failure: answer allows.",
		}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "pdp_audit_failures_total", Help: "Commits of records that failed.",
		}),
	}
	m.registry.MustRegister(a.records, a.dropped, a.failures, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "pdp_audit_lag_seconds", Help: "How long the oldest record that is not stored has waited.",
	}, func() float64 { return lag().Seconds() }))
	return a
}

// Stored implements audit.Meter. Outcomes of other kinds than decisions are
// bounded words as well.
func (a *AuditMeter) Stored(kind audit.Kind, outcome string) {
	a.records.WithLabelValues(string(kind), outcome).Inc()
}

// Dropped implements audit.Meter.
func (a *AuditMeter) Dropped(n int) { a.dropped.Add(float64(n)) }

// Failed implements audit.Meter.
func (a *AuditMeter) Failed() { a.failures.Inc() }
