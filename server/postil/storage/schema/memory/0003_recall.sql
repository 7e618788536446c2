-- Where each term stands: what ranking by our own formula reads.
create virtual table memory_places using fts5vocab (memory_words, instance);
create virtual table episode_places using fts5vocab (episode_words, instance);

-- What a question with a time in it asks for.
create index memory_by_event on memory (coalesce(nullif(event_at, 0), created_at));
create index episode_by_time on episode (at);

-- Which searchable rows changed, in order: what a mirror of them in memory follows. No text.
create table change (
    number integer primary key autoincrement,
    shelf text not null,
    item integer not null
) strict;
create table change_epoch (epoch integer not null) strict;
insert into change_epoch values (random());

create trigger memory_is_new after insert on memory begin
    insert into change (shelf, item) values ('memory', new.rowid);
    delete from change where number <= last_insert_rowid() - 200000;
end;
create trigger memory_is_changed after update on memory begin
    insert into change (shelf, item) values ('memory', new.rowid);
    delete from change where number <= last_insert_rowid() - 200000;
end;
create trigger memory_is_gone after delete on memory begin
    insert into change (shelf, item) values ('memory', old.rowid);
    delete from change where number <= last_insert_rowid() - 200000;
end;
create trigger episode_is_new after insert on episode begin
    insert into change (shelf, item) values ('episode', new.rowid);
    delete from change where number <= last_insert_rowid() - 200000;
end;
create trigger episode_is_changed after update on episode begin
    insert into change (shelf, item) values ('episode', new.rowid);
    delete from change where number <= last_insert_rowid() - 200000;
end;
create trigger episode_is_gone after delete on episode begin
    insert into change (shelf, item) values ('episode', old.rowid);
    delete from change where number <= last_insert_rowid() - 200000;
end;

-- Numbers of fits only grow, so what lacks a vector of the current one has a smaller one.
drop index memory_by_vector;
create index memory_by_vector on memory (vector_model) where status in ('active', 'proposed');
create index memory_by_created on memory (created_at);
