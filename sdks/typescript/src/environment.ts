/** What `process.env` says, where there is one and it may be read. */
export function environment(name: string): string | undefined {
  try {
    return (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env[name];
  } catch {
    return undefined; // Deno without --allow-env
  }
}
