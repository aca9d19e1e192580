-- A record is what a plugin found on one page, an object what records of several pages describe.

ALTER TABLE object RENAME TO record;
ALTER TABLE cluster RENAME TO object;
ALTER TABLE cluster_link RENAME TO member_link;

ALTER TABLE extraction RENAME COLUMN objects TO records;
ALTER TABLE member RENAME COLUMN object_id TO record_id;
ALTER TABLE member RENAME COLUMN last_object_id TO last_record_id;
ALTER TABLE member RENAME COLUMN cluster_id TO object_id;
ALTER TABLE sighting RENAME COLUMN object_id TO record_id;

DROP INDEX cluster_vertical;
DROP INDEX cluster_merged;
DROP INDEX cluster_stale;
DROP INDEX member_cluster;
CREATE INDEX object_vertical ON object (warehouse_id, id) WHERE merged_into IS NULL;
CREATE INDEX object_merged ON object (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX object_stale ON object (warehouse_id, id) WHERE stale = 1 AND merged_into IS NULL;
CREATE INDEX member_object ON member (object_id);

-- All times are milliseconds since 1970.
UPDATE record SET expires_at = expires_at * 1000 WHERE expires_at IS NOT NULL;
UPDATE object SET expires_at = expires_at * 1000 WHERE expires_at IS NOT NULL;
