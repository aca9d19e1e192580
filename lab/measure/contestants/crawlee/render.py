"""Renders pages with Crawlee and Playwright: render.py FILE PROXY CONNECTIONS CHROMIUM MODE.

Crawlee's defaults, but for what the comparison gives to all: the browser, pages at the same time, no retries. It waits until the
network is idle, since pages at `load` lack what their scripts fetch. With the mode `block` it blocks what its documentation
recommends to block."""

import asyncio
import sys

from crawlee import ConcurrencySettings, Request
from crawlee.crawlers import PlaywrightCrawler, PlaywrightCrawlingContext, PlaywrightPreNavCrawlingContext


async def main(file, proxy, connections, chromium, mode):
    crawler = PlaywrightCrawler(
        browser_type="chromium",
        headless=True,
        browser_launch_options={
            "executable_path": chromium,
            "chromium_sandbox": False,
            "proxy": {"server": proxy, "bypass": "<-loopback>"},
        },
        concurrency_settings=ConcurrencySettings(
            min_concurrency=connections, desired_concurrency=connections, max_concurrency=connections
        ),
        max_request_retries=0,
        retry_on_blocked=False,
        configure_logging=False,
    )

    @crawler.router.default_handler
    async def handle(context: PlaywrightCrawlingContext) -> None:
        await context.page.wait_for_load_state("networkidle")
        html = await context.page.content()
        print(f"rendered {context.request.url} {len(html)}", flush=True)

    if mode == "block":

        @crawler.pre_navigation_hook
        async def block(context: PlaywrightPreNavCrawlingContext) -> None:
            await context.block_requests()

    with open(file, encoding="utf-8") as lines:
        urls = [line.strip() for line in lines if line.strip()]
    await crawler.run([Request.from_url(url) for url in urls])


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]))
