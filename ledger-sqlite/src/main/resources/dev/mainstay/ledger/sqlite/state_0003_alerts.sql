-- Alerts until they have arrived, and when each cause was last told of. Times are microseconds since 1970.

create table alerts (
  seq            integer primary key,
  id             text not null unique,
  cause          text not null,
  kind           text not null,
  message        text not null,
  raised_at      integer not null,
  suppressed     integer not null,
  delivery       text not null,        -- pending, delivered, failed
  tries          integer not null,
  next_at        integer,              -- null: not to be delivered any more
  trouble        text
);

create index alerts_due on alerts (next_at) where next_at is not null;

create table alert_causes (
  cause          text primary key,
  raised_at      integer not null,
  suppressed     integer not null
) without rowid;
