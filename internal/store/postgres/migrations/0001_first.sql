-- Times are microseconds since 1970, 0 for none. Names compare byte for byte,
-- whatever the language of the database: COLLATE "C".
CREATE TABLE schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version (version) VALUES (0);

-- One row. Its write lock puts changes in order.
CREATE TABLE revision (
  value     BIGINT NOT NULL,
  forgotten BIGINT NOT NULL
);
INSERT INTO revision (value, forgotten) VALUES (0, 0);

CREATE TABLE changes (
  revision BIGINT PRIMARY KEY,
  kind     TEXT    NOT NULL,
  id       TEXT COLLATE "C" NOT NULL,
  made     BIGINT NOT NULL
);

CREATE TABLE sessions (
  id       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  owner    TEXT COLLATE "C" NOT NULL,
  widened  BIGINT NOT NULL,
  spec     BYTEA,
  labels   JSONB  NOT NULL,
  grants   BYTEA,
  ttl      BIGINT NOT NULL, -- nanoseconds
  created  BIGINT NOT NULL,
  updated  BIGINT NOT NULL,
  expires  BIGINT NOT NULL,
  revision BIGINT NOT NULL
);
CREATE INDEX sessions_owner ON sessions (owner, id);
CREATE INDEX sessions_expires ON sessions (expires);

CREATE TABLE approvals (
  id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  session    TEXT COLLATE "C" NOT NULL,
  owner      TEXT COLLATE "C" NOT NULL, -- of the session
  call_key   TEXT COLLATE "C" NOT NULL,
  state      TEXT    NOT NULL,
  human_only BIGINT NOT NULL,
  request    BYTEA,
  created    BIGINT NOT NULL,
  expires    BIGINT NOT NULL,
  outcome    TEXT    NOT NULL,
  note       TEXT    NOT NULL,
  resolver   TEXT    NOT NULL,
  resolved   BIGINT NOT NULL,
  usable_to  BIGINT NOT NULL,
  used       BIGINT NOT NULL,
  done       BIGINT NOT NULL, -- when nothing more can happen to it
  revision   BIGINT NOT NULL
);
CREATE INDEX approvals_call ON approvals (session, call_key);
CREATE INDEX approvals_session ON approvals (session, id);
CREATE INDEX approvals_owner ON approvals (owner, id);
CREATE INDEX approvals_pending ON approvals (id) WHERE state = 'pending';
CREATE INDEX approvals_waiting ON approvals (session, expires) WHERE state = 'pending';
CREATE INDEX approvals_done ON approvals (done);

CREATE TABLE tokens (
  id       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  name     TEXT COLLATE "C" NOT NULL,
  role     TEXT    NOT NULL,
  hash     BYTEA,
  created  BIGINT NOT NULL,
  expires  BIGINT NOT NULL,
  revoked  BIGINT NOT NULL,
  made     BIGINT NOT NULL -- the revision at which it was made
);

CREATE TABLE writers (
  no          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id          TEXT COLLATE "C" NOT NULL UNIQUE,
  public_key  BYTEA,
  started     BIGINT NOT NULL,
  pruned      BIGINT NOT NULL,
  pruned_hash BYTEA
);

-- Without foreign keys: a record's writer is looked up before it is stored, and
-- its session may be gone.
CREATE TABLE records (
  id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  writer       BIGINT NOT NULL,
  seq          BIGINT NOT NULL,
  made         BIGINT NOT NULL,
  kind         TEXT    NOT NULL,
  session      TEXT COLLATE "C" NOT NULL,
  caller       TEXT    NOT NULL,
  tool         TEXT    NOT NULL,
  outcome      TEXT    NOT NULL,
  code         TEXT    NOT NULL,
  content      BYTEA,
  salt         BYTEA,
  content_hash BYTEA,
  hash         BYTEA
);
CREATE UNIQUE INDEX records_chain ON records (writer, seq);
CREATE INDEX records_session ON records (session, id) WHERE session <> '';

CREATE TABLE checkpoints (
  no        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  writer    BIGINT NOT NULL,
  seq       BIGINT NOT NULL,
  hash      BYTEA,
  kind      TEXT    NOT NULL,
  made      BIGINT NOT NULL,
  signature BYTEA
);
CREATE INDEX checkpoints_chain ON checkpoints (writer, seq, no);
