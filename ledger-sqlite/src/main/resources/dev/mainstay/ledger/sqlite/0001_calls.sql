-- Calls and attempts as they ended, and where their bodies are. Rows are written once and deleted by
-- retention alone. Times are microseconds since 1970, lengths of time are microseconds.

create table calls (
  seq            integer primary key,  -- the order in which calls ended
  id             text not null unique,
  run            text,
  parent         text,
  client         text,
  started_at     integer not null,
  dialect        text not null,
  path           text not null,
  model          text,
  target         text,
  stream         integer not null,
  status         integer not null,
  verdict        text,
  recovery       text not null,        -- names, comma between
  attempts       integer not null,
  input          integer,              -- tokens: all null where unknown
  cached_input   integer,
  cache_write    integer,
  output         integer,
  reasoning      integer,
  estimated      integer,
  cost_nanos     integer,              -- nano-dollars; null where unknown
  price_version  text,
  first_token    integer,
  total          integer not null
);

create index calls_by_run on calls (run, seq) where run is not null;
create index calls_by_client on calls (client, seq) where client is not null;
create index calls_failed on calls (seq) where verdict is not null;

create table attempts (
  call_seq       integer not null,
  number         integer not null,
  target         text not null,
  waited         integer not null,
  started_at     integer not null,
  headers_at     integer,
  first_token_at integer,
  ended_at       integer not null,
  status         integer,
  failure        text,
  verdict        text,
  rule           text,
  decision       text not null,
  reason         text not null,
  bytes_sent     integer not null,
  bytes_received integer not null,
  input          integer,
  cached_input   integer,
  cache_write    integer,
  output         integer,
  reasoning      integer,
  estimated      integer,
  cost_nanos     integer,
  primary key (call_seq, number)
) without rowid;

create table bodies (
  call_seq       integer not null,
  attempt        integer not null,     -- 0: between client and gateway
  part           integer not null,     -- 0: request, 1: response
  segment        integer not null,
  offset         integer not null,
  length         integer not null,
  primary key (call_seq, attempt, part)
) without rowid;
