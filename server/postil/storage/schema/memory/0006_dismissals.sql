-- Where a person said that a rule is broken for a good reason: that line of that file, as it is written.
create table dismissal (
    memory text not null,
    path text not null,
    line text not null,                         -- a digest of the line; '' for the file as a whole
    reason text not null,
    author text not null,
    at real not null,
    primary key (memory, path, line)
) strict, without rowid;
