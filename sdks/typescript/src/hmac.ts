/** The body's bytes as they came, or their text. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/**
 * Hex HMAC-SHA256 of the time, a full stop and the body, keyed with the whole secret.
 *
 * Throws TypeError for a parsed body: its bytes are lost, and only they are signed.
 */
export async function signature(raw: RawBody, time: string, secret: string): Promise<string> {
  if (typeof raw !== "string" && raw?.byteLength === undefined) throw new TypeError("The raw body is needed, not a parsed one.");
  const way = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), way, false, ["sign"]);
  const made = await crypto.subtle.sign(way, key, await new Blob([time, ".", raw as BlobPart]).arrayBuffer());
  return [...new Uint8Array(made)].map((byte) => (byte + 256).toString(16).slice(1)).join("");
}
