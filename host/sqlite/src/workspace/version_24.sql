CREATE TABLE rewrite (
    -- Archives with records that no page has any more. They are to be written again without these.
    archive_id INTEGER PRIMARY KEY REFERENCES archive (id) -- archive
);

CREATE TABLE waste (
    -- Files of the archive that are to be removed, unless `archive` has them.
    name TEXT PRIMARY KEY -- name as in `archive`
) WITHOUT ROWID;

ALTER TABLE page ADD COLUMN pruned_at INTEGER -- time at which its body was removed from the archive; null if it was not
    DEFAULT NULL;

ALTER TABLE page ADD COLUMN pruned_by TEXT -- limit for which its body was removed; null if it was not
    DEFAULT NULL;
