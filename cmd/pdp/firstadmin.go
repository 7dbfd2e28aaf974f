package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/rs/zerolog"

	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

// firstAdminName is the name of the token that is made when there is none.
const firstAdminName = "first-admin"

// firstAdmin makes a token for an administrator if there is none, and shows it
// once to the person at the terminal. Without one nothing is made: whatever else
// the text were written to, an agent of the same user could read it.
func (k *callers) firstAdmin(ctx context.Context, tokens store.Tokens, records recordsChanges, terminal io.Writer, log zerolog.Logger) error {
	if k.tokens.HasAdmin() {
		return nil
	}
	if terminal == nil {
		log.Info().Msg("there is no administrator's token: run pdp token create --role admin --name NAME" + k.visitFlags + ", or start with PDP_ADMIN_TOKEN or --admin-token-file")
		return nil
	}
	secret, token, err := auth.NewToken(firstAdminName, auth.Admin, time.Now(), time.Time{})
	if err != nil {
		return err
	}
	switch err := tokens.AddToken(ctx, token); {
	case errors.Is(err, store.ErrExists):
		return k.useTokens(ctx, tokens) // another replica was first, and showed it
	case err != nil:
		return fmt.Errorf("the first administrator's token: %w", err)
	}
	if err := records.Commit(ctx, tokenEvent("created", token, service)); err != nil {
		return errors.Join(err, tokens.RevokeToken(context.WithoutCancel(ctx), token.ID, time.Now()))
	}
	// The token alone is as long as a line of a usual terminal: an indent would break it.
	fmt.Fprintf(terminal, "\nThe administrator's token, shown this once and kept nowhere but as a hash:\n\n%s\n\nTake it back with: pdp token revoke%s %s\n\n",
		secret, k.visitFlags, token.ID)
	return k.useTokens(ctx, tokens)
}

// terminalOf is w if a person reads it, else nil.
func terminalOf(w io.Writer) io.Writer {
	if isTerminal(w) {
		return w
	}
	return nil
}
