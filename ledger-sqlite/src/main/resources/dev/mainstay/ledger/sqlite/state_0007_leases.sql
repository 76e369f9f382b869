-- What a process has in hand carries the process's token, so that another one can take it over and the first one, should
-- it come back, finds that it holds nothing any more. 0: held by none.

create table instances (
  token          integer primary key autoincrement,
  name           text not null,        -- for people
  expires_at     integer not null      -- microseconds since 1970; not used where one process has the file
);

alter table idempotency add column holder integer not null default 0;
alter table reservations add column holder integer not null default 0;
alter table kept_calls add column holder integer not null default 0;
alter table alerts add column holder integer not null default 0;

create index idempotency_held on idempotency (holder) where status is null;
create index reservations_by_holder on reservations (holder);
