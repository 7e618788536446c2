-- What a file uses. Read when it is first asked for, since most files never are.
create table use (
    file integer not null references file (rowid) on delete cascade,
    caller integer references symbol (rowid) on delete cascade,     -- null: the file's own level
    kind text not null,                                             -- call, base
    name text not null,
    line integer not null,
    receiver text not null
) strict;
create index use_by_file on use (file);
create index use_by_name on use (name);
create index use_by_caller on use (caller) where caller is not null;

-- Which identifiers a file holds, whole: where a name can be used at all.
create virtual table file_words using fts5 (
    words, content='', contentless_delete=1, detail='none', tokenize="unicode61 tokenchars '_$'"
);
