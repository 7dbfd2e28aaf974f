// Package auth tells who sent a request: which credential it carries, and the
// role that comes with it. What a role may do is decided where it is done.
package auth
