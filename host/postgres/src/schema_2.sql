-- Files of the archive with records that no page has any more. They are to be written again without these.
CREATE TABLE magpie.rewrite (
    name text PRIMARY KEY -- as in `segment`
);

-- Files of the archive that are to be removed, unless `segment` has them.
CREATE TABLE magpie.waste (
    name text PRIMARY KEY
);

ALTER TABLE magpie.page ADD COLUMN pruned_at bigint; -- time at which its body was removed; null if it was not
ALTER TABLE magpie.page ADD COLUMN pruned_by text; -- limit for which its body was removed
