-- The blocks of 256 numbers in which calls of a model, a target or a client are. A page reads those alone. A write adds a
-- row for a name and block, where each of the indexes that this replaces took one for every call.

create table call_blocks (
  what           text not null,        -- model, target, client
  name           text not null,        -- its first 256 characters
  block          bigint not null,      -- number / 256
  primary key (what, name, block)
);
create index call_blocks_by_block on call_blocks (block);

insert into call_blocks
  select distinct 'model', substr(model, 1, 256), seq / 256 from calls where model is not null
  union all
  select distinct 'target', substr(target, 1, 256), seq / 256 from calls where target is not null
  union all
  select distinct 'client', substr(client, 1, 256), seq / 256 from calls where client is not null;

drop index calls_by_model;
drop index calls_by_target;
drop index calls_by_client;
