/**
 * Dollars of an answer as text, with two decimals or more, as the service writes them: 1.5 becomes "1.50".
 *
 * Why here: some amounts are JSON numbers. A double keeps all of their digits (at most six decimals, fifteen in all), but
 * adding doubles does not. What a merchant keeps under `metadata` stays as it is. Why times ten: a tenth of an integer,
 * rounded, times ten is that integer, since ten is a sum of two powers of two.
 * Source: D. Goldberg, What Every Computer Scientist Should Know About Floating-Point Arithmetic, theorem 7.
 */
export function moneyAsText<T>(value: T): T {
  for (const [key, inner] of Object.entries(value ?? {})) {
    if (typeof inner === "number" && key.endsWith("_usd"))
      (value as Record<string, unknown>)[key] = (inner * 10) % 1 ? String(inner) : inner.toFixed(2);
    else if (typeof inner === "object" && key !== "metadata") moneyAsText(inner);
  }
  return value;
}

/**
 * Dollars of a request, as the number that JSON has for exactly these digits.
 *
 * Throws TypeError where there are more decimals than are taken, as 0.1 + 0.2 has: rounding is the caller's to choose.
 */
export function exactNumber(name: string, value: unknown, decimals: number): number {
  if (!new RegExp(`^\\d{1,10}(\\.\\d{1,${decimals}})?$`).test(String(value)))
    throw new TypeError(`${name}: ${String(value)} is no amount with at most ${decimals} decimals.`);
  return Number(value);
}
