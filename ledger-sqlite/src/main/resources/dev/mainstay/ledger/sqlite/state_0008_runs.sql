-- Agents' runs: the queue, who works on which, journals, and messages to runs. Times are microseconds since 1970.

create table runs (
  seq            integer primary key,
  id             text not null unique,
  agent          text not null,
  client         text not null,        -- '' where no client key is needed
  key            text,
  body_hash      text not null,
  parent         text,
  session        text,
  priority       integer not null,
  status         text not null,        -- queued, running, parked, ended
  accepted_at    integer not null,
  expires_at     integer not null,     -- when the key is free again
  ended_at       integer,
  entries        integer not null,     -- in the journal
  token          integer not null,     -- grows with each lease
  holder         integer not null,     -- the instance that has the lease; 0: none
  wake_at        integer,
  posted         integer not null,     -- the number of the last message
  outcome        text
);

create index runs_by_key on runs (client, key) where key is not null;
create index runs_queued on runs (priority desc, seq) where status = 'queued';
create index runs_parked on runs (wake_at) where status = 'parked';
create index runs_running on runs (holder) where status = 'running';
create index runs_ended on runs (ended_at) where status = 'ended';
create index runs_by_parent on runs (parent, id) where parent is not null;
create index runs_by_agent on runs (agent, id);

create table journal (
  run            integer not null,
  sequence       integer not null,     -- from 1, without gaps
  at             integer not null,
  kind           text not null,
  payload        blob not null,
  primary key (run, sequence)
) without rowid;

create table run_messages (
  number         integer primary key autoincrement,
  run            integer not null,
  at             integer not null,
  kind           text not null,
  about          text,                 -- the matter that it decides; one message each
  content        blob not null,
  author         text not null
);

create index run_messages_by_run on run_messages (run, number);
create unique index run_messages_about on run_messages (run, about) where about is not null;
