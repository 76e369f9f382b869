-- What people did, how they judged, and what they know of failures. Times are microseconds since 1970.

create table audit_log (
  number         bigint generated always as identity primary key,
  at             bigint not null,
  who            text not null,
  role           text not null,
  action         text not null,
  origin         text not null         -- the address it came from
);
create index audit_log_by_time on audit_log (at);

create table evaluations (
  number         bigint generated always as identity primary key,
  at             bigint not null,
  run            text,
  call           text,
  note           text,
  author         text not null
);
create index evaluations_by_time on evaluations (at);
create index evaluations_by_run on evaluations (run, number) where run is not null;
create index evaluations_by_call on evaluations (call, number) where call is not null;

create table evaluation_metrics (
  evaluation     bigint not null,
  name           text not null,
  value          double precision not null,
  primary key (evaluation, name)
);

create table failure_cases (
  id             text primary key,     -- of its rule, provider and message
  rule           text not null,
  verdict        text not null,
  target         text not null,        -- that failed so last
  message        text not null,        -- its shape: numbers and names left out
  reason         text not null,        -- of the last decision
  count          bigint not null,
  first_seen     bigint not null,
  last_seen      bigint not null,
  last_call      text not null,
  closed_at      bigint not null default 0 -- 0: open
);
create index failure_cases_by_time on failure_cases (last_seen);

create table case_notes (
  number         bigint generated always as identity primary key,
  failure_case   text not null,
  at             bigint not null,
  author         text not null,
  content        text not null
);
create index case_notes_by_case on case_notes (failure_case, number);
