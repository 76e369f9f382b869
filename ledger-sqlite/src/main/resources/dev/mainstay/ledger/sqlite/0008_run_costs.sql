-- What the calls of each run came to, agents' own included: costs by run read the dearest runs here and not every call.
-- Written in the transaction of the calls they sum.

create table run_costs (
  run            text primary key,
  first_at       integer not null,     -- when its first call started
  last_at        integer not null,     -- when its last call started
  calls          integer not null,
  failed         integer not null,
  attempts       integer not null,
  input          integer not null,
  cached_input   integer not null,
  cache_write    integer not null,
  output         integer not null,
  reasoning      integer not null,
  cost_nanos     integer not null,     -- of the calls whose price is known
  unpriced       integer not null      -- calls that used tokens at an unknown price
) without rowid;

insert into run_costs
  select run, min(started_at), max(started_at), count(*), sum(verdict is not null), sum(attempts),
         sum(coalesce(input, 0)), sum(coalesce(cached_input, 0)), sum(coalesce(cache_write, 0)),
         sum(coalesce(output, 0)), sum(coalesce(reasoning, 0)), sum(coalesce(cost_nanos, 0)),
         sum(input is not null and cost_nanos is null)
  from calls where run is not null group by run;

create index run_costs_dearest on run_costs (cost_nanos desc, attempts desc);

drop index calls_by_start;
