-- What sites say by feeds as well as by sitemaps.

CREATE TABLE feed (
    -- The feeds of sites that their pages name, or that turned out to be some. They are read with the sitemaps.
    site_id INTEGER NOT NULL REFERENCES site (id), -- the site
    url TEXT NOT NULL, -- where it lies
    PRIMARY KEY (site_id, url)
) WITHOUT ROWID;

ALTER TABLE hint RENAME TO hint_before;

CREATE TABLE hint (
    -- When URLs changed last, as the site's sitemaps and feeds say.
    site_id INTEGER NOT NULL REFERENCES site (id), -- the site
    fingerprint INTEGER NOT NULL, -- as in `url`
    source TEXT NOT NULL, -- who says it: `sitemap` or `feed`
    modified_at INTEGER NOT NULL, -- when the URL is said to have changed
    seen_at INTEGER NOT NULL, -- when that was said last
    PRIMARY KEY (site_id, fingerprint, source)
) WITHOUT ROWID;

INSERT INTO hint SELECT site_id, fingerprint, 'sitemap', modified_at, seen_at FROM hint_before;

DROP TABLE hint_before;
