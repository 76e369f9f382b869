-- Sessions have one run at a time, and ends of runs are told. Times are microseconds since 1970.

create index runs_by_session on runs (client, session, seq) where session is not null;

create table run_notices (
  run            bigint primary key,  -- its seq
  url            text not null,
  tries          integer not null,
  due_at         bigint not null
);

create index run_notices_due on run_notices (due_at);
