create table file (
    rowid integer primary key,
    path text not null unique,
    language text not null,
    content_hash text not null,
    size integer not null,
    mtime_ns integer not null,
    errors integer not null default 0,          -- 1: the tree has syntax errors, symbols around them may be missing
    uses_read integer not null default 0,       -- 1: its calls and bases are in the table `use`
    rank real not null default 0                -- how central it is among what is imported, 0..1
) strict;
create index file_without_uses on file (uses_read) where uses_read = 0;

create table symbol (
    rowid integer primary key autoincrement,    -- never given again: vectors are computed outside of transactions
    file integer not null references file (rowid) on delete cascade,
    name text not null,
    qualified text not null,
    kind text not null,
    line integer not null,
    end_line integer not null,
    column_byte integer not null,
    signature text not null,
    doc text not null,
    content_hash text not null,
    has_vector integer not null default 0
) strict;
create index symbol_by_file on symbol (file, line);
create index symbol_by_name on symbol (name);
create index symbol_by_hash on symbol (content_hash);
create index symbol_without_vector on symbol (has_vector) where has_vector = 0;

create table import (
    file integer not null references file (rowid) on delete cascade,
    module text not null,
    line integer not null,
    statement text not null
) strict;
create index import_by_file on import (file);

-- Which files of the project an import leads to.
create table link (
    file integer not null references file (rowid) on delete cascade,
    line integer not null,
    target integer not null references file (rowid) on delete cascade,
    primary key (file, line, target)
) strict, without rowid;
create index link_by_target on link (target);

create table skip (
    path text primary key,
    reason text not null
) strict, without rowid;

create table meta (
    key text primary key,
    value text not null
) strict, without rowid;

create virtual table symbol_words using fts5 (
    name, owner, doc, body,
    content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);
