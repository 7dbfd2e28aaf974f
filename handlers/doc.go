// Package handlers is the HTTP surface of the decision point.
//
// # Life of a request
//
// [New] returns one handler. A request passes, in this order,
//
//  1. service.ServeHTTP: an exchange is taken from a pool. It is the response
//     writer of everything below, and carries the request id, the route, and
//     what the access log and the metrics want to know. A panic below becomes a
//     500 problem;
//  2. gate.check: the Host header must name this service (a web page must not
//     reach it through a name that it points at the loopback address), and a
//     browser must not be sent here by another site;
//  3. the router, whose whole map is the list in routes.go;
//  4. service.serve: too many requests at once are shed; service.admit finds out
//     who calls, whether the route is for such a caller (auth.go), and holds those
//     without a credential to so many calls a second;
//  5. the handler of the route: decode, call, encode. Decoding is strict
//     (json.go), field errors come from one place (validate.go), and every
//     refusal is a [Problem];
//  6. on the way out, one access log line and the metrics by route template.
//
// # Promises
//
// An answer other than 200 means that no decision was made. No cause of an
// internal error and no stack reaches a client. No argument of a call, no path
// and no unknown tool name becomes a log field or a metric label. Every body is
// bounded in size, depth and time.
//
// # What is not promised
//
// A token is its owner: who has copied one cannot be told apart. An answer says
// what was true when it was given; whoever acts on it later must honour its
// obligations.
package handlers
