-- Numbers the pages of each site. A vertical is clustered up to a page of each site.

ALTER TABLE page ADD COLUMN site_id INTEGER REFERENCES site (id) -- site in whose lease it was fetched
    DEFAULT NULL;

ALTER TABLE page ADD COLUMN number INTEGER NOT NULL -- number of the page within its site, from 1, in the order they were committed
    DEFAULT 0;

UPDATE page SET site_id = (SELECT site_id FROM url WHERE url.id = page.url_id) WHERE url_id IS NOT NULL;

-- Files such as robots.txt have no URL in the frontier. Their site is the one with their origin, or
-- the one that was being fetched at the time.
UPDATE page SET site_id = coalesce(
    (SELECT site.id FROM site WHERE substr(page.url, 1, length(site.key) + 1) = site.key || '/'),
    (SELECT before.site_id FROM page AS before WHERE before.id < page.id AND before.url_id IS NOT NULL
        ORDER BY before.id DESC LIMIT 1),
    (SELECT min(id) FROM site)
) WHERE url_id IS NULL;

UPDATE page SET number = counted.number
FROM (SELECT id, row_number() OVER (PARTITION BY site_id ORDER BY id) AS number FROM page) AS counted
WHERE counted.id = page.id;

CREATE UNIQUE INDEX page_site ON page (site_id, number);

CREATE TABLE clustered (
    -- Last clustered page of each site.
    warehouse_id INTEGER NOT NULL REFERENCES warehouse (id), -- vertical
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    page INTEGER NOT NULL, -- number of the last page whose records are clustered
    PRIMARY KEY (warehouse_id, site_id)
) WITHOUT ROWID;

INSERT INTO clustered
SELECT warehouse.id, page.site_id, max(page.number)
FROM warehouse JOIN page ON page.id <= warehouse.page_id WHERE page.site_id IS NOT NULL
GROUP BY warehouse.id, page.site_id;

ALTER TABLE warehouse DROP COLUMN page_id;

ALTER TABLE warehouse DROP COLUMN object_id;
