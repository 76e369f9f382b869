-- What agents outside Mainstay report of their runs, and runs of all kinds in the order of time. Times are microseconds since 1970.

create table run_reports (
  number         integer primary key autoincrement,
  client         text not null,
  run            text not null,
  at             integer not null,
  id             text not null,        -- the agent's own; one report each
  type           text not null,        -- tool, memory, note, end
  content        blob not null
);

create unique index run_reports_by_id on run_reports (client, run, id);
create index run_reports_by_run on run_reports (client, run, number);
create unique index run_reports_end on run_reports (run, client) where type = 'end';
create index run_reports_by_time on run_reports (at);

create index runs_by_time on runs (accepted_at, id);
