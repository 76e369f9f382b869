-- What is kept to be given or made again is bounded in bytes. The totals are kept by triggers, in the transaction of
-- each change, so that nobody ever counts rows. A row counts with 512 bytes beside its texts.

alter table kept_calls add column bytes integer not null default 0;

update kept_calls set bytes = 512 + length(request_headers) + length(request_body)
  + coalesce(length(answer_headers), 0) + coalesce(length(answer_body), 0);

update idempotency set bytes = 512 + length(headers) + length(body) where status is not null;

create index kept_calls_done on kept_calls (ended_at) where stand in ('answered', 'redriven', 'discarded');

create table kept_bytes (
  one            integer primary key,  -- there is one row
  owed           integer not null,     -- of calls that run, and of dead letters
  done           integer not null      -- of all others, and of answers under idempotency keys
);

insert into kept_bytes (one, owed, done) values (1,
  (select coalesce(sum(bytes), 0) from kept_calls where stand in ('running', 'dead')),
  (select coalesce(sum(bytes), 0) from kept_calls where stand not in ('running', 'dead'))
    + (select coalesce(sum(bytes), 0) from idempotency));

create trigger kept_calls_added after insert on kept_calls begin
  update kept_bytes set
    owed = owed + iif(new.stand in ('running', 'dead'), new.bytes, 0),
    done = done + iif(new.stand in ('running', 'dead'), 0, new.bytes);
end;

create trigger kept_calls_changed after update of stand, bytes on kept_calls begin
  update kept_bytes set
    owed = owed + iif(new.stand in ('running', 'dead'), new.bytes, 0) - iif(old.stand in ('running', 'dead'), old.bytes, 0),
    done = done + iif(new.stand in ('running', 'dead'), 0, new.bytes) - iif(old.stand in ('running', 'dead'), 0, old.bytes);
end;

create trigger kept_calls_gone after delete on kept_calls begin
  update kept_bytes set
    owed = owed - iif(old.stand in ('running', 'dead'), old.bytes, 0),
    done = done - iif(old.stand in ('running', 'dead'), 0, old.bytes);
end;

create trigger idempotency_changed after update of bytes on idempotency begin
  update kept_bytes set done = done + new.bytes - old.bytes;
end;

create trigger idempotency_gone after delete on idempotency begin
  update kept_bytes set done = done - old.bytes;
end;
