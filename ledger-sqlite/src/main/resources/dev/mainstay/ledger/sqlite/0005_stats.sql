-- What calls came to, an hour a row: pages ask these instead of every call. Mainstay sums the calls that are there already
-- when it has made these tables.

create table stats_hourly (
  what           text not null,        -- all, model, client, target, kind, agent
  hour           integer not null,     -- since 1970, by when calls started
  name           text not null,        -- of the model, client, …; empty: none
  stats          blob not null,        -- counters, kinds of failures, latencies: as CallStats writes them
  primary key (what, hour, name)
) without rowid;

-- Calls are numbered as they end. The numbers of those that started in an hour lie between these two.
create table call_hours (
  hour           integer primary key,  -- since 1970
  first_seq      integer not null,
  last_seq       integer not null
);

drop table costs_hourly;

-- What the pages filter by, newest first.
create index calls_by_model on calls (model, seq) where model is not null;
create index calls_by_target on calls (target, seq) where target is not null;
create index calls_by_status on calls (status, seq) where status <> 200;
create index calls_by_kind on calls (ltrim(verdict, 'ACEFGILNORST/'), seq) where verdict is not null;
create index calls_recovered on calls (seq) where recovery <> '';
create index calls_by_start on calls (started_at) where run is not null;
