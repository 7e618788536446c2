-- What a memory's code is known by once its name, its place or its text has changed.
alter table anchor add column fingerprint text not null default '';

-- What breaks a rule, as JSON; '' for what cannot be checked.
alter table memory add column pattern text not null default '';
create index memory_by_pattern on memory (pattern) where pattern != '';
