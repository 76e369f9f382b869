-- The second statement fails: the first must not stay.
create table half (a);
create table half (b);
