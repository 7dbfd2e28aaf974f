package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

type tokenCmd struct {
	Create tokenCreateCmd `cmd:"" help:"Make a token and print it, this once."`
	List   tokenListCmd   `cmd:"" help:"List the tokens; their texts are not kept."`
	Revoke tokenRevokeCmd `cmd:"" help:"Take a token back."`
}

func (*tokenCmd) Help() string {
	return `Tokens are kept as hashes, in the store of the service. These commands open it
themselves: who may write its files needs no other right.

Example:

  pdp token create --role runtime --name ci`
}

// storeFlags say where tokens are kept: in the same place as pdp serve does.
type storeFlags struct {
	configFlag
	StateDir string `file:"" placeholder:"DIR" setting:"PDP_STATE_DIR" help:"Where the service keeps its state (default $$XDG_STATE_HOME/pdp or ~/.local/state/pdp)."`
	Store    string `placeholder:"URL" setting:"PDP_STORE" help:"Where the service keeps what is stored (default: a file in the state directory)."`
}

// with opens the store for as long as do takes.
func (f *storeFlags) with(ctx context.Context, a *app, how opening, do func(context.Context, store.Store) error) error {
	if a.openStore == nil {
		return errors.New("this version keeps no tokens; name them by their hashes in the server file (auth.tokens)")
	}
	if f.Store == noStore {
		return failure{exitUsage, errors.New("--store none keeps no tokens: a service without a store takes them from the server file " +
			"(auth.tokens, by their hashes), --admin-token-file or PDP_ADMIN_TOKEN")}
	}
	if f.StateDir == "" {
		f.StateDir = a.stateDir()
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	opened, err := a.openStore(ctx, f.Store, f.StateDir, how)
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, opened), opened.Close())
}

const storeTimeout = 15 * time.Second

type tokenCreateCmd struct {
	storeFlags
	Role    string `required:"" enum:"runtime,viewer,approver,admin" placeholder:"ROLE" help:"runtime (decides, keeps its own sessions), viewer (reads), approver (resolves approvals, grants) or admin."`
	Name    string `required:"" placeholder:"NAME" help:"Who will use it; letters, digits and . _ - @."`
	Expires string `placeholder:"WHEN" help:"When it ends: a time from now such as 12h or 90d, or a day such as 2030-12-31 (default: never)."`
	Replace bool   `help:"Revoke the valid token that has this name, if there is one."`
	Output  output `short:"o" enum:"table,json," default:"" placeholder:"FORM" help:"table (default): the token alone; json: the token with its id as an object."`
}

func (*tokenCreateCmd) Help() string {
	return `The token is the only thing on the standard output, so that a script can take it.
It is kept as a hash: whoever loses it makes another one. A service that runs on
the same state accepts it at once.

Example:

  pdp token create --role approver --name alice --expires 90d`
}

func (c *tokenCreateCmd) Run(ctx context.Context, a *app) error {
	now := time.Now()
	expires, err := parseExpiry(c.Expires, now)
	if err != nil {
		return failure{exitUsage, err}
	}
	role, err := auth.ParseRole(c.Role)
	if err != nil {
		return failure{exitUsage, err}
	}
	secret, token, err := auth.NewToken(c.Name, role, now, expires)
	if err != nil {
		return failure{exitUsage, err}
	}
	err = c.with(ctx, a, toBegin, func(ctx context.Context, tokens store.Store) error {
		if c.Replace {
			if err := c.revokeOld(ctx, a, tokens, now); err != nil {
				return err
			}
		}
		err := tokens.AddToken(ctx, token)
		if errors.Is(err, store.ErrExists) {
			return failure{exitNegative, fmt.Errorf("a valid token has the name %s; choose another name, or revoke that one with --replace", c.Name)}
		}
		if err != nil {
			return err
		}
		if err := a.record(ctx, tokens, c.StateDir, tokenEvent("created", token, operator())); err != nil {
			return errors.Join(err, tokens.RevokeToken(context.WithoutCancel(ctx), token.ID, time.Now()))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if c.Output == asJSON {
		return json.NewEncoder(a.stdout).Encode(createdToken{listedToken: rowOf(token, now), Token: secret})
	}
	if _, err := fmt.Fprintln(a.stdout, secret); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "This is %s's token with the role %s and the id %s. It is shown this once.\n", token.Name, token.Role, token.ID)
	return nil
}

// revokeOld takes back the valid token that has the name. Sessions that it made
// stay its own.
func (c *tokenCreateCmd) revokeOld(ctx context.Context, a *app, tokens store.Store, now time.Time) error {
	list, err := tokens.ListTokens(ctx)
	if err != nil {
		return err
	}
	for _, t := range list {
		if t.Name != c.Name || rowOf(t, now).State != "valid" {
			continue
		}
		if err := revokeToken(ctx, a, tokens, c.StateDir, t.ID); err != nil {
			return err
		}
		fmt.Fprintf(a.stderr, "The token %s, which had the name %s, is revoked.\n", plain(t.ID), plain(t.Name))
	}
	return nil
}

// parseExpiry reads a time from now or a day; the token ends when the day is over.
func parseExpiry(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return day.AddDate(0, 0, 1), nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	life, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, dayErr := strconv.ParseUint(days, 10, 16)
		life, err = time.Duration(n)*24*time.Hour, dayErr
	}
	if err != nil || life <= 0 {
		return time.Time{}, fmt.Errorf("--expires %q: write a time from now such as 12h or 90d, or a day such as 2030-12-31", text)
	}
	return now.Add(life), nil
}

type tokenListCmd struct {
	storeFlags
	Output output `short:"o" enum:"table,json," default:"" placeholder:"FORM" help:"table (default on a terminal) or json (default in a pipe)."`
}

func (*tokenListCmd) Help() string {
	return `Example:

  pdp token list --output table`
}

// listedToken is a token without its hash.
type listedToken struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Role    string     `json:"role"`
	State   string     `json:"state"`
	Created time.Time  `json:"created_at"`
	Expires *time.Time `json:"expires_at"`
	Revoked *time.Time `json:"revoked_at"`
}

type createdToken struct {
	listedToken
	Token string `json:"token"`
}

func rowOf(t store.Token, now time.Time) listedToken {
	l := listedToken{ID: t.ID, Name: t.Name, Role: t.Role, State: "valid", Created: t.Created.UTC()}
	if !t.Expires.IsZero() {
		at := t.Expires.UTC()
		l.Expires = &at
		if !now.Before(at) {
			l.State = "expired"
		}
	}
	if !t.Revoked.IsZero() {
		at := t.Revoked.UTC()
		l.Revoked, l.State = &at, "revoked"
	}
	return l
}

func (c *tokenListCmd) Run(ctx context.Context, a *app) error {
	var list []listedToken
	err := c.with(ctx, a, toVisit, func(ctx context.Context, tokens store.Store) error {
		all, err := tokens.ListTokens(ctx)
		now := time.Now()
		for _, t := range all {
			list = append(list, rowOf(t, now))
		}
		return err
	})
	if err != nil {
		return err
	}
	if c.Output.or(a.stdout) == asJSON {
		return json.NewEncoder(a.stdout).Encode(map[string]any{"items": append([]listedToken{}, list...)})
	}
	const day = len(time.DateOnly) // a time is broken before its hours
	head := []wrappedColumn{{"ID", 0}, {"NAME", 8}, {"ROLE", 0}, {"STATE", 0}, {"CREATED", day}, {"EXPIRES", day}}
	rows := make([][]string, 0, len(list))
	for _, t := range list {
		expires := "never"
		if t.Expires != nil {
			expires = utc(*t.Expires)
		}
		rows = append(rows, []string{plain(t.ID), plain(t.Name), plain(t.Role), t.State, utc(t.Created), expires})
	}
	return writeTable(a.stdout, a.lineWidth(), head, rows)
}

type tokenRevokeCmd struct {
	storeFlags
	ID string `arg:"" name:"ID" help:"The token's id, as in pdp token list; it is the third part of the token's text."`
}

func (*tokenRevokeCmd) Help() string {
	return `A service that runs refuses the token at most two seconds later.

Example:

  pdp token revoke 4MZ3QJ7KXA`
}

func (c *tokenRevokeCmd) Run(ctx context.Context, a *app) error {
	if strings.Contains(c.ID, "_") {
		return failure{exitUsage, errors.New("write the token's id only, not its text: what stands on a command line can be seen by others")}
	}
	return c.with(ctx, a, toChange, func(ctx context.Context, tokens store.Store) error {
		return revokeToken(ctx, a, tokens, c.StateDir, c.ID)
	})
}

func revokeToken(ctx context.Context, a *app, tokens store.Store, stateDir, id string) error {
	err := tokens.RevokeToken(ctx, id, time.Now())
	if errors.Is(err, store.ErrNotFound) {
		return failure{exitNegative, fmt.Errorf("there is no token with the id %s", plain(id))}
	}
	if err != nil {
		return err
	}
	if err := a.record(ctx, tokens, stateDir, tokenEvent("revoked", store.Token{ID: id}, operator())); err != nil {
		return fmt.Errorf("the token is revoked, but that could not be recorded: %w", err)
	}
	return nil
}
