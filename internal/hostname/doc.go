// Package hostname turns the text of a URL into the host that a fetch would
// reach, and says whether a list of domains covers it.
//
// A URL is read by one party and fetched by another, and URL parsers disagree:
// about backslashes, about what stands before an "@", about deleted tabs,
// about numbers that are addresses. The grammar here is therefore smaller than
// any standard: a text that two common parsers could read as two hosts is
// refused with the reason, never repaired. What is accepted has exactly one
// host, and URL.String is the text that should be fetched.
//
// Matching has two directions, because a doubt must always fall on the safe
// side. Covers is for lists that allow: it says yes when the entry surely
// speaks of the URL. MightCover is for lists that restrict: it says yes unless
// the entry surely does not. A zero URL, Entry, Set or Networks matches nothing.
//
// Not promised: no name is ever resolved here. A public name may point to a
// private address, now or on the next look-up, so whoever opens the connection
// must check the address that it dials. A path restriction is a comparison of
// text; whether the server treats two paths alike cannot be known.
package hostname
