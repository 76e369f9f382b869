-- Which target and key made each object that a provider keeps. Times are microseconds since 1970.

create table provider_objects (
  number         bigint generated always as identity primary key,
  id             text not null,
  provider       text not null,
  model          text not null,        -- '' where none made it
  api_key        text not null,        -- stands for the key; '' where the provider needs none
  client         text not null,        -- '' where none is needed
  lasting        bigint not null,     -- 1: its provider keeps it until it is deleted
  expires_at     bigint not null
);
create unique index provider_objects_by_id on provider_objects (id, provider);
create index provider_objects_by_age on provider_objects (lasting, number);
create index provider_objects_by_expiry on provider_objects (expires_at);
