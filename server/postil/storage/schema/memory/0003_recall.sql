-- Where each term stands: what ranking by our own formula reads.
create virtual table memory_places using fts5vocab (memory_words, instance);
create virtual table episode_places using fts5vocab (episode_words, instance);
