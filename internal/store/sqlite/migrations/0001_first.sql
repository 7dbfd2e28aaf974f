-- Times are microseconds since 1970, 0 for none. Names compare byte for byte.
CREATE TABLE schema_version (version INTEGER NOT NULL);
INSERT INTO schema_version (version) VALUES (0);

-- One row. Its write lock puts changes in order.
CREATE TABLE revision (
  value     INTEGER NOT NULL,
  forgotten INTEGER NOT NULL
);
INSERT INTO revision (value, forgotten) VALUES (0, 0);

CREATE TABLE changes (
  revision INTEGER PRIMARY KEY,
  kind     TEXT    NOT NULL,
  id       TEXT    NOT NULL,
  made     INTEGER NOT NULL
);

CREATE TABLE sessions (
  id       TEXT    NOT NULL PRIMARY KEY,
  owner    TEXT    NOT NULL,
  widened  INTEGER NOT NULL,
  spec     BLOB,
  labels   TEXT    NOT NULL,
  grants   BLOB,
  ttl      INTEGER NOT NULL, -- nanoseconds
  created  INTEGER NOT NULL,
  updated  INTEGER NOT NULL,
  expires  INTEGER NOT NULL,
  revision INTEGER NOT NULL
);
CREATE INDEX sessions_owner ON sessions (owner, id);
CREATE INDEX sessions_expires ON sessions (expires);

CREATE TABLE approvals (
  id         TEXT    NOT NULL PRIMARY KEY,
  session    TEXT    NOT NULL,
  owner      TEXT    NOT NULL, -- of the session
  call_key   TEXT    NOT NULL,
  state      TEXT    NOT NULL,
  human_only INTEGER NOT NULL,
  request    BLOB,
  created    INTEGER NOT NULL,
  expires    INTEGER NOT NULL,
  outcome    TEXT    NOT NULL,
  note       TEXT    NOT NULL,
  resolver   TEXT    NOT NULL,
  resolved   INTEGER NOT NULL,
  usable_to  INTEGER NOT NULL,
  used       INTEGER NOT NULL,
  done       INTEGER NOT NULL, -- when nothing more can happen to it
  revision   INTEGER NOT NULL
);
CREATE INDEX approvals_call ON approvals (session, call_key);
CREATE INDEX approvals_session ON approvals (session, id);
CREATE INDEX approvals_owner ON approvals (owner, id);
CREATE INDEX approvals_pending ON approvals (id) WHERE state = 'pending';
CREATE INDEX approvals_waiting ON approvals (session, expires) WHERE state = 'pending';
CREATE INDEX approvals_done ON approvals (done);

CREATE TABLE tokens (
  id       TEXT    NOT NULL PRIMARY KEY,
  name     TEXT    NOT NULL,
  role     TEXT    NOT NULL,
  hash     BLOB,
  created  INTEGER NOT NULL,
  expires  INTEGER NOT NULL,
  revoked  INTEGER NOT NULL,
  made     INTEGER NOT NULL -- the revision at which it was made
);

CREATE TABLE writers (
  no          INTEGER PRIMARY KEY,
  id          TEXT    NOT NULL UNIQUE,
  public_key  BLOB,
  started     INTEGER NOT NULL,
  pruned      INTEGER NOT NULL,
  pruned_hash BLOB
);

-- Without foreign keys: a record's writer is looked up before it is stored, and
-- its session may be gone.
CREATE TABLE records (
  id           TEXT    NOT NULL PRIMARY KEY,
  writer       INTEGER NOT NULL,
  seq          INTEGER NOT NULL,
  made         INTEGER NOT NULL,
  kind         TEXT    NOT NULL,
  session      TEXT    NOT NULL,
  caller       TEXT    NOT NULL,
  tool         TEXT    NOT NULL,
  outcome      TEXT    NOT NULL,
  code         TEXT    NOT NULL,
  content      BLOB,
  salt         BLOB,
  content_hash BLOB,
  hash         BLOB
);
CREATE UNIQUE INDEX records_chain ON records (writer, seq);
CREATE INDEX records_session ON records (session, id) WHERE session <> '';

CREATE TABLE checkpoints (
  no        INTEGER PRIMARY KEY,
  writer    INTEGER NOT NULL,
  seq       INTEGER NOT NULL,
  hash      BLOB,
  kind      TEXT    NOT NULL,
  made      INTEGER NOT NULL,
  signature BLOB
);
CREATE INDEX checkpoints_chain ON checkpoints (writer, seq, no);
