-- What the calls of one client under one x-mainstay-run add up to. Written in the transaction of the calls they sum.

create table call_runs (
  client         text not null,        -- '' where no client key is needed
  run            text not null,
  parent         text,
  first_at       integer not null,     -- when the first call started
  last_at        integer not null,     -- when the last one ended
  last_failed    integer not null,
  calls          integer not null,
  failed         integer not null,
  attempts       integer not null,
  input          integer not null,
  cached_input   integer not null,
  cache_write    integer not null,
  output         integer not null,
  reasoning      integer not null,
  cost_nanos     integer not null,     -- of the calls whose price is known
  unpriced       integer not null,     -- calls that used tokens at an unknown price
  primary key (client, run)
) without rowid;

create index call_runs_by_time on call_runs (first_at, run);
create index call_runs_by_run on call_runs (run);
create index call_runs_by_parent on call_runs (parent, first_at) where parent is not null;

insert into call_runs
  select coalesce(client, ''), run, max(parent), min(started_at), max(started_at + total), 0, count(*),
         sum(verdict is not null), sum(attempts), sum(coalesce(input, 0)), sum(coalesce(cached_input, 0)),
         sum(coalesce(cache_write, 0)), sum(coalesce(output, 0)), sum(coalesce(reasoning, 0)),
         sum(coalesce(cost_nanos, 0)), sum(input is not null and cost_nanos is null)
  from calls where run is not null and path <> 'in-process' group by 1, 2;
