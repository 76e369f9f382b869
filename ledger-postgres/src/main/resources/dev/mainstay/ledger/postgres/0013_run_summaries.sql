-- What lists show of a run, in the format of who writes its journal, as of its last entries; null: they did not say.
alter table runs add column summary text;
