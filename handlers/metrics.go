package handlers

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/agent-pdp/pdp/decide"
)

// Metrics is what GET /metrics shows: a registry of its own, whose labels are
// all bounded. Nothing that a client writes becomes a label.
type Metrics struct {
	registry *prometheus.Registry

	decisions   *prometheus.CounterVec
	toolCalls   *prometheus.CounterVec
	decideTime  prometheus.Histogram
	requests    *prometheus.CounterVec
	requestTime *prometheus.HistogramVec
	inFlight    prometheus.Gauge
	shed        prometheus.Counter

	authRefused, authLimited prometheus.Counter

	tlsExpiry   prometheus.Gauge // registered once there is TLS
	tlsFailures prometheus.Counter

	policyInfo      *prometheus.GaugeVec
	reloadTime      prometheus.Gauge
	reloadFailures  prometheus.Counter
	reloadSucceeded prometheus.Gauge

	// Children of the vectors that every request needs, found by index instead
	// of by a map of labels.
	byDecision []atomic.Pointer[prometheus.Counter]
	byTool     atomic.Pointer[map[string]*toolSeries]
	toolMu     sync.Mutex
}

// NewMetrics returns metrics in a fresh registry.
func NewMetrics() *Metrics {
	reg := prometheus.NewRegistry()
	m := &Metrics{
		registry: reg,
		decisions: counterVec("pdp_decisions_total",
			"Decisions made.", "outcome", "code", "mode", "risk"),
		toolCalls: counterVec("pdp_tool_calls_total",
			"Decisions by tool; tools that the catalogue does not name are \"other\".", "tool", "outcome"),
		decideTime: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "pdp_decision_duration_seconds",
			Help:    "Time to judge a call, without reading the request and writing the answer.",
			Buckets: []float64{1e-6, 2.5e-6, 5e-6, 1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 5e-3, 2.5e-2, 0.1, 1},
		}),
		requests: counterVec("pdp_http_requests_total",
			"HTTP requests by route template.", "method", "route", "status"),
		requestTime: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "pdp_http_request_duration_seconds",
			Help:    "Time from the request's headers to the end of its handler.",
			Buckets: []float64{1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 5e-2, 0.25, 1, 10},
		}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "pdp_http_in_flight", Help: "Requests being answered.",
		}),
		shed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "pdp_http_shed_total", Help: "Requests refused because too many were being answered.",
		}),
		authRefused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "pdp_auth_failures_total", Help: "Credentials that were not accepted.",
		}),
		authLimited: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "pdp_auth_limited_total", Help: "Credentials of clients that had failed too often.",
		}),
		tlsExpiry: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "pdp_tls_certificate_expiry_timestamp_seconds", Help: "When the certificate in use expires.",
		}),
		tlsFailures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "pdp_tls_reload_failures_total", Help: "TLS files that could not be used; the ones before stayed in force.",
		}),
		policyInfo: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "pdp_policy_info", Help: "The policy in force; the value is always 1.",
		}, []string{"revision"}),
		reloadTime: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "pdp_policy_last_reload_success_timestamp_seconds", Help: "When the policy in force was loaded.",
		}),
		reloadFailures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "pdp_policy_reload_failures_total", Help: "Policies that could not be loaded; the one before stayed in force.",
		}),
		reloadSucceeded: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "pdp_policy_last_reload_successful", Help: "1 if the last attempt to load a policy succeeded, else 0.",
		}),
		byDecision: make([]atomic.Pointer[prometheus.Counter], decisionSeries),
	}
	reg.MustRegister(m.decisions, m.toolCalls, m.decideTime, m.requests, m.requestTime, m.inFlight, m.shed, m.authRefused, m.authLimited,
		m.policyInfo, m.reloadTime, m.reloadFailures, m.reloadSucceeded,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.byTool.Store(&map[string]*toolSeries{})
	return m
}

func counterVec(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func (m *Metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// PolicyLoaded notes that the policy of this revision is now in force.
func (m *Metrics) PolicyLoaded(revision string, at time.Time) {
	m.policyInfo.Reset()
	m.policyInfo.WithLabelValues(revision).Set(1)
	m.reloadTime.Set(float64(at.UnixMilli()) / 1e3)
	m.reloadSucceeded.Set(1)
}

// PolicyReloadFailed notes that a policy could not be loaded.
func (m *Metrics) PolicyReloadFailed() {
	m.reloadFailures.Inc()
	m.reloadSucceeded.Set(0)
}

// TLSLoaded notes that a certificate is in use, and until when.
func (m *Metrics) TLSLoaded(notAfter time.Time) {
	m.tlsExpiry.Set(float64(notAfter.Unix()))
	// Only the first time has an effect: a service without TLS has no such series.
	_ = m.registry.Register(m.tlsExpiry)
	_ = m.registry.Register(m.tlsFailures)
}

// TLSReloadFailed notes that changed TLS files could not be used.
func (m *Metrics) TLSReloadFailed() { m.tlsFailures.Inc() }

// otherLabel stands for every value that is not one of a known few.
const otherLabel = "other"

func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return method
	}
	return otherLabel
}

var (
	codeIndex  = indexCodes()
	modeNames  = decide.ModeNames()
	riskLabels = append([]string{"unclassified"}, decide.RiskNames()...)

	outcomeLabels  = []string{decide.Deny.String(), decide.Ask.String(), decide.Allow.String()}
	decisionSeries = len(codeIndex) * len(outcomeLabels) * len(modeNames) * len(riskLabels)
)

func indexCodes() map[decide.Code]int {
	index := map[decide.Code]int{}
	for i, info := range decide.Codes() {
		index[info.Code] = i
	}
	return index
}

func outcomeIndex(o decide.Outcome) int {
	switch {
	case o.Allowed():
		return 2
	case o.NeedsUser():
		return 1
	}
	return 0
}

// decided counts a decision.
func (m *Metrics) decided(v *verdict) {
	d := &v.record.Decision
	m.decideTime.Observe(v.took.Seconds())
	m.tool(v.tool)[outcomeIndex(d.Outcome)].Inc()
	code, known := codeIndex[d.Code]
	mode, risk := int(d.Mode), int(d.Risk)
	if !known || mode >= len(modeNames) || risk >= len(riskLabels) {
		m.decisions.WithLabelValues(d.Outcome.String(), otherLabel, otherLabel, otherLabel).Inc()
		return
	}
	outcome := outcomeIndex(d.Outcome)
	at := &m.byDecision[((code*len(outcomeLabels)+outcome)*len(modeNames)+mode)*len(riskLabels)+risk]
	child := at.Load()
	if child == nil {
		c := m.decisions.WithLabelValues(outcomeLabels[outcome], string(d.Code), modeNames[mode], riskLabels[risk])
		child = &c
		at.Store(child)
	}
	(*child).Inc()
}

// toolSeries are the counters of one tool, by outcomeIndex.
type toolSeries [3]prometheus.Counter

// maxTools bounds the label: a policy may name any number of tools.
const maxTools = 1000

func (m *Metrics) tool(name string) *toolSeries {
	if series, ok := (*m.byTool.Load())[name]; ok {
		return series
	}
	return m.addTool(name)
}

func (m *Metrics) addTool(name string) *toolSeries {
	m.toolMu.Lock()
	defer m.toolMu.Unlock()
	old := *m.byTool.Load()
	if len(old) >= maxTools && name != otherLabel {
		name = otherLabel
	}
	if series, ok := old[name]; ok {
		return series
	}
	series := new(toolSeries)
	for i, outcome := range outcomeLabels {
		series[i] = m.toolCalls.WithLabelValues(name, outcome)
	}
	grown := make(map[string]*toolSeries, len(old)+1)
	for k, v := range old {
		grown[k] = v
	}
	grown[name] = series
	m.byTool.Store(&grown)
	return series
}

// routeSeries are the series of one method of one route.
type routeSeries struct {
	requests *prometheus.CounterVec
	method   string
	pattern  string
	time     prometheus.Observer
	byStatus [600]atomic.Pointer[prometheus.Counter]
}

func (m *Metrics) route(method, pattern string) *routeSeries {
	return &routeSeries{
		requests: m.requests,
		method:   method,
		pattern:  pattern,
		time:     m.requestTime.WithLabelValues(pattern),
	}
}

func (rs *routeSeries) done(status int, took time.Duration) {
	rs.time.Observe(took.Seconds())
	at := &rs.byStatus[status%len(rs.byStatus)]
	child := at.Load()
	if child == nil {
		c := rs.requests.WithLabelValues(rs.method, rs.pattern, strconv.Itoa(status))
		child = &c
		at.Store(child)
	}
	(*child).Inc()
}

// request counts a request that has been answered.
func (m *Metrics) request(x *exchange, method string, took time.Duration) {
	if x.series != nil {
		x.series.done(x.status, took)
		return
	}
	m.requests.WithLabelValues(methodLabel(method), x.route, strconv.Itoa(x.status)).Inc()
	m.requestTime.WithLabelValues(x.route).Observe(took.Seconds())
}
