package sessions

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

// Reviewer is a service that may clear asks in auto-approve mode.
type Reviewer struct {
	URL     string
	Timeout time.Duration // 0: DefaultReviewTime
	Secret  string        // signs what is sent; empty: unsigned
}

const (
	// DefaultReviewTime is how long a reviewer may take.
	DefaultReviewTime = 20 * time.Second
	maxReview         = 64 << 10 // bytes of its answer
	maxReason         = 4 << 10  // bytes of it that are kept
	pauseAfter        = 5        // denials in a row end reviewing for the session
)

// Verdict is what a reviewer said.
type Verdict string

const (
	ReviewAllow  Verdict = "allow"
	ReviewDeny   Verdict = "deny"
	ReviewUnsure Verdict = "unsure"
)

// Review is a verdict with its reason.
type Review struct {
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason"`
}

// reviews counts denials in a row. It is forgotten with the process: the worst
// that follows is that a reviewer is asked five times more.
type reviews struct {
	mu     sync.Mutex
	denied map[string]int
}

// maxReviewed bounds the memory of denials.
const maxReviewed = 100_000

func (r *reviews) paused(session string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.denied[session] >= pauseAfter
}

func (r *reviews) count(session string, v Verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v != ReviewDeny {
		delete(r.denied, session)
		return
	}
	if r.denied == nil || len(r.denied) >= maxReviewed {
		r.denied = map[string]int{}
	}
	r.denied[session]++
}

func (r *reviews) reset(session string) { r.count(session, ReviewUnsure) }

// review asks the reviewer about a new ask that it may see. Only an allow
// changes the answer; whatever goes wrong leaves the ask for a person. What a
// reviewer could not see whole it is not asked about.
func (k *Keeper) review(ctx context.Context, c auth.Caller, key string, call Call, a Answer) (Answer, error) {
	reviewer, session := k.Reviewer(), a.Session.ID
	if reviewer == nil || a.Mode != decide.AutoApprove || a.Outcome != decide.Ask || a.Approval.Request.Cut || k.reviews.paused(session) {
		return a, nil
	}
	v, err := reviewer.ask(ctx, session, a.Approval)
	if err != nil {
		k.Log.Warn().Err(err).Str("session", session).Msg("the reviewer gave no verdict; the ask stays for a person")
	}
	a.Reviewed = &v
	k.reviews.count(session, v.Verdict)
	if v.Verdict != ReviewAllow {
		return a, nil
	}
	q, changed, err := k.stillAsked(ctx, c, key, call)
	if err != nil {
		return Answer{}, err
	}
	if q == nil {
		if changed.Outcome == decide.Deny {
			a.Decision = changed
		}
		a.Warnings = append(slices.Clip(a.Warnings), "what the reviewer cleared is no longer what would happen; its answer was not used")
		return a, nil
	}
	cleared, err := k.clear(context.WithoutCancel(ctx), a.Approval.ID, v)
	if errors.Is(err, ErrConflict) || errors.Is(err, store.ErrNotFound) {
		return a, nil // a person was faster, or the session has ended
	}
	if err != nil {
		return Answer{}, err
	}
	k.announce(cleared)
	warnings := a.Warnings
	a.Decision = q.Allowed(decide.CodeReviewerApproved, "the reviewer cleared this call")
	a.Warnings = warnings
	a.Approval, err = approvalFor(cleared, k.now())
	return a, err
}

// stillAsked judges a call anew after a wait, in which the session, the policy or
// the files may have changed. The question is nil unless it is still the one that
// the key is for; the decision is the new one.
func (k *Keeper) stillAsked(ctx context.Context, c auth.Caller, key string, call Call) (*decide.Question, decide.Decision, error) {
	e, err := k.lookup(ctx, c, call.Session, use)
	if err != nil {
		return nil, decide.Decision{}, err
	}
	policy := k.Policy()
	session, stale, err := k.session(e, policy)
	if late, ok := policy.Late(err, call.Call); ok {
		return nil, late, nil
	}
	if err != nil {
		return nil, decide.Decision{}, err
	}
	d, q := policy.Weigh(session, call.Call, call.Explain)
	if stale || q == nil || d.Mode != decide.AutoApprove || d.Outcome != decide.Ask ||
		keyOf(call.Session, placeOf(&e.stored, e.doc), q.Fingerprint, d) != key {
		return nil, d, nil
	}
	return q, d, nil
}

// reviewerCaller is who resolves what a reviewer has cleared.
var reviewerCaller = auth.Caller{ID: "reviewer", Role: auth.Approver}

// clear resolves an approval for this one call, and uses it up.
func (k *Keeper) clear(ctx context.Context, id string, v Review) (store.Approval, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	return k.Store.Resolve(ctx, id, func(a *store.Approval, s *store.Session) error {
		now := k.now()
		if s != nil && k.ended(s, now) {
			s = nil
		}
		if _, err := resolve(a, s, reviewerCaller, decide.ResolveOnce, v.Reason, now); err != nil {
			return err
		}
		a.Used = now
		return nil
	})
}

// The reviewer is asked at exactly the address that the operator named.
var reviewClient = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// ask sends the call, and reads a verdict. Anything but a clear one is unsure.
func (r *Reviewer) ask(ctx context.Context, session string, a *Approval) (Review, error) {
	unsure := Review{Verdict: ReviewUnsure}
	limit := r.Timeout
	if limit <= 0 {
		limit = DefaultReviewTime
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	body, err := json.Marshal(struct {
		SessionID  string  `json:"session_id"`
		ApprovalID string  `json:"approval_id"`
		Request    Request `json:"request"`
	}{session, a.ID, a.Request})
	if err != nil {
		return unsure, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(body))
	if err != nil {
		return unsure, err
	}
	req.Header.Set("Content-Type", "application/json")
	if r.Secret != "" {
		mac := hmac.New(sha256.New, []byte(r.Secret))
		_, _ = mac.Write(body)
		req.Header.Set("X-Pdp-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	}
	res, err := reviewClient.Do(req)
	if err != nil {
		return unsure, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return unsure, fmt.Errorf("the reviewer answered with status %d", res.StatusCode)
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxReview+1))
	if err != nil || len(raw) > maxReview {
		return unsure, errors.Join(errors.New("the reviewer's answer is cut or too long"), err)
	}
	return readVerdict(raw)
}

func readVerdict(raw []byte) (Review, error) {
	var v Review
	if err := json.Unmarshal(raw, &v); err != nil {
		return Review{Verdict: ReviewUnsure}, err
	}
	switch v.Verdict {
	case ReviewAllow, ReviewDeny, ReviewUnsure:
		v.Reason = clip(strings.ReplaceAll(v.Reason, "\x00", ""), maxReason) // no database keeps NUL
		return v, nil
	}
	return Review{Verdict: ReviewUnsure}, fmt.Errorf("%q is no verdict", v.Verdict)
}
