"""Readers of streams: `streams_program <url> <token> <count> <access token>…`.

Prints `ready` once all have a snapshot, and at the end of the next line of input, as JSON, how many
messages came, and how many milliseconds after their trades (of every 50th reader).
"""

import asyncio
import json
import sys
import time
from datetime import datetime
from statistics import quantiles
from urllib.parse import urlsplit

_EVERY = 50


class Readers:
    """All connections, and what came on them."""

    def __init__(self) -> None:
        self.ready = 0
        self.messages = 0
        self.milliseconds: list[float] = []

    async def follow(self, url: str, token: str, access: str, *, timed: bool) -> None:
        """Read one stream until it is cancelled."""
        parts = urlsplit(url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=2**22)
        path = f"{parts.path}?channels=book:{token},trades:{token}"
        head = (
            f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nAuthorization: Bearer {access}\r\n\r\n"
        )
        writer.write(head.encode())
        waiting = True
        while line := await reader.readline():
            if line.startswith(b"HTTP/") and b" 200 " not in line:
                raise RuntimeError(line.decode())
            if not line.startswith(b"data: "):
                continue
            self.messages += 1
            if waiting:
                waiting = False
                self.ready += 1
            if timed and b'"trades":[' in line:
                now = time.time()
                for trade in json.loads(line[6:])["trades"]:
                    at = datetime.fromisoformat(trade["createdAt"]).timestamp()
                    self.milliseconds.append(1000 * (now - at))


async def main(url: str, token: str, count: str, *access: str) -> None:
    """Follow, and print what came."""
    readers = Readers()
    tasks = [
        asyncio.create_task(
            readers.follow(url, token, access[number % len(access)], timed=number % _EVERY == 0)
        )
        for number in range(int(count))
    ]
    while readers.ready < int(count):
        await asyncio.sleep(0.05)
        for task in tasks:
            if task.done():
                task.result()
    readers.messages = 0
    readers.milliseconds.clear()
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    for task in tasks:
        task.cancel()
    parts = quantiles(readers.milliseconds or [0, 0], n=100)
    print(json.dumps({"messages": readers.messages, "median": parts[49], "p99": parts[98]}))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
