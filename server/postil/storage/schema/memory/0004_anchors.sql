-- What a memory's code is known by once its name, its place or its text has changed.
alter table anchor add column fingerprint text not null default '';
