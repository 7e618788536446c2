-- Commits, the newest first by their time: why the code is as it is, and what changed together.
create table commit_row (
    rowid integer primary key,
    sha text not null unique,
    at integer not null,
    subject text not null,
    files integer not null                      -- how many it changed, those left out included
) strict;

-- What they changed, by the paths of today.
create table commit_file (
    commit_row integer not null references commit_row (rowid) on delete cascade,
    path text not null,
    primary key (commit_row, path)
) strict, without rowid;
create index commit_by_path on commit_file (path);

-- What a path of earlier commits is called today.
create table renamed (
    old text primary key,
    new text not null
) strict, without rowid;
create index renamed_by_new on renamed (new);

create virtual table commit_words using fts5 (
    subject, body, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);
