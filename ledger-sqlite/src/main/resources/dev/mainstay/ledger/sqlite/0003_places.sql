-- Where a body is stands in the row of its call or attempt: a row of its own cost more than all the
-- rest of the row. A place is segment:offset:length; null where nothing was kept.

alter table calls add column request text;      -- what the client sent
alter table calls add column response text;     -- what the client got
alter table attempts add column request text;
alter table attempts add column response text;

update calls set
  request = (select segment || ':' || offset || ':' || length from bodies
             where call_seq = seq and attempt = 0 and part = 0),
  response = (select segment || ':' || offset || ':' || length from bodies
              where call_seq = seq and attempt = 0 and part = 1)
  where seq in (select call_seq from bodies);

update attempts set
  request = (select segment || ':' || offset || ':' || length from bodies b
             where b.call_seq = attempts.call_seq and b.attempt = number and part = 0),
  response = (select segment || ':' || offset || ':' || length from bodies b
              where b.call_seq = attempts.call_seq and b.attempt = number and part = 1)
  where call_seq in (select call_seq from bodies);

drop table bodies;
