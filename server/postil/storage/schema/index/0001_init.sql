create table file (
    rowid integer primary key,
    path text not null unique,
    language text not null,
    content_hash text not null,
    size integer not null,
    mtime_ns integer not null,
    errors integer not null default 0           -- 1: the tree has syntax errors, symbols around them may be missing
) strict;

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
    line integer not null
) strict;
create index import_by_file on import (file);
create index import_by_module on import (module);

create table skip (
    path text primary key,
    reason text not null
) strict, without rowid;

create table meta (
    key text primary key,
    value text not null
) strict, without rowid;

create virtual table symbol_words using fts5 (
    path, name, signature, doc, body,
    content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);
