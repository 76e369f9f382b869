-- What was used and paid, an hour a row: pages ask these instead of every call. Written in the
-- transaction of the calls they sum, so that neither is there without the other.

create table costs_hourly (
  hour           integer not null,     -- since 1970, by when the call started
  client         text not null,        -- empty: none
  target         text not null,        -- provider/model of the attempts; empty: calls nobody answered
  calls          integer not null,     -- that this target answered
  failed         integer not null,     -- of those with an empty target
  attempts       integer not null,
  input          integer not null,
  cached_input   integer not null,
  cache_write    integer not null,
  output         integer not null,
  reasoning      integer not null,
  cost_nanos     integer not null,     -- of the attempts whose price is known
  unpriced       integer not null,     -- attempts that used tokens at an unknown price
  primary key (hour, client, target)
) without rowid;

insert into costs_hourly
  select c.started_at / 3600000000, coalesce(c.client, ''), a.target, 0, 0, count(*),
         sum(coalesce(a.input, 0)), sum(coalesce(a.cached_input, 0)), sum(coalesce(a.cache_write, 0)),
         sum(coalesce(a.output, 0)), sum(coalesce(a.reasoning, 0)), sum(coalesce(a.cost_nanos, 0)),
         sum(a.input is not null and a.cost_nanos is null)
  from attempts a join calls c on c.seq = a.call_seq group by 1, 2, 3;

insert into costs_hourly
  select started_at / 3600000000, coalesce(client, ''), coalesce(target, ''), count(*),
         sum(verdict is not null), 0, 0, 0, 0, 0, 0, 0, 0
  from calls where true group by 1, 2, 3
  on conflict (hour, client, target) do update set
    calls = calls + excluded.calls, failed = failed + excluded.failed;
