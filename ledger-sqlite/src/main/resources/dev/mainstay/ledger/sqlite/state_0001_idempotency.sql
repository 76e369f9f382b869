-- Idempotency keys and the answers given under them. Times are microseconds since 1970.

create table idempotency (
  id             integer primary key,
  client         text not null,        -- '' where no client key is needed
  key            text not null,
  body_hash      text not null,
  call           text not null,
  claimed_at     integer not null,
  expires_at     integer not null,
  bytes          integer not null default 0,
  status         integer,              -- null until the call has answered
  streamed       integer,
  headers        text,
  body           blob
);

create unique index idempotency_by_key on idempotency (client, key);
create index idempotency_by_expiry on idempotency (expires_at);
