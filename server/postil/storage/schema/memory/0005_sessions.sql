-- What was put before a session already, so that it is not said twice until the session forgets it.
create table injected (
    session text not null,
    mark text not null,                         -- the id of a memory, or what else must happen once
    at real not null,
    primary key (session, mark)
) strict, without rowid;
create index injected_by_time on injected (at);

-- What a list of memories is chosen and ordered by, without reading their texts.
create index memory_by_worth on memory (
    status, kind, scope, pinned, importance, created_at, valid_from, valid_until
);
