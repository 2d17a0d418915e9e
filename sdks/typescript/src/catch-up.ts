import { type APIError, CausewayError } from "./errors.js";
import { sleep } from "./core.js";
import type { Event, Events } from "./generated.js";

/** Where a cursor is kept between two runs: a file, a row. */
export interface CursorStore {
  /** The cursor that was saved last; null or undefined before the first. */
  load(): string | null | undefined | Promise<string | null | undefined>;
  save(cursor: string): unknown;
}

/** Which events: types or `<resource>.*`, and of one resource. */
export interface CatchUpOptions {
  type?: string | readonly string[] | undefined;
  resource_id?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** A client, or the part of one that lists events. */
export interface ListsEvents {
  readonly events: Pick<Events, "list">;
}

const LONGEST_HOLD_SECONDS = 25;
/** Ids that are known again. Why: a service that was put back to a copy of before lists what happens again, under its id. */
const REMEMBERED = 1000;
/** Seconds: until a service that is away is asked again, and between two questions that it could have held. */
const PAUSE = 2;
const REST = 1;

/** Each event once, in order. `cursor` is where to go on behind the event that came last: save it once that is done with. */
export class Following implements AsyncIterable<Event> {
  cursor: string | null;
  readonly #client: ListsEvents;
  readonly #options: CatchUpOptions;
  readonly #waits: boolean;
  readonly #known = new Set<string>();

  constructor(client: ListsEvents, cursor: string | null | undefined, options: CatchUpOptions, waits: boolean) {
    this.cursor = cursor ?? null;
    this.#client = client;
    this.#options = options;
    this.#waits = waits;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    const { signal, type, resource_id } = this.#options;
    for (;;) {
      const begun = Date.now();
      const page = await this.#page({
        limit: 100,
        ...(type && { type: [type].flat().join(",") }),
        ...(resource_id && { resource_id }),
        ...(this.cursor && { after: this.cursor }),
        ...(this.#waits && { wait: LONGEST_HOLD_SECONDS }),
      });
      for (const [place, event] of page?.data.entries() ?? []) {
        this.cursor = page!.cursors[place]!;
        if (this.#known.has(event.id)) continue;
        this.#known.add(event.id);
        if (this.#known.size > REMEMBERED) for (const oldest of this.#known) if (this.#known.delete(oldest)) break;
        yield event;
      }
      if (page) this.cursor = page.cursor;
      if (page && !page.has_more && !this.#waits) return;
      if (!page) await sleep(PAUSE, signal);
      else if (!page.data.length && !page.has_more) await sleep(Math.max(0, REST - (Date.now() - begun) / 1000), signal);
    }
  }

  /** One page; undefined where the service is away and it helps to wait. */
  async #page(params: Parameters<Events["list"]>[0]) {
    const { signal } = this.#options;
    try {
      for await (const page of this.#client.events.list(params, { signal }).pages()) return page;
    } catch (error) {
      if (!(this.#waits && error instanceof CausewayError && (error as APIError).retryable)) throw error;
    }
    return undefined;
  }
}

/**
 * Loops over events as they happen, from a cursor on; without one, from the oldest that is kept.
 *
 * Waits for what comes, through outages too. Throws, in the loop, `cursor_expired` after 29 days away.
 */
export const follow = (client: ListsEvents, cursor?: string | null, options: CatchUpOptions = {}): Following =>
  new Following(client, cursor, options, true);

/**
 * Hands on each event that was stored by now, in order, and returns the cursor behind the last one.
 *
 * The handler gets the event and its cursor: who saves both in the transaction of the work does each exactly once. With
 * a `store` the cursor is loaded from it and saved behind each event, so what ends the program between the two makes
 * that event come again; `cursor` is where the first run begins. When the handler throws, the next run begins there.
 */
export async function catchUp(
  client: ListsEvents,
  cursor: string | null | undefined,
  handler: (event: Event, cursor: string) => unknown,
  { store, ...options }: CatchUpOptions & { store?: CursorStore | undefined } = {},
): Promise<string | null> {
  let saved = await store?.load();
  const following = new Following(client, saved ?? cursor, options, false);
  for await (const event of following) {
    saved = following.cursor;
    await handler(event, saved!);
    await store?.save(saved!);
  }
  if (following.cursor && following.cursor !== saved) await store?.save(following.cursor);
  return following.cursor;
}
