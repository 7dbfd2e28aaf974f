package handlers

import (
	"net/http"
	"runtime"
)

// health answers as long as the process lives. It says nothing about whether
// decisions can be made: a restart would not load a policy that is wrong.
func (s *service) health(x *exchange, _ *http.Request) error {
	return encode(x, http.StatusOK, healthResponse{Status: "ok"})
}

type healthResponse struct {
	Status string `json:"status"`
}

type readyResponse struct {
	Status         string         `json:"status"`
	PolicyRevision string         `json:"policy_revision"`
	Detail         map[string]any `json:"detail"`
}

// ready says whether the service should be sent requests.
func (s *service) ready(x *exchange, _ *http.Request) error {
	ok, detail := s.Ready()
	res := readyResponse{Status: "ready", Detail: detail}
	if policy := s.Policy(); policy != nil {
		res.PolicyRevision = policy.Revision()
	} else {
		ok = false
	}
	if !ok {
		res.Status = "unavailable"
		return encode(x, http.StatusServiceUnavailable, res)
	}
	return encode(x, http.StatusOK, res)
}

type versionResponse struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
}

func (s *service) version(x *exchange, _ *http.Request) error {
	return encode(x, http.StatusOK, versionResponse{s.Version.Version, s.Version.Commit, runtime.Version()})
}

// scrape answers GET /metrics.
func (s *service) scrape(x *exchange, r *http.Request) error {
	s.scrapes.ServeHTTP(x, r)
	return nil
}
