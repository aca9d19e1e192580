ALTER TABLE page ADD COLUMN nofollow INTEGER NOT NULL -- 1 if it asks crawlers not to follow its links
    DEFAULT 0;

ALTER TABLE page ADD COLUMN noindex INTEGER NOT NULL -- 1 if it asks crawlers not to read it
    DEFAULT 0;

-- Crawls that obeyed the tag of a page recorded it with the URL.
UPDATE page SET nofollow = 1 WHERE id IN (
    SELECT max(page.id) FROM url JOIN page ON page.url_id = url.id AND page.status BETWEEN 200 AND 299
    WHERE url.state = 'fetched' AND url.reason = 'nofollow' GROUP BY url.id);

UPDATE page SET noindex = 1 WHERE id IN (
    SELECT max(page.id) FROM url JOIN page ON page.url_id = url.id AND page.status BETWEEN 200 AND 299
    WHERE url.state = 'fetched' AND url.reason = 'noindex' GROUP BY url.id);
