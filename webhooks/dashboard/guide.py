"""The lines with which a receiver verifies, as docs/webhooks.md gives them; a test holds the two together."""

from typing import Final

PYTHON: Final = """import hashlib, hmac, time

def is_genuine(header: str, raw_body: bytes, secret: str) -> bool:
    pairs = [part.strip().partition("=")[::2] for part in header.split(",")]
    times = [value for key, value in pairs if key == "t"]
    if not secret or len(times) != 1 or not times[0].isdigit() or abs(time.time() - int(times[0])) > 300:
        return False
    expected = hmac.new(secret.encode(), times[0].encode() + b"." + raw_body, hashlib.sha256).hexdigest()
    return any(key == "v1" and hmac.compare_digest(value.encode(), expected.encode()) for key, value in pairs)
"""
NODE: Final = r"""import { createHmac, timingSafeEqual } from 'node:crypto';

export function isGenuine(header, rawBody, secret) {
  const pairs = header.split(',').map((part) => part.trim().split('='));
  const times = pairs.filter(([key]) => key === 't').map(([, value]) => value);
  if (!secret || times.length !== 1 || !/^\d+$/.test(times[0])) return false;
  if (Math.abs(Date.now() / 1000 - Number(times[0])) > 300) return false;
  const expected = Buffer.from(createHmac('sha256', secret).update(`${times[0]}.`).update(rawBody).digest('hex'));
  return pairs.some(([key, value]) => {
    const given = Buffer.from(value ?? '');
    return key === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
"""
