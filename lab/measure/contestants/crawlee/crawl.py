"""Crawls one site with Crawlee: crawl.py URL CONNECTIONS. Crawlee's defaults, but for what the comparison gives to all: no delay,
the same number of connections, robots.txt obeyed."""

import asyncio
import sys

from crawlee import ConcurrencySettings
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext


async def main(url, connections):
    crawler = ParselCrawler(
        concurrency_settings=ConcurrencySettings(
            min_concurrency=connections, desired_concurrency=connections, max_concurrency=connections
        ),
        respect_robots_txt_file=True,
    )

    @crawler.router.default_handler
    async def handle(context: ParselCrawlingContext) -> None:
        await context.enqueue_links(strategy="same-hostname")

    await crawler.run([url])


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
