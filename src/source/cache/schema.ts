/** The schema of `state.db`. Tables named durable contain data that no service can answer again. */

/** Every change of the schema of `state.db`: entry n brings version n to n + 1. Only append. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE responses (
    service TEXT NOT NULL, operation TEXT NOT NULL, request TEXT NOT NULL, digest TEXT,
    bytes INTEGER NOT NULL, missing_code TEXT, missing_message TEXT, etag TEXT NOT NULL,
    last_modified TEXT NOT NULL, manufacturer TEXT NOT NULL, convertdate TEXT NOT NULL,
    fetched_on TEXT NOT NULL, PRIMARY KEY (service, operation, request)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE snapshots (
    service TEXT NOT NULL, request TEXT NOT NULL, record TEXT NOT NULL,
    PRIMARY KEY (service, request)
  ) STRICT, WITHOUT ROWID;`,

  `CREATE TABLE permanent_ids (
    service TEXT NOT NULL, id TEXT NOT NULL, article TEXT NOT NULL, PRIMARY KEY (service, id)
  ) STRICT, WITHOUT ROWID;`,

  `CREATE TABLE builds (
    source TEXT NOT NULL PRIMARY KEY, record TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;`,

  // A response from before the first run that recorded its start belongs to no run that is continued.
  // In snapshots the small columns come before the large one: reading them does not read its pages.
  `ALTER TABLE responses ADD COLUMN asked_at INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE snapshots RENAME TO snapshots_v1;
  CREATE TABLE snapshots (
    id INTEGER PRIMARY KEY, service TEXT NOT NULL, request TEXT NOT NULL, kept TEXT,
    record TEXT NOT NULL, UNIQUE (service, request)
  ) STRICT;
  INSERT INTO snapshots (service, request, record) SELECT * FROM snapshots_v1;
  DROP TABLE snapshots_v1;
  CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, service TEXT NOT NULL, output TEXT NOT NULL,
    host TEXT NOT NULL, pid INTEGER NOT NULL, started_at INTEGER NOT NULL
  ) STRICT;`,

  `CREATE TABLE failures (
    output TEXT NOT NULL, request TEXT NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL,
    attempts INTEGER NOT NULL, nights INTEGER NOT NULL, first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL, conditions TEXT NOT NULL, root TEXT NOT NULL,
    PRIMARY KEY (output, request)
  ) STRICT, WITHOUT ROWID;`,

  `CREATE TABLE decisions (
    output TEXT NOT NULL, key TEXT NOT NULL, run TEXT NOT NULL, tier TEXT NOT NULL,
    why TEXT NOT NULL, PRIMARY KEY (output, key)
  ) STRICT, WITHOUT ROWID;`,

  // Uses of snapshots have their own table, so that recording a use does not rewrite the snapshot.
  `CREATE TABLE bodies (
    digest TEXT NOT NULL PRIMARY KEY, bytes INTEGER NOT NULL, used_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO bodies
    SELECT digest, MAX(bytes), MAX(asked_at) FROM responses
    WHERE digest IS NOT NULL GROUP BY digest;
  ALTER TABLE builds ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE snapshot_uses (
    id INTEGER PRIMARY KEY, used_at INTEGER NOT NULL
  ) STRICT;`,

  // Data that can be fetched or built again is cached; other data is durable, and never evicted. GET btg sends
  // the base number of an article without a final number, and its key now has it too. The first manufacturer
  // of a summary is the article's, and no comma precedes it.
  `ALTER TABLE responses RENAME TO cached_responses;
  ALTER TABLE cached_responses RENAME COLUMN asked_at TO requested_at;
  ALTER TABLE bodies RENAME TO cached_bodies;
  ALTER TABLE snapshots RENAME TO cached_snapshots;
  ALTER TABLE cached_snapshots RENAME COLUMN kept TO summary;
  ALTER TABLE snapshot_uses RENAME TO cached_snapshot_uses;
  ALTER TABLE builds RENAME TO cached_builds;
  ALTER TABLE decisions RENAME TO cached_decisions;
  ALTER TABLE permanent_ids RENAME TO durable_permanent_ids;
  ALTER TABLE failures RENAME TO durable_failures;
  ALTER TABLE runs RENAME TO durable_runs;
  UPDATE OR REPLACE cached_responses
    SET request = json_set(request, '$[3]', json_extract(request, '$[2]'))
    WHERE operation = 'getPartsList' AND json_extract(request, '$[3]') = '';
  UPDATE cached_snapshots SET summary =
    replace(replace(replace(replace(summary, '"terms":', '"optionsDigest":'), '"vouchers":', '"stamps":'),
      ',"manufacturer":', ',"datedBy":'), '"askedAt":', '"requestedAt":');`,

  `CREATE TABLE cached_objects (
    output TEXT NOT NULL, digest TEXT NOT NULL, bytes INTEGER NOT NULL, modified_ms REAL NOT NULL,
    PRIMARY KEY (output, digest)
  ) STRICT, WITHOUT ROWID;`,

  `CREATE TABLE durable_work (
    output TEXT NOT NULL, request TEXT NOT NULL, in_work INTEGER NOT NULL, kills INTEGER NOT NULL,
    PRIMARY KEY (output, request)
  ) STRICT, WITHOUT ROWID;`,

  `ALTER TABLE cached_responses ADD COLUMN expected_nodes INTEGER;
  CREATE TABLE durable_refusals (
    service TEXT NOT NULL, output TEXT NOT NULL, started_at INTEGER NOT NULL, PRIMARY KEY (service, output)
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE durable_failures ADD COLUMN dates TEXT NOT NULL DEFAULT '{}';`,

  `ALTER TABLE durable_runs ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE durable_runs ADD COLUMN paused_until INTEGER NOT NULL DEFAULT 0;`,
];
