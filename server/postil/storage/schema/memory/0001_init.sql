create table memory (
    rowid integer primary key,
    id text not null unique,
    scope text not null,
    kind text not null,
    what text not null,
    why text not null default '',
    tags text not null default '[]',            -- JSON list of texts
    importance real not null default 0.5 check (importance between 0 and 1),
    pinned integer not null default 0,
    status text not null default 'active',
    author text not null default '',
    client text not null default '',
    session text not null default '',
    source text not null default '',            -- where first knowledge came from: comment:PATH, commit:SHA, ...
    created_at real not null,                   -- seconds since the epoch, UTC
    updated_at real not null,
    superseded_by text not null default '',
    content_key text not null,                  -- digest of scope, kind and text: a second write is no second row
    vector_model integer not null default 0     -- the current fit, once it has a vector of it
) strict;
create index memory_by_status on memory (status, kind, created_at desc);
create index memory_by_vector on memory (vector_model);
create unique index memory_by_content on memory (content_key) where status in ('active', 'proposed');

create table anchor (
    rowid integer primary key,
    memory integer not null references memory (rowid) on delete cascade,
    path text not null,
    symbol text not null default '',
    symbol_kind text not null default '',
    content_hash text not null default '',
    commit_id text not null default '',
    unique (memory, path, symbol)
) strict;
create index anchor_by_path on anchor (path, symbol);
create index anchor_by_symbol on anchor (symbol);
create index anchor_by_content on anchor (content_hash);

create table episode (
    rowid integer primary key,
    id text not null unique,
    session text not null,
    ordinal integer not null,
    role text not null,
    text text not null,
    client text not null default '',
    at real not null default 0,
    transcript text not null default '',        -- path and byte range it was read from
    start_byte integer not null default 0,
    end_byte integer not null default 0,
    vector_model integer not null default 0
) strict;
create index episode_by_place on episode (session, ordinal);
create index episode_by_vector on episode (vector_model);

create table transcript_cursor (
    path text primary key,
    offset integer not null                     -- the next byte to read
) strict, without rowid;

create virtual table memory_words using fts5 (
    what, why, extra, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);
create virtual table episode_words using fts5 (
    text, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);
create virtual table memory_terms using fts5vocab (memory_words, row);
create virtual table episode_terms using fts5vocab (episode_words, row);

-- A fit: the token counts and the mean that the static embedder weighed the vectors of this store with.
create table vector_model (
    number integer primary key,
    name text not null,
    dimension integer not null,
    fitted_rows integer not null,
    counts blob not null,
    mean blob not null,
    is_current integer not null default 0
) strict;
