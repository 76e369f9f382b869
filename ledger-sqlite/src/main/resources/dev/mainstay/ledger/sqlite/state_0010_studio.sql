-- What people did, how they judged, and what they know of failures. Times are microseconds since 1970.

create table audit_log (
  number         integer primary key autoincrement,
  at             integer not null,
  who            text not null,
  role           text not null,
  action         text not null,
  origin         text not null         -- the address it came from
);
create index audit_log_by_time on audit_log (at);

create table evaluations (
  number         integer primary key autoincrement,
  at             integer not null,
  run            text,
  call           text,
  note           text,
  author         text not null
);
create index evaluations_by_time on evaluations (at);
create index evaluations_by_run on evaluations (run, number) where run is not null;
create index evaluations_by_call on evaluations (call, number) where call is not null;

create table evaluation_metrics (
  evaluation     integer not null,
  name           text not null,
  value          real not null,
  primary key (evaluation, name)
);

create table failure_cases (
  id             text primary key,     -- of its rule, provider and message
  rule           text not null,
  verdict        text not null,
  target         text not null,        -- that failed so last
  message        text not null,        -- its shape: numbers and names left out
  reason         text not null,        -- of the last decision
  count          integer not null,
  first_seen     integer not null,
  last_seen      integer not null,
  last_call      text not null,
  closed_at      integer not null default 0 -- 0: open
);
create index failure_cases_by_time on failure_cases (last_seen);

create table case_notes (
  number         integer primary key autoincrement,
  failure_case   text not null,
  at             integer not null,
  author         text not null,
  content        text not null
);
create index case_notes_by_case on case_notes (failure_case, number);
