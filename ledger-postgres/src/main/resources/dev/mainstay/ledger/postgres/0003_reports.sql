-- Runs of agents outside Mainstay: what their calls add up to, and what they report. Times are microseconds since 1970.

create table call_runs (
  client         text not null,        -- '' where no client key is needed
  run            text not null,
  parent         text,
  first_at       bigint not null,      -- when the first call started
  last_at        bigint not null,      -- when the last one ended
  last_failed    integer not null,
  calls          bigint not null,
  failed         bigint not null,
  attempts       bigint not null,
  input          bigint not null,
  cached_input   bigint not null,
  cache_write    bigint not null,
  output         bigint not null,
  reasoning      bigint not null,
  cost_nanos     bigint not null,      -- of the calls whose price is known
  unpriced       bigint not null,      -- calls that used tokens at an unknown price
  primary key (client, run)
) with (fillfactor = 70);
create index call_runs_by_time on call_runs (first_at, run);
create index call_runs_by_run on call_runs (run);
create index call_runs_by_parent on call_runs (parent, first_at) where parent is not null;

insert into call_runs
  select coalesce(client, ''), run, max(parent), min(started_at), max(started_at + total), 0, count(*),
         sum(case when verdict is not null then 1 else 0 end), sum(attempts), sum(coalesce(input, 0)),
         sum(coalesce(cached_input, 0)), sum(coalesce(cache_write, 0)), sum(coalesce(output, 0)),
         sum(coalesce(reasoning, 0)), sum(coalesce(cost_nanos, 0)),
         sum(case when input is not null and cost_nanos is null then 1 else 0 end)
  from calls where run is not null and path <> 'in-process' group by 1, 2;

create table run_reports (
  number         bigint generated always as identity primary key,
  client         text not null,
  run            text not null,
  at             bigint not null,
  id             text not null,        -- the agent's own; one report each
  type           text not null,        -- tool, memory, note, end
  content        bytea not null
);
create unique index run_reports_by_id on run_reports (client, run, id);
create index run_reports_by_run on run_reports (client, run, number);
create unique index run_reports_end on run_reports (run, client) where type = 'end';
create index run_reports_by_time on run_reports (at);

create index runs_by_time on runs (accepted_at, id);
