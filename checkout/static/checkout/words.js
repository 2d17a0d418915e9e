/** The page's sentences as the server sent them, in the payer's language, and how amounts and times are written. */

/** @type {Words} */
const known = { sentences: {}, names: {}, moments: {}, problems: {}, answers: {}, certain: {}, before: {} };

/** Adds what the server sent: first what stands in the page, later the words file. @param {Partial<Words>} more */
export function learnWords(more) {
  for (const [group, words] of Object.entries(more)) Object.assign(known[/** @type {keyof Words} */ (group)], words);
}

/** @param {string} sentence with gaps like {0} @param {(string | number)[]} parts */
export const fill = (sentence, parts) => sentence.replace(/{(\d)}/g, (_, place) => String(parts[place]));

/** The sentence of a key, its gaps filled. @param {string} key @param {...(string | number)} parts */
export const say = (key, ...parts) => fill(known.sentences[key] || key, parts);

/** What a chain, a provider or a status is called. @param {string} id */
export const nameOf = (id) => known.names[id] || id;

/** The problem that an answer of the API is told as, if it is one of those with words. @param {string} code */
export const problemOfAnswer = (code) => known.answers[code];

/** Where the money is and what to do, where a problem says that nothing was sent and something was before. @param {string} code @param {string} before @returns {string[]} */
export const wordsBefore = (code, before) => (known.certain[code] && known.before[before]) || [];

/** What happened, where the money is, what to do. @param {string} code @returns {string[]} */
export const problemWords = (code) => known.problems[code] || known.problems.refused || known.problems.unreachable;

/** The three parts of what this tab is in the middle of, if anything. @param {string} moment @param {string} wallet */
export const momentWords = (moment, wallet) => known.moments[moment]?.map((sentence) => fill(sentence, [wallet]));

/** `ceil` never shows too little to pay, `floor` never too much to have. @param {string} locale */
export function formats(locale) {
  /** @param {Intl.NumberFormatOptions} options @returns {(value: any) => string} */
  const number = (options) => (value) => new Intl.NumberFormat(locale, options).format(value || 0);
  const places = { minimumFractionDigits: 2, maximumFractionDigits: 6 };
  /** @param {number} value @param {string} unit */
  const long = (value, unit) => number({ style: "unit", unit, unitDisplay: "long", maximumFractionDigits: 0 })(value);
  return {
    // From right to left the sign would jump to the front: isolated, it stays.
    usd: (/** @type {any} */ value) => number({ style: "currency", currency: "USD" })(value).replace(/\u200f(.+)/, "\u2066$1\u2069"),
    ceil: number({ ...places, roundingMode: "ceil" }),
    floor: number({ ...places, roundingMode: "floor" }),
    /** @param {number} seconds */
    duration: (seconds) => (seconds < 90 ? long(seconds, "second") : long(seconds / 60, "minute")),
    /** @param {string} instant */
    time: (instant) => new Date(instant).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" }),
  };
}
