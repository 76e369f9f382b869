-- The words of recorded bodies, a row for a call. A partition a day, which goes with that day's bodies.

create table call_text (
  day            integer not null,     -- since 1970
  call_seq       bigint not null,
  words          tsvector not null
) partition by list (day);
create index call_text_by_call on call_text (call_seq);
create index call_text_by_word on call_text using gin (words);
