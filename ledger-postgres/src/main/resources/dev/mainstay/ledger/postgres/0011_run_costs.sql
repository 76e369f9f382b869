-- What the calls of each run came to, agents' own included: costs by run read the dearest runs here and not every call.
-- Written in the transaction of the calls they sum.

create table run_costs (
  run            text primary key,
  first_at       bigint not null,      -- when its first call started
  last_at        bigint not null,      -- when its last call started
  calls          bigint not null,
  failed         bigint not null,
  attempts       bigint not null,
  input          bigint not null,
  cached_input   bigint not null,
  cache_write    bigint not null,
  output         bigint not null,
  reasoning      bigint not null,
  cost_nanos     bigint not null,      -- of the calls whose price is known
  unpriced       bigint not null       -- calls that used tokens at an unknown price
);

insert into run_costs
  select run, min(started_at), max(started_at), count(*), sum((verdict is not null)::int), sum(attempts),
         sum(coalesce(input, 0)), sum(coalesce(cached_input, 0)), sum(coalesce(cache_write, 0)),
         sum(coalesce(output, 0)), sum(coalesce(reasoning, 0)), sum(coalesce(cost_nanos, 0)),
         sum((input is not null and cost_nanos is null)::int)
  from calls where run is not null group by run;

create index run_costs_dearest on run_costs (cost_nanos desc, attempts desc);
