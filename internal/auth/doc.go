// Package auth tells who sent a request: which credential it carries, and the
// role that comes with it. What a role may do is decided where it is done.
//
// [Authenticator.Caller] looks, in this order, at
//
//  1. the Authorization header: a token of this service ([Set]), or a JWT of
//     an issuer that the operator trusts ([JWT]);
//  2. the client certificate of the connection ([Certificates]);
//  3. the user at the other end of a Unix socket ([Peers]).
//
// # Promises
//
// A credential that is shown and not accepted is refused: the next kind is not
// tried, and the request does not become one without a credential. Two
// credentials that were both chosen by the client are refused. Nothing that a
// request says about itself beside its Authorization header counts: no other
// header, no query, no cookie.
//
// No secret is kept: of a token, its SHA-256. What a client is told of a refusal
// does not depend on why the credential was refused, but for mistakes that can
// be seen without knowing any secret.
//
// # What is not promised
//
// Whoever has a token is its owner. A process of the same user as the service,
// or as the owner of a token, can take it from memory or files.
package auth
