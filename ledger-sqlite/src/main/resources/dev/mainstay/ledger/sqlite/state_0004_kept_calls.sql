-- Calls that must not be lost, with what was asked and what was answered. Times are microseconds since 1970.

create table kept_calls (
  seq             integer primary key,
  call            text not null unique,
  stand           text not null,       -- running, answered, dead, redriven, discarded
  accepted_at     integer not null,
  ended_at        integer,
  expires_at      integer not null,
  verdict         text,
  redriven_as     text,
  client          text not null,       -- '' where no client key is needed
  async           integer not null,
  key             text,
  body_hash       text not null,
  path            text not null,
  query           text not null,
  request_headers text not null,
  request_body    blob not null,
  status          integer,
  streamed        integer,
  answer_headers  text,
  answer_body     blob
);

create index kept_calls_by_key on kept_calls (client, key) where key is not null;
create index kept_calls_by_stand on kept_calls (stand, ended_at);
create index kept_calls_by_expiry on kept_calls (expires_at);
