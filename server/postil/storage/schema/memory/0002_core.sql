alter table memory add column who text not null default '';
alter table memory add column how text not null default '';
alter table memory add column event_at real not null default 0;        -- when what it tells of happened; 0 unknown
alter table memory add column about text not null default '[]';        -- JSON list of entity names
alter table memory add column tier text not null default 'long';
alter table memory add column valid_from real not null default 0;
alter table memory add column valid_until real not null default 0;     -- 0: it still holds
alter table memory add column sources text not null default '[]';      -- JSON list of episode and memory ids
alter table memory add column commit_id text not null default '';
alter table memory add column zone_offset integer not null default 0;  -- the writer's minutes east of UTC
alter table memory add column version integer not null default 1;
alter table memory add column supersedes text not null default '[]';   -- JSON list of memory ids
alter table memory add column text_key text not null default '';       -- digest of scope and `what` alone
create index memory_by_scope on memory (scope, status);
create index memory_by_session on memory (session);
create index memory_by_text on memory (text_key);

alter table episode add column zone_offset integer not null default 0;

-- What was done: append-only but for erasure, which takes the text out of `before`.
create table event (
    number integer primary key autoincrement,
    target text not null,                       -- the id of a memory or a fact
    action text not null,
    author text not null,
    client text not null default '',
    session text not null default '',
    at real not null,
    batch text not null,                        -- the changes of one operation
    before text                                 -- JSON of the record as it was; null for a new one
) strict;
create index event_by_target on event (target, number);
create index event_by_session on event (session, number);

-- What was forgotten stays gone, whichever way it comes again: digests only, never text.
create table tombstone (
    key text primary key,
    target text not null,
    at real not null
) strict, without rowid;

create table request (
    key text primary key,                       -- the caller's own name for a write
    digest text not null,                       -- of what it wrote
    target text not null,
    at real not null
) strict, without rowid;

create table suggestion (
    id text primary key,
    new_memory text not null,
    old_memory text not null,
    verdict text not null,
    reason text not null,
    at real not null,
    opinion text not null default '',           -- what a judge said, if one was asked
    is_open integer not null default 1,
    unique (new_memory, old_memory)
) strict;

-- A bulk operation that was shown but not yet confirmed. The token itself is not kept.
create table preview (
    digest text primary key,
    action text not null,
    selection text not null,                    -- JSON: [[id, version], ...]
    expires_at real not null
) strict, without rowid;

create table entity (
    rowid integer primary key,
    scope text not null,
    name text not null,
    key text not null,                          -- the name as it is compared
    unique (scope, key)
) strict;
create table entity_alias (
    entity integer not null references entity (rowid) on delete cascade,
    scope text not null,
    alias text not null,
    key text not null,
    unique (scope, key)
) strict;
create index entity_alias_by_entity on entity_alias (entity);

create table fact (
    rowid integer primary key,
    id text not null unique,
    scope text not null,
    subject text not null,                      -- entity keys, so that aliases meet
    subject_key text not null,
    predicate text not null,
    object text not null,
    object_key text not null,
    valid_from real not null,
    valid_until real not null default 0,
    recorded_at real not null,
    status text not null default 'asserted',
    author text not null default '',
    client text not null default '',
    session text not null default '',
    sources text not null default '[]'
) strict;
create index fact_by_subject on fact (scope, subject_key, predicate, valid_from);

-- Copies of this store that Postil made, which an erasure must reach too.
create table backup (
    path text primary key,
    at real not null
) strict, without rowid;

-- Erasures whose rows are gone but whose files are not all clean yet.
create table erasure (
    number integer primary key autoincrement,
    at real not null,
    targets text not null                       -- JSON list of ids
) strict;

-- Vectors are kept by scope and in chunks now: the next fit puts them into tables of the new shape.
update vector_model set name = '';
update memory set vector_model = 0;
update episode set vector_model = 0;
