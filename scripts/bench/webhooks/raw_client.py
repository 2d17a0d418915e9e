"""How fast an aiohttp client can post when it does nothing else: no database, no signature, no record.

Usage: python -m scripts.bench.webhooks.raw_client URL REQUESTS    Prints requests a second.
"""

import asyncio
import sys
import time

import aiohttp

CONNECTIONS = 50
BODY = b"x" * 550


async def post_all(url: str, requests: int) -> float:
    """Post so many times over a fixed number of connections; requests a second."""
    left = iter(range(requests))

    async def post_some(session: aiohttp.ClientSession) -> None:
        for _ in left:
            async with session.post(url, data=BODY, headers={"Content-Type": "application/json"}) as response:
                await response.read()

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=CONNECTIONS)) as session:
        started = time.perf_counter()
        await asyncio.gather(*(post_some(session) for _ in range(CONNECTIONS)))
        return requests / (time.perf_counter() - started)


if __name__ == "__main__":
    print(asyncio.run(post_all(sys.argv[1], int(sys.argv[2]))))
