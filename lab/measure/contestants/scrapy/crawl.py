"""Crawls one site with Scrapy: crawl.py URL CONNECTIONS. Scrapy's defaults, but for what the comparison gives to all: no delay,
the same number of connections, robots.txt obeyed."""

import sys
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor


class Site(scrapy.Spider):
    name = "site"

    def __init__(self, url):
        super().__init__()
        self.start_urls = [url]
        self.allowed_domains = [urlsplit(url).hostname]
        # Links are compared with their port, requests without.
        self.links = LinkExtractor(allow_domains=[urlsplit(url).netloc])

    def parse(self, response):
        for link in self.links.extract_links(response):
            yield scrapy.Request(link.url, callback=self.parse)


url, connections = sys.argv[1], int(sys.argv[2])
process = CrawlerProcess(
    {
        "ROBOTSTXT_OBEY": True,
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS": connections,
        "CONCURRENT_REQUESTS_PER_DOMAIN": connections,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "WARNING",
    }
)
process.crawl(Site, url=url)
process.start()
