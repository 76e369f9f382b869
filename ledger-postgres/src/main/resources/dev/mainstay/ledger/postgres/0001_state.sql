-- What must survive. Times are microseconds since 1970, money is nano-dollars, truth is 0 or 1: the statements that use
-- these tables are those of the embedded store.

-- Who writes this store. What a process has in hand carries its token, so that another one can take it over and the first
-- one, should it come back, finds that it holds nothing any more. 0: held by none.
create table instances (
  token          bigint generated always as identity primary key,
  name           text not null,        -- for people
  expires_at     bigint not null       -- by this server's clock
);

-- Idempotency keys and the answers given under them.
create table idempotency (
  id             bigint generated always as identity primary key,
  client         text not null,        -- '' where no client key is needed
  key            text not null,
  body_hash      text not null,
  call           text not null,
  holder         bigint not null,
  claimed_at     bigint not null,
  expires_at     bigint not null,
  bytes          bigint not null default 0,
  status         integer,              -- null until the call has answered
  streamed       integer,
  headers        text,
  body           bytea
);
create unique index idempotency_by_key on idempotency (client, key);
create index idempotency_by_expiry on idempotency (expires_at);
create index idempotency_answered on idempotency (id) where status is not null;
create index idempotency_held on idempotency (holder) where status is null;

-- What accounts have spent, and what calls that have not ended may cost at most.
create table budgets (
  account        text not null,
  period         bigint not null,      -- when it began, seconds since 1970; 0: the only one
  spent          bigint not null,
  used_at        bigint not null,
  primary key (account, period)
);
create table reservations (
  call           text not null,
  account        text not null,
  period         bigint not null,
  nanos          bigint not null,
  holder         bigint not null,
  primary key (call, account, period)
);
create index reservations_by_account on reservations (account, period) include (nanos);
create index reservations_by_holder on reservations (holder);

-- Alerts until they have arrived, and when each cause was last told of.
create table alerts (
  seq            bigint generated always as identity primary key,
  id             text not null unique,
  cause          text not null,
  kind           text not null,
  message        text not null,
  raised_at      bigint not null,
  suppressed     integer not null,
  delivery       text not null,        -- pending, delivered, failed
  tries          integer not null,
  next_at        bigint,               -- null: not to be delivered any more
  trouble        text,
  holder         bigint not null default 0
);
create index alerts_due on alerts (next_at) where next_at is not null;
create index alerts_held on alerts (holder) where holder <> 0;
create table alert_causes (
  cause          text primary key,
  raised_at      bigint not null,
  suppressed     integer not null
);

-- Calls that must not be lost, with what was asked and what was answered.
create table kept_calls (
  seq             bigint generated always as identity primary key,
  call            text not null unique,
  stand           text not null,       -- running, answered, dead, redriven, discarded
  holder          bigint not null,
  accepted_at     bigint not null,
  ended_at        bigint,
  expires_at      bigint not null,
  bytes           bigint not null,
  verdict         text,
  redriven_as     text,
  client          text not null,       -- '' where no client key is needed
  async           integer not null,
  key             text,
  body_hash       text not null,
  path            text not null,
  query           text not null,
  request_headers text not null,
  request_body    bytea not null,
  status          integer,
  streamed        integer,
  answer_headers  text,
  answer_body     bytea
);
create index kept_calls_by_key on kept_calls (client, key) where key is not null;
create index kept_calls_by_stand on kept_calls (stand, ended_at);
create index kept_calls_by_expiry on kept_calls (expires_at);
create index kept_calls_running on kept_calls (holder, accepted_at) where stand = 'running';
create index kept_calls_done on kept_calls (ended_at) where stand in ('answered', 'redriven', 'discarded');

-- What is kept to be given or made again is bounded in bytes. Triggers keep the totals in the transaction of each change.
-- Each connection adds to a row of its own, so that gateways do not wait for each other; the totals are the sums.
create table kept_bytes (
  shard          integer primary key,
  owed           bigint not null,      -- of calls that run, and of dead letters
  done           bigint not null       -- of all others, and of answers under idempotency keys
);

create function kept_calls_count() returns trigger language plpgsql as $$
declare
  more_owed bigint := 0;
  more_done bigint := 0;
begin
  if tg_op <> 'DELETE' then
    if new.stand in ('running', 'dead') then more_owed := new.bytes; else more_done := new.bytes; end if;
  end if;
  if tg_op <> 'INSERT' then
    if old.stand in ('running', 'dead') then more_owed := more_owed - old.bytes; else more_done := more_done - old.bytes; end if;
  end if;
  if more_owed <> 0 or more_done <> 0 then
    insert into kept_bytes (shard, owed, done) values (pg_backend_pid() % 256, more_owed, more_done)
      on conflict (shard) do update set owed = kept_bytes.owed + excluded.owed, done = kept_bytes.done + excluded.done;
  end if;
  return null;
end $$;

create trigger kept_calls_counted after insert or delete or update of stand, bytes on kept_calls
  for each row execute function kept_calls_count();

create function idempotency_count() returns trigger language plpgsql as $$
declare
  more bigint := 0;
begin
  if tg_op <> 'DELETE' then more := new.bytes; end if;
  if tg_op <> 'INSERT' then more := more - old.bytes; end if;
  if more <> 0 then
    insert into kept_bytes (shard, owed, done) values (pg_backend_pid() % 256, 0, more)
      on conflict (shard) do update set done = kept_bytes.done + excluded.done;
  end if;
  return null;
end $$;

create trigger idempotency_counted after insert or delete or update of bytes on idempotency
  for each row execute function idempotency_count();

-- Agents' runs: the queue, who works on which, journals, and messages to runs.
create table runs (
  seq            bigint generated always as identity primary key,
  id             text not null unique,
  agent          text not null,
  client         text not null,
  key            text,
  body_hash      text not null,
  parent         text,
  session        text,
  priority       integer not null,
  status         text not null,        -- queued, running, parked, ended
  accepted_at    bigint not null,
  expires_at     bigint not null,      -- when the key is free again
  ended_at       bigint,
  entries        bigint not null,      -- in the journal
  token          bigint not null,      -- grows with each lease
  holder         bigint not null,      -- the instance that has the lease
  wake_at        bigint,
  posted         bigint not null,      -- the number of the last message
  outcome        text
) with (fillfactor = 70);
create index runs_by_key on runs (client, key) where key is not null;
create index runs_queued on runs (priority desc, seq) where status = 'queued';
create index runs_parked on runs (wake_at) where status = 'parked';
create index runs_running on runs (holder) where status = 'running';
create index runs_ended on runs (ended_at) where status = 'ended';
create index runs_by_parent on runs (parent, id) where parent is not null;
create index runs_by_agent on runs (agent, id);

create table journal (
  run            bigint not null,
  sequence       bigint not null,      -- from 1, without gaps
  at             bigint not null,
  kind           text not null,
  payload        bytea not null,
  primary key (run, sequence)
);

create table run_messages (
  number         bigint generated always as identity primary key,
  run            bigint not null,
  at             bigint not null,
  kind           text not null,
  about          text,                 -- the matter that it decides; one message each
  content        bytea not null,
  author         text not null
);
create index run_messages_by_run on run_messages (run, number);
create unique index run_messages_about on run_messages (run, about) where about is not null;
