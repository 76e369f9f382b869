-- What the calls of each run came to by day of UTC: costs by run add up these days where a run began before the time that
-- is asked for, or went on after it. Written in the transaction of the calls they sum.

create table run_cost_days (
  run            text not null,
  day            bigint not null,     -- since 1970, by when calls started
  calls          bigint not null,
  failed         bigint not null,
  attempts       bigint not null,
  input          bigint not null,
  cached_input   bigint not null,
  cache_write    bigint not null,
  output         bigint not null,
  reasoning      bigint not null,
  cost_nanos     bigint not null,     -- of the calls whose price is known
  unpriced       bigint not null,     -- calls that used tokens at an unknown price
  primary key (run, day)
);

insert into run_cost_days
  select run, started_at / 86400000000, count(*), sum((verdict is not null)::int), sum(attempts), sum(coalesce(input, 0)),
         sum(coalesce(cached_input, 0)), sum(coalesce(cache_write, 0)), sum(coalesce(output, 0)),
         sum(coalesce(reasoning, 0)), sum(coalesce(cost_nanos, 0)),
         sum((input is not null and cost_nanos is null)::int)
  from calls where run is not null group by 1, 2;

create index run_cost_days_by_day on run_cost_days (day);
