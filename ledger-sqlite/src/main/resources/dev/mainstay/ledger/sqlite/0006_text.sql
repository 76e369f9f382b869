-- The words of recorded bodies: a row for a call, by its seq. The words alone are kept, not the texts they came from.
-- Words arrive in small letters with a space between, which is all that this tokenizer has to know.

create virtual table call_text using fts5(words, content='', contentless_delete=1, tokenize='ascii');

-- The last call whose words came from bodies of a segment: they go when it goes.
create table call_text_segments (
  segment        integer primary key,
  last_seq       integer not null
);
