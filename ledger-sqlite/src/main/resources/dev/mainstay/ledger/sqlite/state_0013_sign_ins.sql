-- Who has signed in to the admin API, and who tried to. Times are microseconds since 1970.

create table sign_ins (
  digest         text primary key,     -- of the secret that the browser holds
  account        text not null,        -- '' for the admin token
  proof          text not null,        -- digest of the secret and of what the account signed in by
  expires_at     integer not null
);
create index sign_ins_by_account on sign_ins (account, expires_at);
create index sign_ins_by_expiry on sign_ins (expires_at);

create table sign_in_tries (
  number         integer primary key autoincrement,
  who            text not null,        -- digest of a name or an address
  at             integer not null
);
create index sign_in_tries_by_who on sign_in_tries (who, at);
create index sign_in_tries_by_time on sign_in_tries (at);
