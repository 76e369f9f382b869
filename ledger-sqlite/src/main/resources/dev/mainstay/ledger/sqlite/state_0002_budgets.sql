-- What accounts have spent, in nano-dollars, and what calls that have not ended may cost at most.

create table budgets (
  account        text not null,
  period         integer not null,     -- when it began, seconds since 1970; 0: the only one
  spent          integer not null,
  used_at        integer not null,     -- microseconds since 1970
  primary key (account, period)
) without rowid;

create table reservations (
  call           text not null,
  account        text not null,
  period         integer not null,
  nanos          integer not null,
  primary key (call, account, period)
) without rowid;

create index reservations_by_account on reservations (account, period, nanos);
