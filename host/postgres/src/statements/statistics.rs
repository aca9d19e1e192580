//! Statements that sum over a workspace, and read the results of plugins.

use crate::statement::{Route, Statement, statements};

statements! {
    TOTALS_OF_ALL Everything "SELECT (SELECT count(*) FROM magpie.page), (SELECT count(*) FROM magpie.record WHERE standing),
        (SELECT count(*) FROM magpie.site), count(DISTINCT name), coalesce(sum(bytes), 0)::int8 FROM magpie.segment"

    COMPONENT_TOTALS Everything "SELECT vertical, version, digest, options, outcome, pages, hits, records, violations, cpu
        FROM (SELECT component, outcome, count(*) AS pages, count(nullif(records, 0)) AS hits, sum(records)::int8 AS records,
                sum(violations)::int8 AS violations, sum(cpu)::int8 AS cpu
            FROM magpie.extraction GROUP BY component, outcome) AS totals
        JOIN magpie.component USING (component) ORDER BY component, outcome"

    EXTRACTIONS Bucket "SELECT vertical, version, digest, options, outcome, detail, records, violations, cpu
        FROM magpie.extraction JOIN magpie.component USING (component)
        WHERE bucket = $1 AND page = $2 ORDER BY component"

    FAILED_PAGES Everything "SELECT vertical, version, digest, options, outcome, coalesce(failed.address, url.address, ''),
            fetched_at, failed.detail
        FROM (SELECT bucket, page, component, outcome, extraction.detail, fetched_at, url, address,
                row_number() OVER (PARTITION BY component, outcome ORDER BY fetched_at DESC, page DESC) AS place
            FROM magpie.extraction JOIN magpie.page USING (bucket, page) WHERE outcome <> 'done') AS failed
        JOIN magpie.component USING (component)
        LEFT JOIN magpie.url ON url.bucket = failed.bucket AND url.url = failed.url
        WHERE place <= $1 ORDER BY component, outcome, place LIMIT $2"

    RECORDS_WAITING Everything "SELECT coalesce(sum(extraction.records), 0)::int8
        FROM magpie.site LEFT JOIN magpie.clustered ON clustered.bucket = -1 AND clustered.site = site.site
            AND clustered.warehouse = (SELECT warehouse FROM magpie.warehouse WHERE bucket = -1 AND vertical = $1)
        JOIN magpie.extraction ON extraction.bucket = site.bucket AND extraction.page
            BETWEEN ((site.site >> 10 << 41) | ((coalesce(clustered.page, 0) + 1) << 10))
            AND (site.site >> 10 << 41 | 2199023255551)
        WHERE outcome = 'done' AND extraction.component IN (SELECT component FROM magpie.component WHERE vertical = $1)"

    VIOLATION_TOTALS Everything "SELECT (page >> 41) << 10 | bucket::int8 AS site, attribute, code, sum(count)::int8, count(*)
        FROM magpie.violation JOIN magpie.component USING (component) WHERE vertical = $1
        GROUP BY 1, attribute, code ORDER BY 4 DESC, site, attribute, code LIMIT $2"

    VIOLATING_PAGES Bucket "SELECT page.page, coalesce(page.address, url.address, ''), fetched_at, count, extraction.detail
        FROM magpie.violation JOIN magpie.component USING (component)
        JOIN magpie.page ON page.bucket = $1 AND page.page = violation.page
        LEFT JOIN magpie.url ON url.bucket = $1 AND url.url = page.url
        JOIN magpie.extraction ON extraction.bucket = $1 AND extraction.page = violation.page
            AND extraction.component = violation.component
        WHERE violation.bucket = $1 AND violation.page BETWEEN $2 AND $3 AND vertical = $4 AND attribute = $5 AND code = $6
        ORDER BY violation.page DESC LIMIT $7"
}
