-- Calls and attempts as they ended. Rows are written once and deleted by retention alone. Times are microseconds since
-- 1970, lengths of time are microseconds. A place is day:id:length, of a row in bodies; null where nothing was kept.

create sequence call_numbers;

create table calls (
  seq            bigint primary key,   -- nearly the order in which calls ended
  id             text not null unique,
  run            text,
  parent         text,
  client         text,
  started_at     bigint not null,
  dialect        text not null,
  path           text not null,
  model          text,
  target         text,
  stream         integer not null,
  status         integer not null,
  verdict        text,
  recovery       text not null,        -- names, comma between
  attempts       integer not null,
  input          bigint,               -- tokens: all null where unknown
  cached_input   bigint,
  cache_write    bigint,
  output         bigint,
  reasoning      bigint,
  estimated      integer,
  cost_nanos     bigint,               -- nano-dollars; null where unknown
  price_version  text,
  first_token    bigint,
  total          bigint not null,
  request        text,                 -- what the client sent
  response       text                  -- what the client got
);
create index calls_by_run on calls (run, seq) where run is not null;
create index calls_by_client on calls (client, seq) where client is not null;
create index calls_failed on calls (seq) where verdict is not null;
create index calls_by_start on calls (started_at);

create table attempts (
  call_seq       bigint not null,
  number         integer not null,
  target         text not null,
  waited         bigint not null,
  started_at     bigint not null,
  headers_at     bigint,
  first_token_at bigint,
  ended_at       bigint not null,
  status         integer,
  failure        text,
  verdict        text,
  rule           text,
  decision       text not null,
  reason         text not null,
  bytes_sent     bigint not null,
  bytes_received bigint not null,
  input          bigint,
  cached_input   bigint,
  cache_write    bigint,
  output         bigint,
  reasoning      bigint,
  estimated      integer,
  cost_nanos     bigint,
  request        text,
  response       text,
  primary key (call_seq, number)
);

-- What was used and paid, an hour a row: pages ask these instead of every call. Written in the transaction of the calls
-- they sum, so that neither is there without the other.
create table costs_hourly (
  hour           bigint not null,      -- since 1970, by when the call started
  client         text not null,        -- empty: none
  target         text not null,        -- provider/model of the attempts; empty: calls nobody answered
  calls          bigint not null,      -- that this target answered
  failed         bigint not null,      -- of those with an empty target
  attempts       bigint not null,
  input          bigint not null,
  cached_input   bigint not null,
  cache_write    bigint not null,
  output         bigint not null,
  reasoning      bigint not null,
  cost_nanos     bigint not null,      -- of the attempts whose price is known
  unpriced       bigint not null,      -- attempts that used tokens at an unknown price
  primary key (hour, client, target)
) with (fillfactor = 70);

-- One partition a day, so that retention drops tables and leaves no dead rows behind.
create table bodies (
  day            integer not null,     -- since 1970
  id             bigint not null,
  bytes          bytea not null
) partition by list (day);
create index bodies_by_id on bodies (id);
